// Compares the word of the lock (crx_lock.h) with a record of its holder and of the sleeping and woken threads. Also
// compares `crx_nesting_depth` with the number of nested steps. One real thread runs all simulated threads.
// `fuzz_syscall` replaces the kernel's futex calls. While a simulated thread sleeps, the remaining threads run.

#define _GNU_SOURCE
#include "CRxCore.h"
#include "crx_futex.h"
#include "fuzz.h"

#include <stdarg.h>
#include <string.h>

enum { THREADS = 4 };

static struct crx_thread records[THREADS];
static int running;

static struct crx_thread *fuzz_thread(void) {
    return &records[running];
}

static long fuzz_syscall(long number, ...);

#define crx_thread_get fuzz_thread
#define syscall fuzz_syscall
// Includes crx_futex.h again, with its calls replaced.
#undef CRX_FUTEX_H
#define crx_futex_wait fuzz_wait
#define crx_futex_wait_for fuzz_wait_for
#define crx_futex_wait_until_as fuzz_wait_until_as
#define crx_futex_wait_until fuzz_wait_until
#define crx_futex_wake fuzz_wake
#define crx_futex_wake_as fuzz_wake_as
#include "crx_lock.c"

enum state { AWAY, WAITS, SLEEPS, WOKEN, HOLDS };

static struct crx_lock lock;
static enum state states[THREADS];
static struct bytes *input;
static unsigned depth;

static int holder(void) {
    for (int thread = 0; thread < THREADS; thread++) {
        if (states[thread] == HOLDS) {
            return thread;
        }
    }
    return -1;
}

static bool any(enum state state) {
    for (int thread = 0; thread < THREADS; thread++) {
        if (states[thread] == state) {
            return true;
        }
    }
    return false;
}

static void lock_agrees(void) {
    unsigned word = AO_int_load(&lock.word);
    CHECK_EQUAL(word != FREE, holder() >= 0);
    // If a thread sleeps, the word is 2 (held, with a sleeper), or a woken thread has not checked the word yet
    // (crx_lock.h, claim 2).
    if (any(SLEEPS)) {
        CHECK(word == CONTENDED || any(WOKEN));
    }
    for (int thread = 0; thread < THREADS; thread++) {
        CHECK_EQUAL(records[thread].locks, states[thread] == HOLDS);
    }
    CHECK_EQUAL(crx_nesting_depth(), depth);
}

static void acquire(int thread) {
    int before = running;
    running = thread;
    states[thread] = WAITS;
    crx_lock_acquire(&lock);
    CHECK_EQUAL(holder(), -1);
    states[thread] = HOLDS;
    CHECK(AO_int_load(&lock.word) != FREE);
    running = before;
}

static void release(int thread) {
    int before = running;
    running = thread;
    bool wakes = any(SLEEPS);
    bool had_woken = any(WOKEN);
    states[thread] = AWAY;
    crx_lock_release(&lock);
    CHECK(!wakes || had_woken || any(WOKEN));
    running = before;
}

__attribute__((noinline)) static size_t left_below(void) {
    volatile char below[1024];
    size_t all;
    below[0] = 0;
    size_t left = crx_nesting_stack_left(&all);
    return left + (size_t)below[0];
}

static void operate(void) {
    unsigned byte = bytes_take(input);
    int thread = (int)(byte / 8 % THREADS);
    switch (byte % 8) {
    case 0:
    case 1:
        if (states[thread] == AWAY) {
            acquire(thread);
        }
        break;
    case 2:
    case 3:
    case 4:
        if (states[thread] == HOLDS) {
            release(thread);
        }
        break;
    case 5:
        if (depth < 1000) {
            depth++;
            CHECK_EQUAL(crx_nesting_begin(), depth >= CRX_NESTING_SHALLOW);
        }
        break;
    case 6:
        if (depth > 0) {
            crx_nesting_end();
            depth--;
        }
        break;
    default: {
        size_t all, left = crx_nesting_stack_left(&all);
        CHECK(left > 0 && left < all);
        CHECK(left_below() < left);
        break;
    }
    }
    lock_agrees();
}

/// Simulates the kernel: a thread sleeps only if the word has the expected value, and may wake for any reason.
static long fuzz_syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    unsigned *word = va_arg(arguments, unsigned *);
    int operation = va_arg(arguments, int);
    unsigned value = va_arg(arguments, unsigned);
    va_end(arguments);
    CHECK_EQUAL(number, SYS_futex);
    CHECK(word == &lock.word);
    int me = running;
    if (operation == FUTEX_WAKE_PRIVATE) {
        CHECK_EQUAL(value, 1);
        int first = (int)bytes_below(input, THREADS);
        for (int offset = 0; offset < THREADS; offset++) {
            int thread = (first + offset) % THREADS;
            if (states[thread] == SLEEPS) {
                states[thread] = WOKEN;
                break;
            }
        }
        return 0;
    }
    CHECK_EQUAL(operation, FUTEX_WAIT_PRIVATE);
    CHECK_EQUAL(value, CONTENDED);
    CHECK_EQUAL(states[me], WAITS);
    if (AO_int_load(word) != value) {
        return -1;
    }
    states[me] = SLEEPS;
    do {
        if (bytes_left(input)) {
            operate();
        } else if (holder() >= 0) {
            release(holder());
        } else if (states[me] == SLEEPS) {
            // No input is left, the lock is free, and another thread has been woken. That thread continues only after
            // this call has returned, so this thread wakes spuriously.
            CHECK(any(WOKEN));
            states[me] = WOKEN;
        }
    } while (states[me] == SLEEPS && !(bytes_left(input) && bytes_below(input, 16) == 0));
    states[me] = WAITS;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, data + size};
    input = &bytes;
    memset(&lock, 0, sizeof lock);
    memset(records, 0, sizeof records);
    memset(states, 0, sizeof states);
    while (bytes_left(&bytes)) {
        operate();
    }
    if (holder() >= 0) {
        release(holder());
    }
    CHECK_EQUAL(AO_int_load(&lock.word), FREE);
    for (; depth > 0; depth--) {
        crx_nesting_end();
    }
    lock_agrees();
    return 0;
}
