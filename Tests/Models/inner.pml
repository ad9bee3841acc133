/*
 * A pause that a coordinator passes to its sources: InnerFlow, InnerChains and RoundRobinJob of Sources/RxSwift, and the
 * steps of flow control in crx_state.h.
 *
 * The list of sources feeds the chain below the coordinator, with the word L, and is notified of its pauses. PAUSES
 * threads pause L once each, and PAUSES threads resume it once each, so any of them may be the notifying thread while
 * the level changes. Two sources are inserted at any time, during a pause or not. Each has a loop that sends EACH
 * elements, ends and is disposed of. SUBSCRIBED: both sources are inserted at the start. OWN: the coordinator has a
 * reason of its own to pause the first source, as `zip` has. DISPOSE: a thread disposes of L. DUE: the coordinator has
 * a timer and no sources, and work that is due during a pause waits for the resume.
 *
 * Each atomic block is one access to one word, or is under the list's lock, which is acquired and released in separate
 * steps. The list consists of two queues, `running` and `held`.
 *
 * Checked: no thread waits forever; only one thread wakes a loop, and only a parked loop that has not been released.
 * Whenever the lock is free: in a held list no source is in `running`; a source is in `held` exactly if its word has
 * HELD; if the list is not held, a thread is about to resume the sources in `held`. A source sends at most one element
 * after it was held, and none if it started held. Notifications of pauses and resumes alternate. Each source is
 * detached once. Due work is done.
 */
#ifndef EACH
#define EACH 1
#endif
#ifndef PAUSES
#define PAUSES 1
#endif

/* The word of the chain below. L_TOLD is its bit PARKED: the level that the list was last notified of. */
bool L_PAUSED, L_TOLD, L_TELLING, L_SOURCE_SET, L_DISPOSED;

/* The list. */
bool locked, isHeld, isDisposed, isResuming;
chan running = [2] of { byte };
chan held = [2] of { byte };
bool waits[2];
byte rotas;

/* The sources' words, and their loops. */
bool FULL[2], HELD[2], PARKED[2], TELLING[2], SOURCE_SET[2], DISPOSED[2];
#define PAUSED(c) (FULL[c] || HELD[c])
byte jobs[2], sent[2], late[2], detached[2];
bool runs[2];

/* The coordinator's timer. */
bool gate, isDue, ticked;
byte resumed;

bool isFed;

inline acquire() { atomic { !locked -> locked = true } }

#define CONSISTENT(c) (DISPOSED[c] || waits[c] == HELD[c])
inline release() {
    atomic {
        assert(isDisposed || !isHeld || len(running) == 0);
        assert(isDisposed || isHeld || isResuming || len(held) == 0);
        assert(CONSISTENT(0) && CONSISTENT(1));
        locked = false
    }
}

inline detachLoop(c) {
    atomic { detached[c]++; assert(detached[c] == 1 && !(PARKED[c] && (runs[c] || jobs[c] > 0))) }
}

/* The part of crx_pause_change that takes a parked source, in the read-modify-write that clears the source's reason. */
inline takeOut(c) {
    if
    :: PARKED[c] && !PAUSED(c) && !TELLING[c] && SOURCE_SET[c] && !DISPOSED[c] ->
        PARKED[c] = false; SOURCE_SET[c] = false; TELLING[c] = true; tells = true; told = c
    :: else
    fi
}

/* PauseWorklist.notifyAll: puts back a source that this thread has taken, and enqueues its loop. */
inline tellSources() {
    if
    :: tells ->
        tells = false;
        assert(jobs[told] == 0 && !runs[told] && detached[told] == 0);
        atomic {
            if
            :: DISPOSED[told] -> TELLING[told] = false; detaches = true
            :: else -> assert(!PARKED[told]); TELLING[told] = false; SOURCE_SET[told] = true
            fi
        };
        if :: detaches -> detaches = false; detachLoop(told) :: else fi;
        atomic { jobs[told]++; assert(jobs[told] == 1 && !runs[told]) }
    :: else
    fi
}

inline disposeSource(c) {
    atomic {
        if
        :: !DISPOSED[c] -> DISPOSED[c] = true; detaches = SOURCE_SET[c]; SOURCE_SET[c] = false
        :: else
        fi
    };
    if :: detaches -> detaches = false; detachLoop(c) :: else fi
}

/* InnerChains.dispose. */
inline detachList() {
    acquire();
    atomic { assert(!isDisposed); isDisposed = true };
    release();
#ifndef DUE
    disposeSource(0);
    disposeSource(1)
#endif
}

/* InnerFlow.pause. */
inline pauseSources() {
    acquire();
#ifndef FAULT_EDGE
    assert(isDisposed || !isHeld);
#endif
    if
    :: isDisposed
    :: else ->
        isHeld = true;
        do
        :: atomic { len(running) > 0 -> running?next; };
           if
           :: DISPOSED[next]
           :: else -> atomic { HELD[next] = true; late[next] = 0; waits[next] = true; held!next }
           fi
        :: len(running) == 0 -> break
        od
    fi;
    release()
}

