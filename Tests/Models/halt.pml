/*
 * The word of a chain that is fed, notified, halted and disposed of, and that adopts teardowns: ChainLifetime, and
 * claims 1, 2 and 5 of crx_state.h.
 *
 * One thread feeds the chain and one halts it. DISPOSE: a thread disposes of it. TELL: a thread pauses and resumes it.
 * ADOPT: two threads add a teardown each. The first teardown is a chain; the second belongs to the program.
 *
 * Each atomic block is one access to the word, a section under the lock of the teardowns, or a call. Of a CAS loop,
 * only the successful CAS is modelled. A read of the source is two steps, and so is a write, so that two of them can
 * overlap.
 *
 * Checked: no thread reads the source while another writes it. If the chain is disposed of, its source and its
 * teardowns are disposed of once. If it is halted before its disposal, its source and the teardown that is a chain are
 * halted, in every order of the threads. A disposal does not release an object while the halt reads it, so the halt
 * never drops the last reference.
 */

/* The word. */
bool DISPOSED, SOURCE_SET, HALTED, LOOKED, ADOPTED, PAUSED, PARKED, TELLING;
/* The field for the source: whether it is set, and the number of threads that read and write it. */
bool source;
byte readers, writers;

byte halted, disposed, done;
/* Whether the chain was halted before it was disposed of. */
bool wasHalted;

/* The teardowns; the first is a chain. `listed`: it is in the list. `letGo`: it has been released. `isLeft`: a disposal
 * has kept the list's reference to the chain, because the halt may be reading it. */
bool listed[2], letGo[2], isLeft;
bool haltedChain;
byte disposedTeardowns[2];

inline read() {
    atomic { assert(writers == 0); readers++ };
    atomic { assert(source); readers-- }
}

inline write(value) {
    atomic { assert(readers == 0 && writers == 0); writers++ };
    atomic { source = value; writers-- }
}

/* ChainLifetime.disposeSource. The caller passes whether it saw HALTED without LOOKED: a halt may be reading. */
inline disposeSource(isBeingHalted) {
    read();
    if
#ifndef FAULT_DISPOSE_TAKES
    :: isBeingHalted
#endif
    :: else -> write(false)
    fi;
    atomic { disposed++; assert(disposed == 1) }
}

/* Halting twice is allowed: the halting thread and a thread that feeds or notifies the chain may both do it. */
inline haltSource() {
    atomic { halted = 1 }
}

/* crx_pause_must_notify of a listening source. */
#define TELL_IS_WANTED (SOURCE_SET && !TELLING && !DISPOSED && PAUSED != PARKED)

/* ChainLifetime.notifySource, by the thread that has taken the source. */
inline notifySource() {
    read();
    do
    :: atomic {
           if
           :: DISPOSED -> TELLING = false; putBack = 1
           :: !DISPOSED && PAUSED != PARKED -> PARKED = PAUSED; putBack = 2
           :: !DISPOSED && PAUSED == PARKED -> TELLING = false; SOURCE_SET = true; putBack = (HALTED -> 3 : 0)
           fi
       };
       if
       :: putBack == 1 -> atomic { found = HALTED && !LOOKED }; disposeSource(found); break
       :: putBack == 2
#ifdef FAULT_PUT_BACK_FORGETS_HALTED
       :: putBack == 3 -> break
#else
       :: putBack == 3 -> haltSource(); break
#endif
       :: putBack == 0 -> break
       fi
    od
}

/* crx_pause_change. */
inline changeReasons(value) {
    atomic {
        PAUSED = value;
        tells = TELL_IS_WANTED;
        if :: tells -> PARKED = PAUSED; SOURCE_SET = false; TELLING = true :: else fi
    };
    if :: tells -> notifySource() :: else fi
}

/* ChainLifetime.feed and feedLate. */
active proctype feeder() {
    bool tells, found, wasDisposed, wasHaltedBefore;
    byte putBack;
    write(true);
    atomic {
        wasDisposed = DISPOSED;
        wasHaltedBefore = HALTED;
        found = HALTED && !LOOKED;
        SOURCE_SET = true
    };
    if
    :: wasDisposed -> disposeSource(found)
#ifndef FAULT_FEED_FORGETS_HALTED
    :: !wasDisposed && wasHaltedBefore -> haltSource()
#endif
    :: else ->
        /* The pause state may have changed, so it is read again. */
        atomic {
            tells = TELL_IS_WANTED;
            if :: tells -> PARKED = PAUSED; SOURCE_SET = false; TELLING = true :: else fi
        };
        if :: tells -> notifySource() :: else fi
    fi;
    done++
}

