#include "CRxCore.h"
#include "check.h"
#include "tests.h"

// Every set of bits met by every set of bits: the old ones come back, the new ones are added, no other changes.
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

static void a_chain_is_live_until_it_is_stopped_or_disposed(void) {
    for (uintptr_t bits = 0; bits < 32; bits++) {
        struct crx_chain chain = {(unsigned)bits, {0}};
        CHECK_EQUAL(crx_state_is_live(&chain), !(bits & CRX_CHAIN_DISPOSED) && !(bits & CRX_CHAIN_STOPPED));
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

void state_tests(void) {
    RUN(fetch_or_returns_the_old_bits_and_adds_the_new);
    RUN(a_chain_is_live_until_it_is_stopped_or_disposed);
    RUN(a_flag_swaps_only_what_was_expected);
    RUN(a_flag_counts_both_ways);
}
