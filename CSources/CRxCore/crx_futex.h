#ifndef CRX_FUTEX_H
#define CRX_FUTEX_H

// Included by .c files alone, which define _GNU_SOURCE first.

#include "crx_atomic.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// Sleeps while the word is `seen`. Wakes for any reason: the caller looks again.
static inline void crx_futex_wait(unsigned *_Nonnull word, unsigned seen) {
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    errno = saved;
}

/// The same, for so many nanoseconds at most.
static inline void crx_futex_wait_for(unsigned *_Nonnull word, unsigned seen, uint64_t span) {
    int saved = errno;
    struct timespec most = {(time_t)(span / 1000000000), (long)(span % 1000000000)};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, &most, NULL, 0);
    errno = saved;
}

/// The same, up to a moment of CLOCK_MONOTONIC in nanoseconds. A wake finds those whose bits it shares.
static inline void crx_futex_wait_until_as(unsigned *_Nonnull word, unsigned seen, uint64_t moment, unsigned bits) {
    int saved = errno;
    struct timespec until = {(time_t)(moment / 1000000000), (long)(moment % 1000000000)};
    // With a bit set, because plain FUTEX_WAIT takes a span.
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen, &until, NULL, bits);
    errno = saved;
}

static inline void crx_futex_wait_until(unsigned *_Nonnull word, unsigned seen, uint64_t moment) {
    crx_futex_wait_until_as(word, seen, moment, FUTEX_BITSET_MATCH_ANY);
}

// The word may be freed memory by now, where its last user may be gone before the call. The kernel looks at the address
// only, and at worst wakes a thread that looks again.
static inline void crx_futex_wake(unsigned *_Nonnull word, int threads) {
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
    errno = saved;
}

/// The same, of those who wait with one of `bits`.
static inline void crx_futex_wake_as(unsigned *_Nonnull word, int threads, unsigned bits) {
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, threads, NULL, NULL, bits);
    errno = saved;
}

#endif
