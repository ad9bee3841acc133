#ifndef CRX_LOCK_H
#define CRX_LOCK_H

#include "crx_atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A short lock over a few fields: all zero is free. Never held in a call-out, so it needs neither recursion nor
/// fairness.
///
/// | word | meaning | entered by | left by |
/// |---|---|---|---|
/// | 0 | free | release | acquire: CAS_acquire(0 → 1) |
/// | 1 | held, nobody sleeps | acquire from 0 | release: store_release 0; a waiter: CAS(1 → 2) |
/// | 2 | held, somebody may sleep | a waiter | release: store_release 0, wake one |
///
/// 1. *Exclusion*: the word leaves 0 only by a CAS_acquire, and comes back to 0 only by the holder's release.
/// 2. *No sleeper is forgotten*: a thread sleeps only while the word is 2, which the kernel looks at under its own
///    lock; the holder that has seen 2 wakes one. It looks before it stores 0, which together cost next to nothing,
///    where a swap of both would cost as much as taking the lock. So it misses who turns 1 into 2 in between; that one
///    finds 0 before it sleeps, unless the holder has lost its processor between the two, and then it looks again by
///    itself after a nap. Who has slept takes the lock as 2, since it cannot know whether others still sleep.
struct crx_lock {
    unsigned word;
};

static_assert(sizeof(struct crx_lock) == 4, "a futex is a 32-bit word");

// Compiled, not inlined: ThreadSanitizer's annotations must stand in every copy or in none, and the copies that Swift
// makes of inline functions do not know that a sanitizer is on.

/// Takes the lock; sleeps while another thread holds it.
void crx_lock_acquire(struct crx_lock *_Nonnull lock);
/// Gives the lock back; its holder only.
void crx_lock_release(struct crx_lock *_Nonnull lock);

#ifdef __cplusplus
}
#endif

#endif
