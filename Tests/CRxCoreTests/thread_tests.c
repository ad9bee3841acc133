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

void thread_tests(void) {
    RUN(a_thread_has_an_identity_of_its_own_that_leaves_room_for_bits);
    RUN(a_trampoline_is_kept_for_its_thread_alone);
}
