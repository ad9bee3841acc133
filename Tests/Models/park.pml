/*
 * A boundary that pauses its source: BoundaryDrain, BoundarySource, PausableSource and PacedLoop of Sources/RxSwift, and
 * the steps of flow control in crx_state.h.
 *
 * A cold loop sends EACH elements through the upper chain, with the word U, into a ring of N places, which resumes the
 * loop at LOW. The drain delivers to the lower chain, with the word V, and frees BATCH places at a time. Two threads
 * run drains, so a drain that has left may still copy while the next one runs. V is paused and resumed PAUSES times.
 * HOLD: a list also holds and resumes U, so that U has two reasons to pause. DISPOSE: a thread disposes of V. SELF: the
 * drain disposes of V, from inside its second delivery.
 *
 * Each atomic block is one access to one word. Of a CAS loop, only the successful CAS is modelled. The boundary's word
 * contains the count, `draining`, `isAtBound`, `ended` and `gone`. The thread that changed `isAtBound` acquires a lock,
 * reads the bit again and copies it to U. A counter represents the queued jobs.
 *
 * Checked: no thread waits forever; only one thread wakes the loop or the drain, and only one that is parked and has
 * not been released. The ring holds at most N elements. At most one element is sent after the loop was held. Elements
 * are delivered in order and before the end; each is delivered or freed, once. After a disposal has returned, one
 * delivery that had passed its check may follow, and none if the drain itself disposes. Each chain's source is detached
 * once. At the end, the bit FULL of U states whether the ring is at its bound.
 */
#ifndef EACH
#define EACH 4
#endif
#ifndef N
#define N 2
#endif
#ifndef LOW
#define LOW 0
#endif
#ifndef BATCH
#define BATCH 1
#endif
#ifndef PAUSES
#define PAUSES 1
#endif

/* The upper chain's word. */
bool FULL, HELD, PARKED, TELLING, SOURCE_SET = true, DISPOSED;
#define PAUSED (FULL || HELD)
/* The boundary's word, and the lock under which it is copied. */
bool draining, isAtBound, ended, gone, locked;
byte count;
/* The lower chain's word. The boundary is its source. */
bool V_PAUSED, V_PARKED, V_TELLING, V_SOURCE_SET = true, V_DISPOSED;

byte loopJobs = 1, drainJobs;
/* The number of loops that a notifying thread has taken and has not enqueued yet. */
byte parkedOut;
bool loopRuns, drainRuns;
byte slot[N], head;
byte turns, sent, delivered, freed, detached, detachedBelow, closed, late, after, done;
bool endDelivered, disposed, holds;

/* crx_pause_must_notify of a polling source. */
#ifdef FAULT_WAKE_AFTER_DISPOSE
#define TELL_IS_WANTED (PARKED && !PAUSED && !TELLING)
#else
#define TELL_IS_WANTED (PARKED && !PAUSED && !TELLING && SOURCE_SET && !DISPOSED)
#endif

/* The part of crx_pause_change that takes the parked loop, in the read-modify-write that changes a reason. */
inline takeOut() {
    if
#ifdef FAULT_TAKE_IN_TWO
    :: TELL_IS_WANTED -> tells = true
#else
    :: TELL_IS_WANTED -> PARKED = false; SOURCE_SET = false; TELLING = true; tells = true
#endif
    :: else
    fi
}

/* PausableSource.dispose of the loop's source. A parked loop is released. */
inline detachLoop() {
    atomic { detached++; assert(detached == 1 && !(PARKED && (loopRuns || loopJobs > 0))) }
}

/* PauseWorklist.notifyAll: takes the loop from the upper chain's source, puts the source back, and enqueues the loop. */
inline tellIfTaken() {
    if
    :: tells ->
        tells = false;
#ifdef FAULT_TAKE_IN_TWO
        atomic { PARKED = false; SOURCE_SET = false; TELLING = true };
#endif
        atomic { parkedOut++; assert(parkedOut == 1 && loopJobs == 0 && !loopRuns && detached == 0) };
        atomic {
            /* The loop does not run, so it cannot have parked again. */
            assert(!PARKED);
            TELLING = false;
            if
#ifndef FAULT_PUT_BACK_FORGETS_DISPOSED
            :: DISPOSED -> detaches = true
#endif
            :: else -> SOURCE_SET = true
            fi
        };
        if :: detaches -> detaches = false; detachLoop() :: else fi;
        atomic { parkedOut--; loopJobs++; assert(loopJobs == 1 && !loopRuns) }
    :: else
    fi
}

