#define _GNU_SOURCE
#include "crx_lock.h"
#include "crx_futex.h"
#include "crx_thread.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CRX_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define CRX_THREAD_SANITIZER 1
#endif

#ifdef CRX_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#define CRX_LOCK_WILL_LOCK(lock) __tsan_mutex_pre_lock(lock, 0)
#define CRX_LOCK_DID_LOCK(lock) __tsan_mutex_post_lock(lock, 0, 0)
#define CRX_LOCK_WILL_UNLOCK(lock) __tsan_mutex_pre_unlock(lock, 0)
#define CRX_LOCK_DID_UNLOCK(lock) __tsan_mutex_post_unlock(lock, 0)
#else
#define CRX_LOCK_WILL_LOCK(lock) ((void)0)
#define CRX_LOCK_DID_LOCK(lock) ((void)0)
#define CRX_LOCK_WILL_UNLOCK(lock) ((void)0)
#define CRX_LOCK_DID_UNLOCK(lock) ((void)0)
#endif

enum { FREE = 0, HELD = 1, CONTENDED = 2 };

/// The holder is a few instructions from its release, unless it was preempted: worth two looks before the kernel is
/// asked. A look takes the lock's cache line from the holder, and the lines that it guards follow, which the holder
/// would use again at once if it does more of the same. So the first look comes after some microseconds, a tenth of
/// what sleeping costs, and the second after twice as long.
enum { LOOKS = 2, LINGERS = 4 };

/// In nanoseconds, how long a thread sleeps at most before it looks by itself (claim 2).
enum { NAP = 1000000 };

__attribute__((noinline)) static void crx_lock_acquire_slow(struct crx_lock *lock) {
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
    CRX_LOCK_WILL_LOCK(lock);
    if (CRX_UNLIKELY(AO_int_fetch_compare_and_swap_acquire(&lock->word, FREE, HELD) != FREE)) {
        crx_lock_acquire_slow(lock);
    }
    CRX_LOCK_DID_LOCK(lock);
    crx_thread_get()->locks++;
}

void crx_lock_release(struct crx_lock *lock) {
    crx_thread_get()->locks--;
    CRX_LOCK_WILL_UNLOCK(lock);
    unsigned word = AO_int_load(&lock->word);
    AO_int_store_release(&lock->word, FREE);
    if (CRX_UNLIKELY(word != HELD)) {
        // Who takes the lock next may be the last to need it, and free it: the wake then finds an address, not a lock.
        crx_futex_wake(&lock->word, 1);
    }
    CRX_LOCK_DID_UNLOCK(lock);
}
