#ifndef CRX_FUTEX_H
#define CRX_FUTEX_H

// Included only by .c files, which define _GNU_SOURCE first.

#include "crx_atomic.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// Sleeps while the word is `seen`. May wake up spuriously.
static inline void crx_futex_wait(unsigned *_Nonnull word, unsigned seen) {
    CRX_EXPLORE_WAIT(word, seen, 0);
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    errno = saved;
}

/// Like `crx_futex_wait`, for at most `span` nanoseconds.
static inline void crx_futex_wait_for(unsigned *_Nonnull word, unsigned seen, uint64_t span) {
    CRX_EXPLORE_WAIT(word, seen, crx_explore_moment(span));
    int saved = errno;
    struct timespec most = {(time_t)(span / 1000000000), (long)(span % 1000000000)};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, &most, NULL, 0);
    errno = saved;
}

/// Like `crx_futex_wait`, at most until `moment` (CLOCK_MONOTONIC, nanoseconds). A wake without any of `bits` does not
/// end the wait.
static inline void crx_futex_wait_until_as(unsigned *_Nonnull word, unsigned seen, uint64_t moment, unsigned bits) {
    CRX_EXPLORE_WAIT(word, seen, moment);
    int saved = errno;
    struct timespec until = {(time_t)(moment / 1000000000), (long)(moment % 1000000000)};
    // FUTEX_WAIT takes a duration, not a time.
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen, &until, NULL, bits);
    errno = saved;
}

static inline void crx_futex_wait_until(unsigned *_Nonnull word, unsigned seen, uint64_t moment) {
    crx_futex_wait_until_as(word, seen, moment, FUTEX_BITSET_MATCH_ANY);
}

// The word may already have been freed: the kernel uses only its address. At worst, a thread that waits for a new word
// at this address wakes up and checks it again.
static inline void crx_futex_wake(unsigned *_Nonnull word, int threads) {
    CRX_EXPLORE_WAKE(word);
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
    errno = saved;
}

/// Wakes only threads that wait with one of `bits`.
static inline void crx_futex_wake_as(unsigned *_Nonnull word, int threads, unsigned bits) {
    CRX_EXPLORE_WAKE(word);
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, threads, NULL, NULL, bits);
    errno = saved;
}

#endif
