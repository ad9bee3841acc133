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

/// The holder is a few instructions from its release, unless it was preempted: worth a few looks before the kernel is
/// asked.
enum { SPINS = 32 };

__attribute__((noinline)) static void crx_lock_acquire_slow(struct crx_lock *lock) {
    for (int spin = 0; spin < SPINS; spin++) {
        if (AO_int_load(&lock->word) == FREE &&
            AO_int_fetch_compare_and_swap_acquire(&lock->word, FREE, HELD) == FREE) {
            return;
        }
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ __volatile__("yield");
#endif
    }
    for (;;) {
        unsigned seen = AO_int_fetch_compare_and_swap_acquire(&lock->word, FREE, CONTENDED);
        if (seen == FREE) {
            return;
        }
        if (seen == CONTENDED || AO_int_fetch_compare_and_swap(&lock->word, HELD, CONTENDED) != FREE) {
            crx_futex_wait(&lock->word, CONTENDED);
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
    if (CRX_UNLIKELY(AO_int_fetch_compare_and_swap_release(&lock->word, HELD, FREE) != HELD)) {
        AO_int_store_release(&lock->word, FREE);
        // Who takes the lock next may be the last to need it, and free it: the wake then finds an address, not a lock.
        crx_futex_wake(&lock->word, 1);
    }
    CRX_LOCK_DID_UNLOCK(lock);
}
