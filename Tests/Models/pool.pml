/*
 * The threads of a scheduler and the queue that they serve: PthreadPool.swift.
 *
 * Each of ENQUEUERS threads enqueues EACH jobs. The pool has at most MAX threads. A sleeping thread may time out and
 * leave at any moment. REFUSE: the system refuses a thread this number of times. BLOCK: the first job waits until
 * another one runs. SHUTDOWN: a thread shuts the pool down, and queued jobs run; with DROP they are dropped. RELEASE:
 * the scheduler is released.
 *
 * Each atomic block is a section under the lock, a system call, or a signal. Jobs are only counted, because they are
 * dequeued under the lock, in order.
 *
 * Checked: each accepted job runs or is dropped, once, and none waits forever; there are at most MAX threads. No job
 * runs that was dequeued after another one was dropped. A thread that counts as starting does start, and at the end no
 * thread counts as starting. A thread that was woken does not leave. Each thread that ended was joined, except for the
 * last one. After a shutdown all threads have ended.
 */
#ifndef ENQUEUERS
#define ENQUEUERS 2
#endif
#ifndef EACH
#define EACH 1
#endif
#ifndef MAX
#define MAX 2
#endif
#ifndef REFUSE
#define REFUSE 0
#endif
#define JOBS (ENQUEUERS * EACH)
/* An upper bound: enqueuing a job, dequeuing a job and a request after a refusal may each start a thread. */
#define THREADS (JOBS + 2 * REFUSE)
#define NOBODY 255

byte waiting, searching, members, started;
byte parked[THREADS], sleeping;
bool isMember[THREADS], isSearching[THREADS], isRefused, isAskedAgain;
/* A thread that has left and is not joined yet. */
byte left = NOBODY;
bool isReleased, isShutDown, isDropping, hasDropped;

byte signals[THREADS];
bool exists[THREADS], ends[THREADS], joined[THREADS];
byte refusals = REFUSE;
byte retries;
byte accepted, refused, begun, ran, dropped, done;
bool isOver;
/* The number of threads that have left and have not ended yet. */
byte leaving;

/* leavesOthers_locked. */
#ifdef FAULT_STARTS_DURING_SHUTDOWN
#define LEAVES_OTHERS (waiting > 0 && searching == 0 && members < MAX)
#else
#define LEAVES_OTHERS (waiting > 0 && searching == 0 && members < MAX && !isShutDown)
#endif
#define NEVER (!isReleased && !isShutDown)

/* wakenMember_locked: dequeues the thread that fell asleep last. */
inline waken(member) {
    member = NOBODY;
    if
    :: sleeping > 0 ->
        sleeping--;
        member = parked[sleeping];
        parked[sleeping] = 0;
        isSearching[member] = true;
        searching++
    :: else
    fi
}

/* newMember_locked. */
inline newMember(member) {
    member = started;
    started++;
    members++;
    isMember[member] = true;
    assert(members <= MAX);
    isSearching[member] = true;
    searching++
}

/* PthreadPool.start. */
inline start(member) {
    if
    :: member == NOBODY
    :: else ->
        if
        :: atomic { refusals > 0 -> refusals-- }; goneWithout(member)
        :: atomic { exists[member] = true; run thread(member) }
        fi
    fi;
    member = NOBODY
}

inline goneWithout(member) {
    atomic {
        members--;
        isMember[member] = false;
#ifndef FAULT_REFUSED_SEARCHES
        searching--;
#endif
        isSearching[member] = false;
        isRefused = (members == 0);
        asks = !isAskedAgain;
        isAskedAgain = true;
        woken = NOBODY;
        if :: searching < waiting -> waken(woken) :: else fi
    };
    atomic { ends[member] = true; joined[member] = true };
    if :: woken != NOBODY -> atomic { signals[woken]++; woken = NOBODY } :: else fi;
    if :: asks -> atomic { asks = false; retries++ } :: else fi
}

inline join(member) {
    atomic { ends[member] -> joined[member] = true }
}

/* leave_locked: the caller then joins the thread that left before. */
inline leave() {
    members--;
    isMember[me] = false;
    leaving++;
#ifdef FAULT_NOBODY_JOINS
    before = NOBODY;
#else
    before = left;
#endif
    left = me
}

