#ifndef CRX_LOCK_FAST_H
#define CRX_LOCK_FAST_H

// The lock's functions, inline, for hot paths. Included only by .c files (crx_lock.h gives the reason).

#include "crx_futex.h"
#include "crx_lock.h"
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

enum { CRX_LOCK_FREE = 0, CRX_LOCK_HELD = 1 };

void crx_lock_acquire_slow(struct crx_lock *_Nonnull lock);

CRX_INLINE void crx_lock_acquire_fast(struct crx_lock *_Nonnull lock) {
    CRX_LOCK_WILL_LOCK(lock);
    if (CRX_UNLIKELY(
            AO_int_fetch_compare_and_swap_acquire(&lock->word, CRX_LOCK_FREE, CRX_LOCK_HELD) != CRX_LOCK_FREE)) {
        crx_lock_acquire_slow(lock);
    }
    CRX_LOCK_DID_LOCK(lock);
    crx_thread_get()->locks++;
}

CRX_INLINE void crx_lock_release_fast(struct crx_lock *_Nonnull lock) {
    crx_thread_get()->locks--;
    CRX_LOCK_WILL_UNLOCK(lock);
    unsigned word = AO_int_load(&lock->word);
    AO_int_store_release(&lock->word, CRX_LOCK_FREE);
    if (CRX_UNLIKELY(word != CRX_LOCK_HELD)) {
        crx_futex_wake(&lock->word, 1);
    }
    CRX_LOCK_DID_UNLOCK(lock);
}

#endif
