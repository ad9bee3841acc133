/* The timer service (crx_timer.h): its thread, threads that start and cancel timers, a thread that closes a group, and
 * a clock.
 *
 * For each of TIMERS timers, a thread starts it ROUNDS times, each time one or two ticks ahead, and only after the
 * timer has fired or been cancelled. Timer 0 is in a group. Each section under the lock is one step; `wakes` and
 * `batches` are read without it. CANCEL: a thread cancels timers. CLOSE: a thread closes the group. REFUSE: the system
 * may refuse the service's thread; the first caller with this result requests the thread again until it exists.
 *
 * Checked: each start ends once; no timer fires early, or after the close of its group has returned. When the clock is
 * at its end and the thread sleeps, no timer is pending that the thread should have served (claims 1 to 3, 5, 8).
 */
#ifndef TIMERS
#define TIMERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef LAST
#define LAST 4
#endif
#ifndef BATCH
#define BATCH 1
#endif

#define NEVER 15
#define later(a, b) ((a) < (b) -> (b) : (a))

byte now = 1;

/* Guarded by the lock. */
bool pending[TIMERS];
byte deadline[TIMERS];
byte planned = 0, resting = 0;
bool started = false, closed = false;
byte batches = 0;
byte wakes = 0;
/* `told`: the refusal was reported. `asks`: the thread is being requested again. */
bool told = false, asks = false;

/* Taken by the service's thread and about to fire. */
bool taken[TIMERS];
byte starts[TIMERS], ends[TIMERS];
bool asleep = false, exists = false, returned = false;
byte until = NEVER;
byte done = 0;

proctype clock() {
    do
    :: now < LAST -> now++
    :: else -> break
    od
}

proctype serve() {
    byte moment, seen, next, count, i;
    do
    :: moment = now;
       atomic {
           planned = 0; count = 0; next = NEVER; i = 0;
           do
           :: i == TIMERS -> break
           :: else ->
               if
               :: pending[i] && deadline[i] <= moment && count < BATCH -> pending[i] = false; taken[i] = true; count++
               :: pending[i] && !(deadline[i] <= moment && count < BATCH) -> next = (deadline[i] < next -> deadline[i] : next)
               :: else
               fi;
               i++
           od;
           i = 0;
           if
           :: count > 0 -> batches++; resting = moment + 1
#ifndef FAULT_PLANS_AFTER_THE_LOCK
           :: else -> planned = (next == NEVER -> NEVER : later(next, resting)); until = planned
#else
           :: else -> until = (next == NEVER -> NEVER : later(next, resting))
#endif
           fi;
#ifndef FAULT_READS_WAKES_AFTER_THE_LOCK
           seen = wakes
#endif
       };
#ifdef FAULT_PLANS_AFTER_THE_LOCK
       if
       :: count == 0 -> planned = until
       :: else
       fi;
#endif
#ifdef FAULT_READS_WAKES_AFTER_THE_LOCK
       seen = wakes;
#endif
       if
       :: count > 0 ->
           do
           :: i == TIMERS -> i = 0; break
           :: else ->
               atomic {
                   if
                   :: taken[i] ->
                       assert(now >= deadline[i]);
                       assert(i > 0 || !returned);
                       taken[i] = false; ends[i]++
                   :: else
                   fi;
                   i++
               }
           od;
           atomic { batches++; count = 0 }
       :: else ->
           /* The futex does not sleep if `wakes` has changed. */
           atomic {
               if
               :: wakes == seen -> asleep = true
               :: else
               fi
           };
end_asleep:
           do
           :: atomic { !asleep -> break }
           :: atomic { asleep && now >= until -> asleep = false; break }
           od
       fi;
       atomic { moment = 0; seen = 0; next = 0 }
    od
}

proctype asker() {
    bool begins;
    do
    :: exists -> break
    :: else ->
        atomic { begins = !started; started = true };
        if
        :: begins ->
            atomic {
                begins = false;
                if
                :: exists = true; run serve()
                :: started = false
                fi
            }
#ifdef FAULT_STOPS_WHERE_ANOTHER_ASKS
        :: else -> break
#else
        :: else
#endif
        fi
    od;
    asks = false
}

proctype starter(byte me) {
    byte round, distance;
    bool wakes_it, begins;
    do
    :: round == ROUNDS -> break
    :: else ->
        if
        :: distance = 1
        :: distance = 2
        fi;
        atomic {
            wakes_it = false;
            if
            :: me == 0 && closed -> round = ROUNDS - 1
            :: else ->
                pending[me] = true;
                starts[me]++;
                deadline[me] = (now + distance > LAST -> LAST : now + distance);
                begins = !started;
                started = true;
                if
                :: later(deadline[me], resting) < planned ->
                    planned = 0;
                    wakes_it = true;
#ifndef FAULT_WAKES_UNCOUNTED
                    wakes++
#endif
                :: else
                fi
            fi;
            distance = 0
        };
        if
        :: begins ->
            atomic {
                begins = false;
                if
                :: exists = true; run serve()
#ifdef REFUSE
                :: started = false;
                   if
                   :: !told -> told = true; asks = true; run asker()
                   :: else
                   fi
#endif
                fi
            }
        :: !begins && wakes_it -> asleep = false
        :: else
        fi;
        round++;
        if
        :: round < ROUNDS -> starts[me] == ends[me] || (!started && now == LAST)
        :: else
        fi;
        /* A timer that is still pending is not started again. */
        if
        :: starts[me] != ends[me] -> round = ROUNDS
        :: else
        fi
    od;
    done++
}

proctype canceller() {
    byte i;
    do
    :: i == TIMERS -> break
    :: else ->
        atomic {
            if
            :: pending[i] -> pending[i] = false; ends[i]++
            :: else
            fi;
            i++
        }
    od;
    done++
}

proctype closer() {
    byte seen;
    atomic {
        closed = true;
        if
        :: pending[0] -> pending[0] = false; ends[0]++
        :: else
        fi;
        seen = batches
    };
#ifndef FAULT_CLOSE_DOES_NOT_WAIT
    seen % 2 == 0 || batches != seen;
#endif
    atomic { returned = true; done++ }
}

#ifdef CANCEL
#define CANCELLERS 1
#else
#define CANCELLERS 0
#endif
#ifdef CLOSE
#define CLOSERS 1
#else
#define CLOSERS 0
#endif

proctype watcher() {
    byte i;
    atomic {
        done == TIMERS + CANCELLERS + CLOSERS && now == LAST && !asks && (!exists || (asleep && now < until));
        do
        :: i == TIMERS -> break
        :: else ->
            assert(!taken[i] && starts[i] == ends[i] + pending[i]);
            assert(!pending[i]);
            i++
        od
    }
}

init {
    byte i;
    atomic {
        do
        :: i == TIMERS -> break
        :: else -> run starter(i); i++
        od;
#ifdef CANCEL
        run canceller();
#endif
#ifdef CLOSE
        run closer();
#endif
        run clock();
        run watcher()
    }
}