/* ChainLifetime.dispose of the upper chain. */
inline disposeUpper() {
    atomic {
        if
        :: !DISPOSED -> DISPOSED = true; detaches = SOURCE_SET; SOURCE_SET = false
        :: else
        fi
    };
    if :: detaches -> detaches = false; detachLoop() :: else fi
}

/* BoundarySource.copy, by the thread that has changed `isAtBound` to `value`. */
inline copy(value) {
#ifndef FAULT_COPY_WITHOUT_LOCK
    atomic { !locked -> locked = true };
#endif
#ifdef FAULT_COPY_OWN_VALUE
    isFull = value;
#else
    isFull = isAtBound;
#endif
    atomic {
        FULL = isFull;
#ifdef FAULT_ONE_BIT
        if :: !isFull -> HELD = false :: else fi;
#endif
        takeOut();
        isFull = false
    };
#ifndef FAULT_COPY_WITHOUT_LOCK
    locked = false;
#endif
    tellIfTaken()
}

/* BoundaryDrain.giveBack: one CAS frees places. With `leaves`, the drain also leaves if no element or end waits. */
inline giveBack(leaves) {
    atomic {
        count = count - back;
        back = 0;
        if :: isAtBound && count <= LOW -> isAtBound = false; copies = true :: else fi;
        known = count;
        if
#ifdef FAULT_LEAVE_WITHOUT_LOOK
        :: leaves && !ended && !gone -> draining = false; drainRuns = false; left = true
#else
        :: leaves && count == 0 && !ended && !gone -> draining = false; drainRuns = false; left = true
#endif
        :: else
        fi
    };
    if :: copies -> copies = false; copy(false) :: else fi
}

/* BoundaryDrain.close: by the drain, or by the thread that releases a parked drain. */
inline close() {
    giveBack(false);
    atomic { gone = true; draining = true; closed++; assert(closed == 1) };
    atomic { freed = freed + count; count = 0; known = 0 }
}

/* BoundarySource.dispose. V has been disposed of, so its bit PARKED no longer changes. */
inline detachBoundary() {
    atomic { detachedBelow++; assert(detachedBelow == 1) };
    disposeUpper();
    if
#ifndef FAULT_DISPOSE_LEAVES_PARKED
    :: V_PARKED -> assert(!drainRuns && drainJobs == 0); close(); disposeUpper()
#endif
    :: else
    fi
}

inline queueDrain() {
    atomic { drainJobs++; assert(drainJobs == 1 && !drainRuns) }
}

/* PacedLoop, and the sink above the boundary. */
active proctype loop() {
    byte next;
    bool starts, tells, detaches, isFull, copies;
end:
    do
    :: atomic { loopJobs > 0 -> loopJobs--; assert(!loopRuns); loopRuns = true };
       do
       :: /* The check before each turn: a load. */
          atomic {
              if
              :: DISPOSED -> loopRuns = false; break
              :: !DISPOSED && PAUSED -> goto park
              :: else
              fi
          };
send:     if
          :: sent == EACH ->
              /* TerminalObserver.end: enqueues the end after the queued elements, then disposes of the chain. */
              atomic {
                  if :: !DISPOSED -> ended = true; starts = !draining; draining = true :: else fi
              };
              if :: starts -> starts = false; queueDrain() :: else fi;
              disposeUpper();
              loopRuns = false;
              break
          :: else
          fi;
          /* BoundaryDrain.add. */
          atomic { assert(count < N && slot[next] == 0); slot[next] = sent + 1 };
#ifdef FAULT_COUNT_AND_FULL_APART
          atomic { if :: gone -> slot[next] = 0; goto add :: else fi; count++; starts = !draining; draining = true; copies = count >= N };
          if :: copies -> isAtBound = true :: else fi;
#else
          atomic {
              if
#ifndef FAULT_ADD_IGNORES_GONE
              :: gone -> slot[next] = 0; goto add
#endif
              :: else ->
                  count++;
                  copies = count >= N && !isAtBound;
                  isAtBound = isAtBound || count >= N;
                  starts = !draining;
                  draining = true
              fi
          };
#endif
          atomic {
              sent++;
              next = (next + 1) % N;
              if :: holds -> late++; assert(late <= 1) :: else fi
          };
          if :: copies -> copies = false; copy(true) :: else fi;
          if :: starts -> starts = false; queueDrain() :: else fi;
add:      skip
       od;
       goto end;
park:  /* crx_pause_park. */
       atomic {
           if
           :: DISPOSED -> loopRuns = false
#ifdef FAULT_PARK_WITHOUT_LOOK
           :: !DISPOSED -> PARKED = true; loopRuns = false
#else
           :: !DISPOSED && PAUSED -> PARKED = true; loopRuns = false
           :: !DISPOSED && !PAUSED -> goto send
#endif
           fi
       }
    od
}

