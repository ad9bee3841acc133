/*
 * Waiting for room: FlowEntry and EntrySource of Sources/RxSwift, and the steps of flow control in crx_state.h.
 *
 * Two tasks send an element each through one observer. The chain starts paused, and is resumed, paused and resumed
 * again. CALLBACK: a thread that reads `isOpen` replaces the second task. CANCEL: the first task is cancelled. DISPOSE:
 * the chain is disposed of. STAY: the chain stays paused, and there is only the first task. The queue of waiting tasks
 * is under a lock, so each change of it is one step.
 *
 * Checked: no task waits forever; each continuation is resumed once. If `isOpen` was false, the callback is called
 * once, unless the chain is disposed of. It is never called if `isOpen` was true, or after the disposal.
 */
bool PAUSED = true, PARKED, TELLING, SOURCE_SET = true, DISPOSED;

bool waits[2], resumed[2], cancelled, isOver;
byte sends, finished;

/* The callback. It waits in the second place of the queue. */
byte calls, callJobs;
bool answer, disposed;

inline takeAll() {
    atomic {
        if :: waits[0] -> waits[0] = false; assert(!resumed[0]); resumed[0] = true :: else fi;
#ifdef CALLBACK
        if :: waits[1] -> waits[1] = false; if :: !isOver -> callJobs++ :: else fi :: else fi
#else
        if :: waits[1] -> waits[1] = false; assert(!resumed[1]); resumed[1] = true :: else fi
#endif
    }
}

/* EntrySource.dispose. */
inline detach() {
    isOver = true;
    takeAll()
}

/* ChainLifetime.notifySource, by the thread that has taken the source. */
inline tellIfTaken() {
    if
    :: tells ->
        tells = false;
        do
        :: takeAll();
           atomic {
               if
               :: DISPOSED -> TELLING = false; detaches = true; break
               :: !DISPOSED && PARKED && !PAUSED -> PARKED = false
               :: else -> TELLING = false; SOURCE_SET = true; break
               fi
           }
        od;
        if :: detaches -> detaches = false; detach() :: else fi
    :: else
    fi
}

inline open() {
    atomic {
        PAUSED = false;
        if
        :: PARKED && !TELLING && SOURCE_SET && !DISPOSED -> PARKED = false; SOURCE_SET = false; TELLING = true; tells = true
        :: else
        fi
    };
    tellIfTaken()
}

/* EntrySource.take, then the task that it returns is resumed. */
inline takeOff(c) {
    atomic { if :: waits[c] -> waits[c] = false; assert(!resumed[c]); resumed[c] = true :: else fi }
}

proctype sender(byte c) {
    bool parks;
again:
    if
    :: DISPOSED || (c == 0 && cancelled) -> goto out
    :: else
    fi;
    if
    :: !PAUSED -> sends++; goto out
    :: else
    fi;
#ifdef FAULT_PARKED_ALREADY
    /* A load, which may be ordered before earlier stores. */
    parks = !PARKED;
#endif
    atomic { resumed[c] = false; waits[c] = true };
#ifdef FAULT_PARKED_ALREADY
    if :: !parks -> goto sleep :: else fi;
#endif
    atomic {
        if
        :: DISPOSED || !PAUSED -> parks = false
        :: else -> PARKED = true; parks = true
        fi
    };
#ifndef FAULT_CANCELLED_BEFORE
    if :: !parks || (c == 0 && cancelled) -> takeOff(c) :: else fi;
#else
    if :: !parks -> takeOff(c) :: else fi;
#endif
sleep:
    resumed[c];
    goto again;
out:
    finished++
}

#ifdef CALLBACK
/* FlowEntry.isOpen. */
proctype asker() {
    bool look;
    if
    :: DISPOSED -> goto out
    :: !DISPOSED && !PAUSED -> answer = true; goto out
    :: else
    fi;
    waits[1] = true;
    atomic {
        if
        :: DISPOSED || !PAUSED -> look = false
        :: else -> PARKED = true; look = true
        fi
    };
    if
    :: !look ->
        atomic { look = waits[1]; waits[1] = false };
#ifdef FAULT_OPEN_THOUGH_TAKEN
        look = true;
#endif
        if :: look -> answer = !DISPOSED :: else fi
    :: else
    fi;
out:
    finished++
}

/* ResumeCallbacks, on the same scheduler as the disposal. */
proctype caller() {
end:
    do
    :: atomic {
           callJobs > 0 -> callJobs--;
#ifndef FAULT_CALLED_WHEN_OVER
           if
           :: !isOver -> calls++; assert(!disposed)
           :: else
           fi
#else
           calls++;
           assert(!disposed)
#endif
       }
    od
}
#endif

proctype below() {
    bool tells, detaches;
#ifndef STAY
    open();
    PAUSED = true;
    open()
#endif
}

#ifdef CANCEL
proctype canceller() {
    cancelled = true;
    takeOff(0)
}
#endif

#ifdef DISPOSE
proctype disposer() {
    bool detaches;
    atomic { DISPOSED = true; detaches = SOURCE_SET; SOURCE_SET = false };
    if :: detaches -> detach(); disposed = true :: else fi
}
#endif

init {
    atomic {
        run sender(0);
#ifdef STAY
        finished++;
#else
#ifdef CALLBACK
        run asker();
        run caller();
#else
        run sender(1);
#endif
#endif
        run below();
#ifdef CANCEL
        run canceller();
#endif
#ifdef DISPOSE
        run disposer();
#endif
    };
    /* If a thread waits forever, this condition is never true. */
    finished == 2;
#ifdef CALLBACK
    (DISPOSED || answer || calls > 0);
    assert(calls <= 1 && !(answer && (calls > 0 || callJobs > 0)))
#else
    assert(DISPOSED || cancelled || sends == 2)
#endif
}
