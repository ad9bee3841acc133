#include "CRxCore.h"
#include "check.h"
#include "tests.h"

#include <pthread.h>

static void fetch_or_returns_the_old_bits_and_adds_the_new(void) {
    for (uintptr_t old = 0; old < 32; old++) {
        for (uintptr_t bits = 0; bits < 32; bits++) {
            struct crx_chain chain = {(unsigned)old, {0}};
            CHECK_EQUAL(crx_state_fetch_or_acq_rel(&chain, bits), old);
            CHECK_EQUAL(crx_state_load_acquire(&chain), old | bits);
            CHECK_EQUAL(crx_state_load_relaxed(&chain), old | bits);
        }
    }
}

enum { WORDS = 100000, BITS_EACH = 10 };

struct setter {
    struct crx_chain *chains;
    AO_t *ready;
    unsigned first;
};

static void *set_its_own(void *context) {
    const struct setter *setter = context;
    AO_fetch_and_add1_full(setter->ready);
    while (AO_load_acquire(setter->ready) < 2) {
    }
    for (int index = 0; index < WORDS; index++) {
        for (unsigned bit = setter->first; bit < 2 * BITS_EACH; bit += 2) {
            crx_state_fetch_or_acq_rel(setter->chains + index, (uintptr_t)1 << bit);
        }
    }
    return NULL;
}

static void concurrent_fetch_ors_of_a_word_all_take_effect(void) {
    static struct crx_chain chains[WORDS];
    for (int round = 0; round < 5; round++) {
        AO_t ready = 0;
        struct setter setters[2] = {{chains, &ready, 0}, {chains, &ready, 1}};
        pthread_t other;
        CHECK_EQUAL(pthread_create(&other, NULL, set_its_own, &setters[1]), 0);
        set_its_own(&setters[0]);
        CHECK_EQUAL(pthread_join(other, NULL), 0);
        for (int index = 0; index < WORDS; index++) {
            CHECK_EQUAL(crx_state_load_acquire(chains + index), (1 << 2 * BITS_EACH) - 1);
            chains[index] = (struct crx_chain){0, {0}};
        }
    }
}

static void a_chain_is_live_until_it_is_stopped_or_disposed(void) {
    for (uintptr_t bits = 0; bits < 32; bits++) {
        struct crx_chain chain = {(unsigned)bits, {0}};
        CHECK_EQUAL(crx_lifetime_is_live(&chain), !(bits & CRX_CHAIN_DISPOSED) && !(bits & CRX_CHAIN_STOPPED));
    }
}

static void a_flag_swaps_only_what_was_expected(void) {
    struct crx_flag flag = {3};
    CHECK_EQUAL(crx_flag_compare_and_swap_acq_rel(&flag, 4, 9), 3);
    CHECK_EQUAL(crx_flag_load_relaxed(&flag), 3);
    CHECK_EQUAL(crx_flag_compare_and_swap_acq_rel(&flag, 3, 9), 3);
    CHECK_EQUAL(crx_flag_load_acquire(&flag), 9);
}

static void a_flag_counts_both_ways(void) {
    struct crx_flag flag = {1};
    CHECK_EQUAL(crx_flag_fetch_add_acq_rel(&flag, 2), 1);
    CHECK_EQUAL(crx_flag_fetch_add_acq_rel(&flag, UINTPTR_MAX), 3);
    CHECK_EQUAL(crx_flag_load_acquire(&flag), 2);
    crx_flag_store_release(&flag, 7);
    CHECK_EQUAL(crx_flag_fetch_or_acq_rel(&flag, 8), 7);
    CHECK_EQUAL(crx_flag_load_acquire(&flag), 15);
}

static void each_reason_changes_alone(void) {
    for (unsigned old = 0; old < 65536; old++) {
        for (int change = 0; change < 4; change++) {
            uintptr_t reason = change & 1 ? CRX_CHAIN_FULL : CRX_CHAIN_HELD;
            uintptr_t set = change & 2 ? 0 : reason, cleared = change & 2 ? reason : 0;
            struct crx_chain chain = {old, {0}};
            bool notifies = crx_pause_change(&chain, set, cleared);
            uintptr_t word = crx_state_load_acquire(&chain), notified = CRX_CHAIN_SOURCE_SET | CRX_CHAIN_NOTIFYING;
            uintptr_t changed = (old | set) & ~cleared;
            CHECK_EQUAL(word & CRX_CHAIN_REASONS, changed & CRX_CHAIN_REASONS);
            CHECK_EQUAL(word & ~(CRX_CHAIN_PARKED | notified), changed & ~(CRX_CHAIN_PARKED | notified));
            CHECK_EQUAL(notifies, crx_pause_must_notify(changed));
            CHECK_EQUAL(word & notified, notifies ? CRX_CHAIN_NOTIFYING : changed & notified);
        }
    }
}