proctype thread(byte me) {
    byte other = NOBODY, woken = NOBODY, before = NOBODY;
    bool asks;
    do
    :: /* turn_locked. */
       atomic {
           if
           :: isSearching[me] -> isSearching[me] = false; assert(searching > 0); searching--
           :: else
           fi;
           if
           :: waiting > 0 ->
               waiting--;
               assert(!isOver);
#ifndef FAULT_RUNS_JOBS_WHILE_DROPPING
               if :: isDropping -> dropped++; hasDropped = true; goto next :: else fi;
#endif
               assert(!hasDropped);
#ifndef FAULT_LEAVES_OTHERS_ALONE
               if :: LEAVES_OTHERS -> newMember(other) :: else fi
#endif
           :: waiting == 0 && !NEVER -> leave(); goto over
           :: else -> parked[sleeping] = me; sleeping++; goto park
           fi
       };
       start(other);
       begun++;
#ifdef BLOCK
       if :: begun == 1 -> begun > 1 :: else fi;
#endif
       atomic { ran++; assert(ran + dropped <= accepted && !isOver) };
       goto next;
park:
end:   if
       :: atomic { signals[me] > 0 -> signals[me]-- }
       :: /* leaveIfParked_locked, after the timeout. */
          atomic {
              before = 0;
              do
              :: before < sleeping && parked[before] != me -> before++
              :: else -> break
              od;
              if
              :: before < sleeping ->
                  do
                  :: before + 1 < sleeping -> parked[before] = parked[before + 1]; before++
                  :: else -> sleeping--; parked[sleeping] = 0; break
                  od;
                  leave();
                  goto over
              :: else -> before = NOBODY
#ifdef FAULT_WOKEN_LEAVES
                         ; leave(); goto over
#endif
              fi
          };
          atomic { signals[me] > 0 -> signals[me]-- }
       fi;
next:  skip
    od;
over:
    if :: before != NOBODY -> join(before) :: else fi;
    atomic { ends[me] = true; leaving--; before = NOBODY }
}

/* PthreadPool.add. */
active [ENQUEUERS] proctype enqueuer() {
    byte count, called = NOBODY, woken = NOBODY;
    bool asks, isNew;
    do
    :: count == EACH -> break
    :: else ->
        count++;
        atomic {
            if
            :: isShutDown -> refused++
            :: else ->
                waiting++;
                accepted++;
                if
                :: searching >= waiting
                :: else ->
                    waken(called);
                    if
                    :: called == NOBODY && members < MAX && !isRefused -> newMember(called); isNew = true
                    :: else
                    fi
                fi
            fi
        };
        if
        :: isNew -> isNew = false; start(called)
        :: !isNew && called != NOBODY -> atomic { signals[called]++; called = NOBODY }
        :: else
        fi
    od;
    done++
}

/* The timer of ThreadRefused.retry, which calls PthreadPool.startAgain. */
active proctype timer() {
    byte called = NOBODY, woken = NOBODY;
    bool asks;
end:
    do
    :: atomic {
           retries > 0 -> retries--;
           isRefused = false;
           isAskedAgain = false;
#ifdef FAULT_ASKS_AGAIN_ONLY_FOR_THE_FIRST
           if :: LEAVES_OTHERS && members == 0 -> newMember(called) :: else fi
#else
           if :: LEAVES_OTHERS -> newMember(called) :: else fi
#endif
       };
       start(called)
    od
}

/* end_locked: dequeues all sleeping threads. signalAll then signals them. */
inline ending() {
    at = 0;
    do
    :: at < sleeping ->
#ifndef FAULT_ENDING_FORGETS_WHO_IS_WOKEN
        isSearching[parked[at]] = true;
#endif
        mine[at] = parked[at]; parked[at] = 0; at++
    :: else -> break
    od;
    count = sleeping;
    searching = searching + sleeping;
    sleeping = 0;
    at = 0
}

inline signalAll() {
    do
    :: at < count -> atomic { signals[mine[at]]++; mine[at] = 0; at++ }
    :: else -> at = 0; count = 0; break
    od
}

inline dropWaiting() {
    do
    :: atomic { waiting > 0 -> waiting--; dropped++; hasDropped = isDropping }
    :: atomic { waiting == 0 -> break }
    od
}

#ifdef RELEASE
active proctype releaser() {
    byte at, count, mine[THREADS];
    atomic { isReleased = true; ending() };
    signalAll();
    done++
}
#define RELEASERS 1
#else
#define RELEASERS 0
#endif

#ifdef SHUTDOWN
active proctype closer() {
    byte at, count, mine[THREADS];
    bool all[THREADS];
#ifdef DROP
    isDropping = true;
#endif
    atomic { isShutDown = true; ending() };
    signalAll();
#ifdef DROP
    dropWaiting();
#endif
    /* Joins the existing threads and the last one that has left. */
    atomic {
        do
        :: at < started -> all[at] = isMember[at] || at == left; at++
        :: else -> at = 0; break
        od
    };
    do
    :: at < THREADS ->
        if :: all[at] -> join(at) :: else fi;
        atomic { all[at] = false; at++ }
    :: else -> break
    od;
    dropWaiting();
    atomic { isOver = true; at = 0; do :: at < started -> assert(ends[at] || !exists[at]); at++ :: else -> break od };
    done++
}
#define CLOSERS 1
#else
#define CLOSERS 0
#endif

active proctype check() {
    byte at;
    atomic {
        (done == ENQUEUERS + RELEASERS + CLOSERS && ran + dropped == accepted && accepted + refused == JOBS
            && (CLOSERS + RELEASERS == 0 || members == 0) && leaving == 0 && searching == 0 && retries == 0) ->
        assert(waiting == 0);
        do
        :: at < started -> assert(!ends[at] || joined[at] || at == left); at++
        :: else -> break
        od
    }
}