/* InnerFlow.resumeNext, under the lock. */
inline resumeNext() {
    do
    :: isDisposed || isHeld || len(held) == 0 -> isResuming = false; break
    :: else ->
        atomic { held?next; waits[next] = false };
        if
        :: DISPOSED[next]
        :: else ->
            atomic {
                running!next;
#ifdef FAULT_RESUMES_UNLOCKED
                resumes = true;
#else
                HELD[next] = false; takeOut(next);
#endif
                isResuming = len(held) > 0
            };
            break
        fi
    od
}

/* InnerChains.tell, for a resume. */
inline resumeSources() {
    acquire();
#ifndef FAULT_EDGE
    assert(isDisposed || isHeld);
#endif
    if
    :: isDisposed
    :: else ->
        isHeld = false;
        if
        :: isResuming || len(held) == 0
        :: else ->
            isResuming = true;
            if
            :: len(held) > 1 -> starts = true
            :: else -> resumeNext()
            fi
        fi
    fi;
    release();
#ifdef DUE
#ifdef FAULT_TELLS_WHAT_IS_DUE
    if :: isDue -> dues++ :: else fi;
#else
    dues++;
#endif
#endif
#ifdef FAULT_RESUMES_UNLOCKED
    if :: resumes -> resumes = false; atomic { HELD[next] = false; takeOut(next) } :: else fi
#endif
}

/* The rest of PauseWorklist.notifyAll: puts back the source that was taken, and enqueues the round-robin job and due
 * work. */
inline finishTelling() {
    tellSources();
    if :: starts -> starts = false; atomic { rotas++; assert(rotas == 1) } :: else fi;
#ifdef DUE
    atomic { resumed = resumed + dues; dues = 0 }
#endif
}

/* ChainLifetime.notifySource of L, by the thread that has taken the source of L: the list. */
inline tellList() {
    do
    :: if
       :: L_TOLD -> pauseSources()
       :: else -> resumeSources()
       fi;
       atomic {
           if
#ifdef FAULT_PUT_BACK_FORGETS_DISPOSED
           :: L_DISPOSED -> L_TELLING = false; L_SOURCE_SET = true; break
#else
           :: L_DISPOSED -> L_TELLING = false; detaches = true; break
#endif
#ifndef FAULT_PUT_BACK_WITHOUT_LOOK
           :: !L_DISPOSED && L_PAUSED != L_TOLD -> L_TOLD = L_PAUSED
#endif
           :: else -> L_TELLING = false; L_SOURCE_SET = true; break
           fi
       }
    od;
    if :: detaches -> detaches = false; detachList() :: else fi
}

inline takeListOut() {
#ifdef FAULT_EDGE
    takes = L_SOURCE_SET && !L_DISPOSED && L_PAUSED != L_TOLD;
    if :: takes -> L_TOLD = L_PAUSED :: else fi
#else
    if
    :: L_SOURCE_SET && !L_TELLING && !L_DISPOSED && L_PAUSED != L_TOLD ->
        L_SOURCE_SET = false; L_TELLING = true; L_TOLD = L_PAUSED; takes = true
    :: else
    fi
#endif
}

proctype pauser() {
    byte next, told, dues;
    bool takes, tells, detaches, starts, resumes;
    atomic { !L_PAUSED -> L_PAUSED = true; takeListOut() };
#ifdef FAULT_EDGE
    if :: takes -> pauseSources() :: else fi;
#else
    if :: takes -> tellList(); finishTelling() :: else fi
#endif
}

proctype resumer() {
    byte next, told, dues;
    bool takes, tells, detaches, starts, resumes;
    atomic { L_PAUSED -> L_PAUSED = false; takeListOut() };
#ifdef FAULT_EDGE
    if :: takes -> resumeSources(); finishTelling() :: else fi;
#else
    if :: takes -> tellList(); finishTelling() :: else fi
#endif
}

/* InnerChains.insert, then a PacedLoop feeds the new chain. */
inline insert(c) {
#ifdef FAULT_LOOK_BEFORE_INSERT
    look = isHeld;
#endif
    acquire();
    if
    :: isDisposed -> release(); disposeSource(c)
    :: else ->
#ifndef FAULT_LOOK_BEFORE_INSERT
        look = isHeld;
#endif
#ifdef FAULT_BORN_OPEN
        look = false;
#endif
        atomic {
            if
            :: look -> HELD[c] = true; late[c] = 1; waits[c] = true; held!c
            :: else -> running!c
            fi
        };
        release()
    fi;
    atomic { if :: DISPOSED[c] -> detaches = true :: else -> SOURCE_SET[c] = true fi };
    if
    :: detaches -> detaches = false; detachLoop(c)
    :: else -> atomic { jobs[c]++; assert(jobs[c] == 1) }
    fi
}