/* ChainLifetime.halt. */
active proctype halter() {
    bool looks, hasTeardowns, copied;
    atomic {
        HALTED = true;
        if
        :: DISPOSED
        :: else -> looks = SOURCE_SET; hasTeardowns = ADOPTED; wasHalted = true
        fi
    };
#ifdef FAULT_LOOKED_TOO_SOON
    LOOKED = true;
#endif
    if
    :: looks ->
        read();
        /* The field still retains the source. */
        atomic { assert(source); halted = 1 }
    :: else
    fi;
#ifdef FAULT_LOOKED_BEFORE_TEARDOWNS
    LOOKED = true;
#endif
    if
    :: hasTeardowns ->
        /* The halt has copied the list, and its copy must not hold the last reference to the chain. */
        atomic { copied = listed[0] };
        atomic {
            if
            :: copied -> haltedChain = true; assert(!letGo[0])
            :: else
            fi
        }
    :: else
    fi;
    LOOKED = true;
    done++
}

/* ChainLifetime.handOver. The caller passes whether it saw HALTED without LOOKED. */
inline runTeardowns(isBeingHalted) {
    atomic {
        taken[0] = listed[0];
        taken[1] = listed[1];
        listed[1] = false;
#ifndef FAULT_RUNS_CHAINS_AGAIN
        listed[0] = false;
#endif
        wasLeft = isLeft || taken[0];
#ifdef FAULT_LETS_CHAINS_GO
        isLeft = false
#else
        isLeft = wasLeft && isBeingHalted
#endif
    };
    atomic {
        disposedTeardowns[0] = disposedTeardowns[0] + taken[0];
        disposedTeardowns[1] = disposedTeardowns[1] + taken[1];
        assert(disposedTeardowns[0] <= 1 && disposedTeardowns[1] <= 1);
        if :: wasLeft && !isLeft -> letGo[0] = true :: else fi;
        letGo[1] = letGo[1] || taken[1];
        taken[0] = false;
        taken[1] = false
    }
}

#ifdef DISPOSE
active proctype disposer() {
    bool takes, hasTeardowns, found, wasLeft, taken[2];
    atomic {
        takes = SOURCE_SET;
        hasTeardowns = ADOPTED;
        found = HALTED && !LOOKED;
        DISPOSED = true
    };
    if :: takes -> disposeSource(found) :: else fi;
    if :: hasTeardowns -> runTeardowns(found) :: else fi;
    done++
}
#define DISPOSERS 1
#else
#define DISPOSERS 0
#endif

#ifdef TELL
active proctype pauser() {
    bool tells, found;
    byte putBack;
    changeReasons(true);
    changeReasons(false);
    done++
}
#define PAUSERS 1
#else
#define PAUSERS 0
#endif

#ifdef ADOPT
/* ChainLifetime.adopt. */
active [2] proctype adopter() {
    bool wasDisposed, wasHaltedBefore, found, wasLeft, taken[2];
    byte me = _pid % 2;
#ifdef FAULT_ADOPT_BEFORE_LIST
    atomic { wasDisposed = DISPOSED; wasHaltedBefore = HALTED; found = HALTED && !LOOKED; ADOPTED = true };
    atomic { listed[me] = true };
#else
    atomic { listed[me] = true };
    atomic { wasDisposed = DISPOSED; wasHaltedBefore = HALTED; found = HALTED && !LOOKED; ADOPTED = true };
#endif
    if
    :: wasDisposed -> runTeardowns(found)
    :: !wasDisposed && wasHaltedBefore && me == 0 -> haltedChain = true
    :: else
    fi;
    done++
}
#define ADOPTERS 2
#else
#define ADOPTERS 0
#endif

active proctype check() {
    byte at;
    atomic {
        done == 2 + DISPOSERS + PAUSERS + ADOPTERS ->
        assert(DISPOSED == (disposed == 1) && !TELLING);
        assert(!wasHalted || halted == 1 || DISPOSED);
        assert(DISPOSED || SOURCE_SET);
        assert(LOOKED);
#ifdef ADOPT
        do
        :: at < 2 ->
            assert(DISPOSED == (disposedTeardowns[at] == 1));
            at++
        :: else -> break
        od;
        assert(!wasHalted || haltedChain || DISPOSED)
#endif
    }
}
