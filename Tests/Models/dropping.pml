/* The queue of a chain on a pool that has been shut down (JobQueue.swift, PthreadPoolScheduler.swift). There is no
 * thread to wake, so the thread that makes the queue busy drops the queued jobs instead of draining them, and closes
 * the queue.
 *
 * Checked: one thread at a time drops; each job is dropped once; the queue is closed at the end.
 */
#ifndef EACH
#define EACH 2
#endif
#ifndef MAKERS
#define MAKERS 2
#endif

/* The queue's word: 0 if the queue is idle, CLOSED, or the newest waiting job. */
#define ALL (EACH * MAKERS)
#define CLOSED 15
#ifdef FAULT_CLOSE_BY_WAY_OF_IDLE
#define LAST 0
#else
#define LAST CLOSED
#endif
byte word = 0;
byte next[ALL + 1];
/* Not guarded, because only the process that drops jobs uses it. */
byte pending = 0;

bool dropped[ALL + 1];
byte dropping = 0;
byte made = 0;

inline drop(one) {
    atomic { assert(!dropped[one]); dropped[one] = true }
}

inline discard() {
    atomic { dropping++; assert(dropping == 1) };
    /* Closes, and dequeues all jobs. */
    old = word;
    do
    :: old == CLOSED -> break
    :: else ->
        atomic {
            if
            :: word == old -> word = LAST; break
            :: else -> old = word
            fi
        }
    od;
    do
    :: old != 0 && old < CLOSED -> taken = next[old]; next[old] = pending; pending = old; old = taken
    :: else -> break
    od;
    do
    :: pending != 0 ->
        current = pending;
        pending = next[current];
        drop(current)
    :: else -> break
    od;
#ifdef FAULT_CLOSE_BY_WAY_OF_IDLE
    atomic { if :: word == 0 -> word = CLOSED :: else fi };
#endif
    dropping--
}

proctype maker(byte me) {
    byte made_here = 0, job, old, current, taken;
    do
    :: made_here == EACH -> break
    :: else ->
        made_here++;
        job = me * EACH + made_here;
        old = word;
        do
        :: old == CLOSED -> drop(job); break
        :: else ->
            next[job] = old;
            atomic {
                if
                :: word == old -> word = job; break
                :: else -> old = word
                fi
            }
        od;
        if
        :: old == 0 -> discard()
        :: else
        fi
    od;
    made++
}

init {
    byte job = 0;
    atomic {
        do
        :: job == MAKERS -> break
        :: else -> run maker(job); job++
        od;
        job = 1
    };
    made == MAKERS;
    assert(word == CLOSED);
    do
    :: job > ALL -> break
    :: else -> assert(dropped[job]); job++
    od
}
