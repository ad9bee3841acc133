/* The queue of a scheduler (JobQueue.swift), and jobs to which a chain adds elements while they wait and while they run
 * (BatchJob.swift).
 *
 * Each of two makers pushes EACH elements into its chain, in jobs of CAPACITY elements. When a job has been delivered,
 * its number is used again, as a new job may get the address of a freed one. One drain delivers.
 *
 * Checked: each chain's elements are all delivered, once and in order. If the push of one element returns before the
 * push of the other chain's element begins, the first of the two elements is delivered first. Only one drain is woken
 * at a time.
 */
#ifndef EACH
#define EACH 2
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef JOBS
#define JOBS 2
#endif

/* Jobs are numbered 1 .. 2 * JOBS; the first half belongs to maker 0. The queue's word is 0 if the queue is idle, the
 * newest job if jobs wait, and the newest job + TAKEN if the drain has taken all jobs. */
#define ALL (2 * JOBS)
#define TAKEN 16
byte word = 0;
byte next[ALL + 1];

/* A job's flag: SEALED, and the number of its elements. */
#define SEALED 8
#define COUNT(flag) ((flag) & 7)
byte flag[ALL + 1];
byte slot[(ALL + 1) * CAPACITY];
bool in_use[ALL + 1];

byte pushed[2];
byte delivered[2];
/* For each element, the number of the other chain's elements whose pushes had returned when its push began. */
byte before[2 * (EACH + 1)];
byte made = 0;

/* The number of drains that have been woken and have not become idle. */
byte woken = 0;

inline enqueue(job) {
    old = word;
    do
    :: next[job] = (old < TAKEN -> old : 0);
       atomic {
           if
           :: word == old -> word = job; break
           :: else -> old = word
           fi
       }
    od;
    if
    :: old == 0 -> atomic { woken++; assert(woken == 1) }
    :: else
    fi;
    old = 0
}

proctype maker(byte me) {
    byte element = 0, newest = 0, job, old;
    do
    :: element == EACH -> break
    :: else ->
        atomic { element++; before[me * (EACH + 1) + element] = pushed[1 - me] };
        /* Reads the queue's word, then the job's flag. */
        d_step {
#ifdef FAULT_LOOK_AT_TAKEN
            job = ((newest != 0 && (word >= TAKEN || word == newest)) -> newest : 0);
#else
            job = ((newest != 0 && word % TAKEN == newest) -> newest : 0);
#endif
        };
        if
        :: job != 0 ->
            old = flag[job];
            if
            :: (old & SEALED) != 0 || COUNT(old) == CAPACITY -> job = 0
            :: else ->
                d_step { slot[job * CAPACITY + COUNT(old)] = element; old = flag[job]; flag[job] = old + 1 };
#ifndef FAULT_ADD_TO_SEALED
                if
                :: (old & SEALED) != 0 -> d_step { slot[job * CAPACITY + COUNT(old)] = 0; job = 0 }
                :: else
                fi
#endif
            fi;
            old = 0
        :: else
        fi;
        if
        :: job == 0 ->
            /* A new job. An earlier one may have had its address. */
            atomic {
                if
                :: !in_use[me * JOBS + 1] -> job = me * JOBS + 1
                :: JOBS == 2 && !in_use[me * JOBS + JOBS] -> job = me * JOBS + JOBS
                fi;
                in_use[job] = true;
                slot[job * CAPACITY] = element;
                flag[job] = 1;
                newest = job
            };
            enqueue(job)
        :: else
        fi;
        atomic { job = 0; pushed[me] = element }
    od;
    atomic { made++ }
}

inline deliver(from) {
    atomic {
        chain = (current > JOBS -> 1 : 0);
        assert(slot[from] == delivered[chain] + 1);
        assert(delivered[1 - chain] >= before[chain * (EACH + 1) + slot[from]]);
        delivered[chain]++;
        slot[from] = 0;
        chain = 0
    }
}

proctype drain() {
    byte pending = 0, current, old, taken, count, at, chain;
    do
    :: atomic { made == 2 && woken == 0 -> break }
    :: woken == 1 ->
        do
        :: pending != 0 ->
            d_step { current = pending; pending = next[current]; next[current] = 0 };
            do
            :: count = COUNT(flag[current]);
               do
               :: at < count -> deliver(current * CAPACITY + at); at++
               :: else -> break
               od;
#ifdef FAULT_SEAL_UNSEEN
               atomic { flag[current] = flag[current] | SEALED; break }
#else
               atomic {
                   if
                   :: flag[current] == at -> flag[current] = at | SEALED; break
                   :: else
                   fi
               }
#endif
            od;
            atomic { at = 0; count = 0; in_use[current] = false; current = 0 }
        :: else ->
            /* Takes all waiting jobs, or becomes idle. */
            old = word;
            do
            :: atomic {
                   if
#ifdef FAULT_IDLE_WITHOUT_LOOK
                   :: old >= TAKEN -> word = 0; woken--; break
#endif
                   :: word == old ->
                       word = (old >= TAKEN -> 0 : old + TAKEN);
                       if
                       :: old >= TAKEN -> woken--
                       :: else
                       fi;
                       break
                   :: else -> old = word
                   fi
               }
            od;
            if
            :: old >= TAKEN -> old = 0; break
            :: else
            fi;
            atomic {
                do
                :: old != 0 -> taken = next[old]; next[old] = pending; pending = old; old = taken
                :: else -> taken = 0; break
                od
            }
        od
    od;
    assert(delivered[0] == EACH && delivered[1] == EACH)
}

init {
    atomic {
        run maker(0);
        run maker(1);
        run drain()
    }
}
