/* The short lock (crx_lock.h): its word, and the kernel's list of sleeping threads.
 *
 * Each of TAKERS threads acquires the lock EACH times. A release reads the word and then stores 0, in two steps. A
 * sleeping thread is woken, or wakes after its timeout.
 *
 * Checked: one thread holds the lock at a time; no thread waits forever. The timeout is needed only if a thread changes
 * the word from 1 to 2 between the two steps of a release. ATOMIC joins these two steps. With ATOMIC, no thread waits
 * forever even without the timeout (NO_NAP).
 */
#ifndef TAKERS
#define TAKERS 3
#endif
#ifndef EACH
#define EACH 2
#endif

#define FREE 0
#define HELD 1
#define CONTENDED 2

byte word = FREE;
byte holders = 0;
bool sleeps[TAKERS];

/* The kernel wakes one of the sleeping threads, any one. */
inline wake() {
    atomic {
        if
        :: sleeps[0] -> sleeps[0] = false
        :: TAKERS > 1 && sleeps[1] -> sleeps[1] = false
        :: TAKERS > 2 && sleeps[TAKERS - 1] -> sleeps[TAKERS - 1] = false
        :: else
        fi
    }
}

/* The kernel compares the word and queues the thread in one step. */
inline sleep() {
    atomic { if :: word == CONTENDED -> sleeps[me] = true :: else fi };
    do
    :: !sleeps[me] -> break
#ifndef NO_NAP
    :: atomic { sleeps[me] -> sleeps[me] = false }
#endif
    od
}

inline acquire() {
    atomic { seen = word; if :: seen == FREE -> word = HELD :: else fi };
    do
    :: seen == FREE -> break
    :: else ->
#ifdef FAULT_SLEPT_TAKES_HELD
        atomic { seen = word; if :: seen == FREE -> word = HELD :: else fi };
#else
        atomic { seen = word; if :: seen == FREE -> word = CONTENDED :: else fi };
#endif
        if
        :: seen == FREE
        :: seen == CONTENDED -> sleep()
        :: seen == HELD ->
            /* A second swap, because the lock may be free now. */
            atomic { old = word; if :: old == HELD -> word = CONTENDED :: else fi };
            if
            :: old != FREE -> sleep()
            :: else
            fi
        fi
    od;
    holders++;
    assert(holders == 1)
}

inline release() {
    holders--;
#ifdef ATOMIC
    atomic { seen = word; word = FREE };
#else
    seen = word;
    word = FREE;
#endif
#ifndef FAULT_NO_WAKE
    if
    :: seen == CONTENDED -> wake()
    :: else
    fi
#endif
}

proctype taker(byte me) {
    byte seen, old, turn = 0;
    do
    :: turn == EACH -> break
    :: else ->
        acquire();
        release();
        turn++
    od
}

init {
    byte each = 0;
    atomic {
        do
        :: each == TAKERS -> break
        :: else -> run taker(each); each++
        od
    }
}