active [2] proctype drain() {
    byte back, known;
    bool tells, detaches, isFull, copies, left, isPaused;
end:
    do
    :: atomic { drainJobs > 0 -> drainJobs--; assert(!drainRuns); drainRuns = true; turns++; known = count };
       do
       :: atomic { if :: V_DISPOSED -> goto over :: else -> isPaused = V_PAUSED fi };
          if
          :: back == known ->
              giveBack(true);
              if
              :: left -> left = false; break
              :: !left && known == 0 ->
                  /* `draining` stays set, so that no other drain starts. */
                  atomic { assert(ended && !endDelivered); endDelivered = true; drainRuns = false };
                  break
              :: else
              fi
          :: else
          fi;
          if
          :: isPaused ->
              giveBack(false);
              atomic {
                  if
                  :: V_DISPOSED -> goto look
                  :: !V_DISPOSED && V_PAUSED -> V_PARKED = true; drainRuns = false; break
                  :: else
                  fi
              }
          :: else
          fi;
          atomic {
              delivered++;
              assert(slot[head] == delivered && !endDelivered);
              slot[head] = 0;
              head = (head + 1) % N;
              back++;
              if :: disposed -> after++; assert(after <= 1) :: else fi
          };
#ifdef SELF
          if
          :: delivered == 2 ->
              atomic { V_DISPOSED = true; detaches = V_SOURCE_SET; V_SOURCE_SET = false };
              if :: detaches -> detaches = false; detachBoundary() :: else fi;
              atomic { disposed = true; after = 1 }
          :: else
          fi;
#endif
          if :: back == BATCH && back < known -> giveBack(false) :: else fi;
look:     skip
       od;
       atomic { known = 0; isPaused = false; turns-- };
       goto end;
over:  close();
       atomic { drainRuns = false; turns-- }
    od
}

/* Pauses V as the next boundary below does. With HOLD, also holds U as a list of sources does. */
active proctype below() {
    byte times, back, known;
    bool tells, detaches, isFull, copies, left;
    do
    :: times == PAUSES -> break
    :: else ->
        times++;
        V_PAUSED = true;
#ifdef HOLD
        atomic { HELD = true; holds = true; late = 0 };
        atomic { HELD = false; holds = false; takeOut() };
        tellIfTaken();
#endif
        atomic {
            V_PAUSED = false;
            if
            :: V_PARKED && V_SOURCE_SET && !V_DISPOSED -> V_PARKED = false; V_SOURCE_SET = false; V_TELLING = true
            :: else
            fi
        };
        if
        :: V_TELLING ->
            /* The drain does not run, so it cannot have parked again. */
            atomic { V_TELLING = false; detaches = V_DISPOSED; V_SOURCE_SET = !V_DISPOSED };
            if :: detaches -> detaches = false; detachBoundary() :: else fi;
            queueDrain()
        :: else
        fi
    od;
    done++
}

#ifdef DISPOSE
active proctype disposer() {
    byte back, known;
    bool tells, detaches, isFull, copies, left;
    atomic { V_DISPOSED = true; detaches = V_SOURCE_SET; V_SOURCE_SET = false };
    if :: detaches -> detaches = false; detachBoundary() :: else fi;
    atomic { disposed = true; done++ }
}
#define OTHERS 2
#else
#define OTHERS 1
#endif

#define IDLE (!loopRuns && loopJobs == 0 && parkedOut == 0 && !drainRuns && drainJobs == 0 && turns == 0)

active proctype check() {
    atomic {
        /* If a thread waits forever, this condition is never true. */
        (done == OTHERS && (endDelivered || V_DISPOSED) && detached == 1 && !TELLING && IDLE) ->
        assert(sent == delivered + freed && count == 0);
        assert(closed > 0 || (FULL == isAtBound && !locked));
        assert(V_DISPOSED || (delivered == EACH && sent == EACH))
    }
}
