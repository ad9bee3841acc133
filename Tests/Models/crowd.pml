/*
 * A source that finds the gate of its coordinator busy, in a scope of flow control: InnerChains.eventWaits and
 * eventHasWaited of Sources/RxSwift, crx_pause_input_waits and crx_pause_input_has_waited of crx_state.h.
 *
 * A cold loop sends EACH elements into a gate; another thread enters the gate OTHERS times. A thread that finds the
 * gate busy enqueues an input. If LIMIT inputs of the loop are queued, the loop parks. When the last of them has been
 * handled, the loop is woken. The gate itself is simplified; see gate.pml. DISPOSE: a thread disposes of the loop's
 * chain.
 *
 * Each atomic block is one access to one word. Of a CAS loop, only the successful CAS is modelled.
 *
 * Checked: no thread waits forever. Only one thread wakes the loop, and only a parked loop that has not been released.
 * At most LIMIT of its inputs are queued. Its elements are handled in order, each once. WAITING equals the number of
 * its queued inputs.
 */
#ifndef EACH
#define EACH 4
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef OTHERS
#define OTHERS 3
#endif

/* The chain's word. */
bool CROWDED, PARKED, TELLING, SOURCE_SET = true, DISPOSED;
byte WAITING;

/* The gate: whether it is owned, whether its owner handles an input, and its queue. The other thread's inputs are 0. */
bool owned, handling;
chan inputs = [EACH + OTHERS] of { byte };

byte jobs = 1, sent, handled, detached, done;
bool runs, ended;

inline takeOut() {
    if
    :: PARKED && !CROWDED && !TELLING && SOURCE_SET && !DISPOSED ->
        PARKED = false; SOURCE_SET = false; TELLING = true; tells = true
    :: else
    fi
}

inline detachLoop() {
    atomic { detached++; assert(detached == 1 && !(PARKED && (runs || jobs > 0))) }
}

/* PauseWorklist.notifyAll. */
inline tellIfTaken() {
    if
    :: tells ->
        tells = false;
        atomic {
            assert(!PARKED);
            TELLING = false;
            if :: DISPOSED -> detaches = true :: else -> SOURCE_SET = true fi
        };
        if :: detaches -> detaches = false; detachLoop() :: else fi;
        atomic { jobs++; assert(jobs == 1 && !runs) }
    :: else
    fi
}

/* Handles an input, as the gate's owner. */
inline handle(input) {
    atomic { assert(!handling); handling = true };
    atomic {
        handling = false;
        if :: input > 0 -> handled++; assert(input == handled) :: else fi
    }
}

inline hasWaited() {
#ifdef FAULT_CLEARED_IN_TWO
    atomic { WAITING--; isLast = WAITING == 0 };
    if :: isLast -> isLast = false; atomic { CROWDED = false; takeOut() } :: else fi;
#else
    atomic {
        if :: WAITING > 0 -> WAITING-- :: else fi;
        if :: WAITING == 0 -> CROWDED = false :: else fi;
        takeOut()
    };
#endif
    tellIfTaken()
}

/* Handles queued inputs until there are none. */
inline drain() {
    do
    :: atomic {
           if
           :: len(inputs) == 0 -> owned = false; break
           :: else -> inputs?next
           fi
       };
       handle(next);
       if :: next > 0 -> hasWaited() :: else fi
    od
}

inline enqueue(input) {
    atomic { inputs!input; isMine = !owned; owned = true };
    if :: isMine -> isMine = false; drain() :: else fi
}

inline waits() {
    atomic {
        WAITING++;
        if :: WAITING >= LIMIT -> CROWDED = true :: else fi
    }
}

active proctype loop() {
    byte next, mine;
    bool isMine, isLast, tells, detaches, isFree;
end:
    do
    :: atomic { jobs > 0 -> jobs--; assert(!runs); runs = true };
       do
       :: atomic {
              if
              :: DISPOSED -> runs = false; break
              :: !DISPOSED && CROWDED -> goto park
              :: else
              fi
          };
send:     if
          :: sent == EACH -> atomic { ended = true; runs = false }; break
          :: else
          fi;
          atomic { sent++; mine = sent };
          atomic { isFree = !owned; owned = true };
          if
          :: isFree -> handle(mine); drain()
          :: else ->
#ifdef FAULT_COUNTED_BEHIND
              enqueue(mine);
              waits()
#else
              waits();
              assert(WAITING <= LIMIT);
              enqueue(mine)
#endif
          fi
       od;
       goto end;
park:  atomic {
           if
           :: DISPOSED -> runs = false
#ifndef FAULT_PARKS_WITHOUT_LOOK
           :: !DISPOSED && !CROWDED -> goto send
#endif
           :: else -> PARKED = true; runs = false
           fi
       }
    od
}

active proctype other() {
    byte next, times;
    bool isMine, isLast, tells, detaches, isFree;
    do
    :: times == OTHERS -> break
    :: else ->
        times++;
        atomic { isFree = !owned; owned = true };
        if
        :: isFree -> handle(0); drain()
        :: else -> enqueue(0)
        fi
    od;
    done++
}

#ifdef DISPOSE
active proctype disposer() {
    bool detaches;
    atomic { DISPOSED = true; detaches = SOURCE_SET; SOURCE_SET = false };
    if :: detaches -> detaches = false; detachLoop() :: else fi;
    done++
}
#define THREADS 2
#else
#define THREADS 1
#endif

active proctype check() {
    atomic {
        /* If a thread waits forever, this condition is never true. */
        (done == THREADS && (ended || DISPOSED) && !TELLING && !runs && jobs == 0 && !owned && len(inputs) == 0) ->
        assert(handled == sent && WAITING == 0 && !CROWDED);
        assert(DISPOSED || sent == EACH)
    }
}
