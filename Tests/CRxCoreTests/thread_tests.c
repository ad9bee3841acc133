#include "CRxCore.h"
#include "check.h"
#include "tests.h"

#include <pthread.h>

static void *who(void *unused) {
    (void)unused;
    CHECK_EQUAL(crx_thread_locks_held(), 0);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
    CHECK(crx_thread_trampoline() == NULL);
    return (void *)crx_thread_self();
}

static void a_thread_has_an_identity_of_its_own_that_leaves_room_for_bits(void) {
    uintptr_t me = crx_thread_self();
    CHECK(me != 0);
    CHECK_EQUAL(me % 16, 0);
    CHECK_EQUAL(crx_thread_self(), me);
    pthread_t other;
    void *its;
    CHECK(pthread_create(&other, NULL, who, NULL) == 0);
    CHECK(pthread_join(other, &its) == 0);
    CHECK((uintptr_t)its != me && its != NULL);
}

static void a_trampoline_is_kept_for_its_thread_alone(void) {
    int queue;
    CHECK(crx_thread_trampoline() == NULL);
    crx_thread_set_trampoline(&queue);
    CHECK(crx_thread_trampoline() == &queue);
    pthread_t other;
    CHECK(pthread_create(&other, NULL, who, NULL) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    crx_thread_set_trampoline(NULL);
    CHECK(crx_thread_trampoline() == NULL);
}

static void what_nests_deep_is_looked_at(void) {
    for (uint32_t depth = 1; depth <= CRX_NESTING_SHALLOW; depth++) {
        CHECK_EQUAL(crx_nesting_begin(), depth == CRX_NESTING_SHALLOW);
        CHECK_EQUAL(crx_nesting_depth(), depth);
    }
    for (uint32_t depth = CRX_NESTING_SHALLOW; depth > 0; depth--) {
        crx_nesting_end();
    }
    CHECK_EQUAL(crx_nesting_depth(), 0);
}

static __attribute__((noinline)) size_t left_below_another_frame(size_t *size) {
    volatile char frame[4096];
    frame[0] = 1;
    size_t left = crx_nesting_stack_left(size);
    frame[1] = frame[0];
    return left;
}

static void *how_much_is_left(void *wanted) {
    size_t size, same;
    size_t left = crx_nesting_stack_left(&size);
    // The system may hand out a larger stack that another thread has left.
    CHECK(left < size && size > (size_t)wanted - 65536);
    CHECK(left > size - 65536);
    size_t less = left_below_another_frame(&same);
    CHECK_EQUAL(same, size);
    CHECK(less < left);
    return NULL;
}

static void a_threads_stack_is_measured(void) {
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    size_t wanted = 2u << 20;
    CHECK(pthread_attr_setstacksize(&attributes, wanted) == 0);
    pthread_t other;
    CHECK(pthread_create(&other, &attributes, how_much_is_left, (void *)wanted) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    pthread_attr_destroy(&attributes);
    size_t size;
    CHECK(crx_nesting_stack_left(&size) < size);
}

void thread_tests(void) {
    RUN(a_thread_has_an_identity_of_its_own_that_leaves_room_for_bits);
    RUN(a_trampoline_is_kept_for_its_thread_alone);
    RUN(what_nests_deep_is_looked_at);
    RUN(a_threads_stack_is_measured);
}
