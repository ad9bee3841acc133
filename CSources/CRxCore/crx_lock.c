#define _GNU_SOURCE
#include "crx_lock_fast.h"

enum { FREE = CRX_LOCK_FREE, HELD = CRX_LOCK_HELD, CONTENDED = 2 };

/// A holder that is not preempted releases the lock after a few instructions, so a waiter tries twice before it sleeps.
/// Before the first try, it spins for some microseconds, a tenth of the cost of sleeping. Before the second try, it
/// spins for twice as long. An earlier try would take the lock's cache line from the holder.
enum { LOOKS = 2, LINGERS = 4 };

/// The longest sleep, in nanoseconds.
enum { NAP = 1000000 };

void crx_lock_acquire_slow(struct crx_lock *lock) {
    for (int look = 0; look < LOOKS; look++) {
        for (int wait = LINGERS << look; wait > 0; wait--) {
            crx_thread_linger();
        }
        if (AO_int_load(&lock->word) == FREE &&
            AO_int_fetch_compare_and_swap_acquire(&lock->word, FREE, HELD) == FREE) {
            return;
        }
    }
    for (;;) {
        unsigned seen = AO_int_fetch_compare_and_swap_acquire(&lock->word, FREE, CONTENDED);
        if (seen == FREE) {
            return;
        }
        if (seen == CONTENDED || AO_int_fetch_compare_and_swap(&lock->word, HELD, CONTENDED) != FREE) {
            crx_futex_wait_for(&lock->word, CONTENDED, NAP);
        }
    }
}

void crx_lock_acquire(struct crx_lock *lock) {
    crx_lock_acquire_fast(lock);
}

void crx_lock_release(struct crx_lock *lock) {
    crx_lock_release_fast(lock);
}
