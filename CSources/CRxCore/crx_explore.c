// The parts of crx_explore.h that belong to the core.
#define _GNU_SOURCE
#include "crx_futex.h"
#include "crx_timer.h"

AO_t crx_explore_handler;

bool crx_explore_call(const char *place) {
    AO_t handler = AO_load(&crx_explore_handler);
    if (CRX_UNLIKELY(handler != 0)) {
        ((void (*)(const char *))handler)(place);
    }
    return true;
}

#ifdef RX_EXPLORE

static bool crx_explore_semaphore_take(unsigned *word) {
    for (unsigned seen = AO_int_load(word); seen > 0;) {
        unsigned before = AO_int_fetch_compare_and_swap_full(word, seen, seen - 1);
        if (before == seen) {
            return true;
        }
        seen = before;
    }
    return false;
}

bool crx_explore_semaphore_wait(unsigned *word, uint64_t span) {
    uint64_t start = crx_timers_now();
    while (!crx_explore_semaphore_take(word)) {
        if (span == UINT64_MAX) {
            crx_futex_wait(word, 0);
            continue;
        }
        uint64_t waited = crx_timers_now() - start;
        if (waited >= span) {
            return false;
        }
        crx_futex_wait_for(word, 0, span - waited);
    }
    return true;
}

bool crx_explore_semaphore_park(unsigned *word) {
    while (!crx_explore_semaphore_take(word)) {
        if (crx_explore_is_over()) {
            return false;
        }
        if (!crx_explore_park(word, 0)) {
            crx_futex_wait(word, 0);
        }
    }
    return true;
}

void crx_explore_semaphore_signal(unsigned *word) {
    AO_int_fetch_and_add(word, 1);
    crx_futex_wake(word, 1);
}

#endif