static void input_at_the_limit_sets_crowded_until_no_input_waits(void) {
    static const unsigned counts[] = {0, 1, 2, 3, 16382, 16383};
    for (unsigned bits = 0; bits < CRX_CHAIN_WAITING; bits++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            unsigned old = bits | counts[i] * (unsigned)CRX_CHAIN_WAITING;
            unsigned notified = (unsigned)(CRX_CHAIN_SOURCE_SET | CRX_CHAIN_NOTIFYING | CRX_CHAIN_PARKED);
            struct crx_chain chain = {old, {0}};
            bool notifies = crx_pause_input_waits(&chain, 3);
            unsigned count = counts[i] < 16383 ? counts[i] + 1 : 16383;
            unsigned expected = (bits | (count >= 3 ? (unsigned)CRX_CHAIN_CROWDED : 0)) & ~notified;
            unsigned word = (unsigned)crx_state_load_acquire(&chain);
            CHECK_EQUAL(word & ~notified, expected | count * (unsigned)CRX_CHAIN_WAITING);
            CHECK_EQUAL(notifies, (word & CRX_CHAIN_NOTIFYING) != 0 && (bits & CRX_CHAIN_NOTIFYING) == 0);

            chain = (struct crx_chain){old, {0}};
            notifies = crx_pause_input_has_waited(&chain);
            count = counts[i] > 0 ? counts[i] - 1 : 0;
            expected = (count > 0 ? bits : bits & ~(unsigned)CRX_CHAIN_CROWDED) & ~notified;
            word = (unsigned)crx_state_load_acquire(&chain);
            CHECK_EQUAL(word & ~notified, expected | count * (unsigned)CRX_CHAIN_WAITING);
            CHECK_EQUAL(notifies, (word & CRX_CHAIN_NOTIFYING) != 0 && (bits & CRX_CHAIN_NOTIFYING) == 0);
        }
    }
}

static void source_parks_exactly_if_a_reason_is_set(void) {
    for (unsigned old = 0; old < 65536; old++) {
        struct crx_chain chain = {old, {0}};
        enum crx_park found = crx_pause_park(&chain);
        bool over = old & CRX_CHAIN_OVER, paused = old & CRX_CHAIN_REASONS;
        CHECK_EQUAL(found, over ? CRX_PARK_OVER : paused ? CRX_PARK_DONE : CRX_PARK_OPEN);
        CHECK_EQUAL(crx_state_load_acquire(&chain), found == CRX_PARK_DONE ? old | CRX_CHAIN_PARKED : old);
    }
}

// `knows`: the source has received the current pause state.
static void source_with_the_current_pause_state_is_put_back(void) {
    for (unsigned bits = 0; bits < 65536; bits++) {
        unsigned old = (bits | CRX_CHAIN_NOTIFYING) & ~(unsigned)CRX_CHAIN_SOURCE_SET;
        struct crx_chain chain = {old, {0}};
        enum crx_put_back found = crx_pause_put_back(&chain);
        uintptr_t word = crx_state_load_acquire(&chain);
        bool paused = old & CRX_CHAIN_REASONS, parked = old & CRX_CHAIN_PARKED;
        bool knows = old & CRX_CHAIN_LISTENS ? paused == parked : paused || !parked;
        if (old & CRX_CHAIN_DISPOSED) {
            CHECK_EQUAL(found, CRX_PUT_BACK_DISPOSED);
            CHECK_EQUAL(word, old & ~CRX_CHAIN_NOTIFYING);
        } else if (knows) {
            CHECK_EQUAL(found, old & CRX_CHAIN_HALTED ? CRX_PUT_BACK_HALTED : CRX_PUT_BACK_DONE);
            CHECK_EQUAL(word, (old & ~CRX_CHAIN_NOTIFYING) | CRX_CHAIN_SOURCE_SET);
        } else {
            CHECK_EQUAL(found, CRX_PUT_BACK_NOTIFY_AGAIN);
            CHECK_EQUAL(word & ~CRX_CHAIN_PARKED, old & ~CRX_CHAIN_PARKED);
            CHECK_EQUAL((word & CRX_CHAIN_PARKED) != 0, (old & CRX_CHAIN_LISTENS) && paused);
        }
    }
}

void state_tests(void) {
    RUN(each_reason_changes_alone);
    RUN(input_at_the_limit_sets_crowded_until_no_input_waits);
    RUN(source_parks_exactly_if_a_reason_is_set);
    RUN(source_with_the_current_pause_state_is_put_back);
    RUN(fetch_or_returns_the_old_bits_and_adds_the_new);
    RUN(concurrent_fetch_ors_of_a_word_all_take_effect);
    RUN(a_chain_is_live_until_it_is_stopped_or_disposed);
    RUN(a_flag_swaps_only_what_was_expected);
    RUN(a_flag_counts_both_ways);
}
