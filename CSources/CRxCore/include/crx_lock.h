#ifndef CRX_LOCK_H
#define CRX_LOCK_H

#include "crx_atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A short lock that protects a few fields. An all-zero lock is free. No call-out is made while the lock is held, so it
/// needs neither recursion nor fairness. A CAS is a compare-and-swap.
///
/// | word | meaning | entered by | left by |
/// |---|---|---|---|
/// | 0 | free | release | acquire: CAS_acquire(0 → 1) |
/// | 1 | held, no thread sleeps | acquire from 0 | release: store_release 0; a waiter: CAS(1 → 2) |
/// | 2 | held, a thread may sleep | a waiter | release: store_release 0, wake one |
///
/// 1. *Exclusion*: the word leaves 0 only by a CAS_acquire, and returns to 0 only by the holder's release.
/// 2. *No sleeper is forgotten*: a thread sleeps only while the word is 2, which the kernel checks under its own lock.
///    A holder that reads 2 wakes one thread. The holder releases by a load and a store of 0, because an exchange would
///    cost as much as acquiring. So the holder misses a waiter that changes 1 to 2 between the load and the store. That
///    waiter usually finds 0 before it sleeps. If the holder is preempted between its load and its store, that waiter
///    sleeps, and checks again after 1 ms. A waiter that has stopped spinning acquires the lock with the value 2,
///    because other threads may still sleep.
struct crx_lock {
    unsigned word;
};

static_assert(sizeof(struct crx_lock) == 4, "a futex is a 32-bit word");

// These functions are not inline, because Swift's copies would lack ThreadSanitizer's annotations. All copies must have
// the annotations, or none.

void crx_lock_acquire(struct crx_lock *_Nonnull lock);
void crx_lock_release(struct crx_lock *_Nonnull lock);

#ifdef __cplusplus
}
#endif

#endif