proctype subscriber() {
    byte next, told, dues;
    bool takes, tells, detaches, starts, resumes, look;
    /* ChainLifetime.feed: L may already be paused or disposed of. */
    atomic {
        if
        :: L_DISPOSED -> detaches = true
        :: else -> L_SOURCE_SET = true; look = L_PAUSED
        fi
    };
    if
    :: detaches -> detaches = false; detachList()
#ifndef FAULT_FED_WITHOUT_LOOK
    :: look -> atomic { takeListOut() }; if :: takes -> tellList(); finishTelling() :: else fi
#endif
    :: else
    fi;
    /* The list has been notified of the current level, or a thread is about to notify it. */
    assert(L_DISPOSED || L_TELLING || L_PAUSED == L_TOLD);
#ifndef DUE
    insert(0);
    insert(1)
#endif
}

proctype loop(byte c) {
    bool detaches;
end:
    do
    :: atomic { jobs[c] > 0 -> jobs[c]--; assert(!runs[c]); runs[c] = true };
       do
       :: atomic {
              if
              :: DISPOSED[c] -> runs[c] = false; break
              :: !DISPOSED[c] && PAUSED(c) -> goto park
              :: else
              fi
          };
send:     if
          :: sent[c] == EACH -> disposeSource(c); runs[c] = false; break
          :: else -> atomic { sent[c]++; if :: HELD[c] && !DISPOSED[c] -> late[c]++; assert(late[c] <= 1) :: else fi }
          fi
       od;
       goto end;
park:  atomic {
           if
           :: DISPOSED[c] -> runs[c] = false
           :: !DISPOSED[c] && !PAUSED(c) -> goto send
           :: else -> PARKED[c] = true; runs[c] = false
           fi
       }
    od
}

/* RoundRobinJob. There are two processes, because the next job may start while the previous one still notifies a source. */
proctype round_robin() {
    byte next, told;
    bool tells, detaches, goesOn, resumes;
end:
    do
    :: atomic { rotas > 0 -> rotas-- };
       acquire();
       resumeNext();
#ifdef FAULT_ROTA_LEAVES_AFTER_ONE
       isResuming = false;
#endif
       goesOn = isResuming;
       release();
#ifdef FAULT_RESUMES_UNLOCKED
       if :: resumes -> resumes = false; atomic { HELD[next] = false; takeOut(next) } :: else fi;
#endif
       tellSources();
       if :: goesOn -> goesOn = false; atomic { rotas++; assert(rotas == 1) } :: else fi
    od
}

#ifdef DUE
/* The timer. It fires as the gate's owner. */
proctype timer() {
    bool look;
    isFed;
    atomic { !gate -> gate = true };
    acquire();
    look = isHeld;
    release();
    if :: look -> isDue = true :: else -> ticked = true fi;
    gate = false
}

/* ResumedJob. */
proctype resumption() {
end:
    do
    :: atomic { resumed > 0 -> resumed-- };
       atomic { !gate -> gate = true };
       if :: isDue -> isDue = false; ticked = true :: else fi;
       gate = false
    od
}
#endif

#ifdef OWN
/* The owner of the coordinator's gate pauses the first source, which is too far ahead of the second, and resumes it. */
proctype owner() {
    byte told;
    bool tells, detaches;
    FULL[0] = true;
    atomic { FULL[0] = false; takeOut(0) };
    tellSources()
}
#endif

#ifdef DISPOSE
proctype disposer() {
    bool detaches;
    atomic { L_DISPOSED = true; detaches = L_SOURCE_SET; L_SOURCE_SET = false };
    if :: detaches -> detaches = false; detachList() :: else fi
}
#endif

init {
    atomic {
        byte threads = 0;
        do
        :: threads < PAUSES -> run pauser(); run resumer(); threads++
        :: else -> break
        od;
#ifdef DUE
        L_SOURCE_SET = true;
        isFed = true;
        run timer();
        run resumption();
#else
        run round_robin();
        run round_robin();
        run loop(0);
        run loop(1);
#ifdef SUBSCRIBED
        L_SOURCE_SET = true;
        running!0; SOURCE_SET[0] = true; jobs[0] = 1;
        running!1; SOURCE_SET[1] = true; jobs[1] = 1;
#else
        run subscriber();
#endif
#endif
#ifdef OWN
        run owner();
#endif
#ifdef DISPOSE
        run disposer();
#endif
    };
    /* If a thread waits forever, this condition is never true. */
#ifdef DUE
    ticked || L_DISPOSED;
#else
    (detached[0] == 1 && detached[1] == 1 && !runs[0] && !runs[1] && jobs[0] == 0 && jobs[1] == 0);
    assert(L_DISPOSED || (sent[0] == EACH && sent[1] == EACH))
#endif
}
