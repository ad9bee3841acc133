#define _GNU_SOURCE
#include "CRxCore.h"
#include "check.h"
#include "tests.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <ucontext.h>

static void *check_new_thread(void *unused) {
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
    CHECK(pthread_create(&other, NULL, check_new_thread, NULL) == 0);
    CHECK(pthread_join(other, &its) == 0);
    CHECK((uintptr_t)its != me && its != NULL);
}

static void trampoline_is_stored_per_thread(void) {
    int queue;
    CHECK(crx_thread_trampoline() == NULL);
    crx_thread_set_trampoline(&queue);
    CHECK(crx_thread_trampoline() == &queue);
    pthread_t other;
    CHECK(pthread_create(&other, NULL, check_new_thread, NULL) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    crx_thread_set_trampoline(NULL);
    CHECK(crx_thread_trampoline() == NULL);
}

static void nesting_reports_each_level_from_the_shallow_limit(void) {
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

static void *check_stack_left(void *wanted) {
    size_t size, same;
    size_t left = crx_nesting_stack_left(&size);
    // The system may reuse a larger stack of an ended thread.
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
    CHECK(pthread_create(&other, &attributes, check_stack_left, (void *)wanted) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    pthread_attr_destroy(&attributes);
    size_t size;
    CHECK(crx_nesting_stack_left(&size) < size);
}

// glibc reads the main thread's stack size from a file. With a limit of 0 open files, the first read fails. This test
// must be the first to query the size, on the main thread. Skipped under qemu, which must be able to open files itself.
static void stack_that_could_not_be_measured_is_measured_later(void) {
    if (getenv("CRX_TESTS_EMULATED") != NULL) {
        return;
    }
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    size_t size;
    (void)crx_nesting_stack_left(&size);
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    size_t left = crx_nesting_stack_left(&size);
    CHECK(size > 0 && left < size);
}

enum { OWN_STACK = 256 << 10 };

static ucontext_t before, beside;
static size_t left_beside, size_beside;

static void measure_from_other_stack(void) {
    left_beside = crx_nesting_stack_left(&size_beside);
}

static void *measure_from_stack(void *stack) {
    left_beside = 0;
    size_beside = 1;
    CHECK(getcontext(&beside) == 0);
    beside.uc_stack.ss_sp = stack;
    beside.uc_stack.ss_size = OWN_STACK;
    beside.uc_link = &before;
    makecontext(&beside, measure_from_other_stack, 0);
    CHECK(swapcontext(&before, &beside) == 0);
    CHECK(left_beside == SIZE_MAX);
    CHECK_EQUAL(size_beside, 0);
    return NULL;
}

/// A program may run on a stack that it has allocated, as coroutines do. The library does not know the bounds of such a
/// stack. The test tries one stack below the thread's own and one above.
static void stack_made_by_the_program_is_not_measured(void) {
    static char lower[OWN_STACK];
    char higher[OWN_STACK];
    measure_from_stack(lower);
    pthread_t other;
    CHECK(pthread_create(&other, NULL, measure_from_stack, higher) == 0);
    CHECK(pthread_join(other, NULL) == 0);
}

static void *take_a_long_name(void *taken) {
    crx_thread_begin("a-name-of-twenty-six-bytes");
    CHECK(pthread_getname_np(pthread_self(), taken, 16) == 0);
    return NULL;
}

// Skipped under qemu, where a thread may have another name.
static void a_thread_has_the_first_15_bytes_of_its_name(void) {
    if (getenv("CRX_TESTS_EMULATED") != NULL) {
        return;
    }
    char taken[16] = "";
    pthread_t other;
    CHECK(pthread_create(&other, NULL, take_a_long_name, taken) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(strcmp(taken, "a-name-of-twent") == 0);
}

static struct crx_gate left_gates[2];
static uint32_t gates_to_leave;

static void *end_inside_a_step(void *unused) {
    (void)unused;
    crx_thread_begin("rx.test");
    for (uint32_t index = 0; index < gates_to_leave; index++) {
        CHECK_EQUAL(crx_gate_enter_acquire(&left_gates[index], crx_thread_self()), CRX_ENTERED);
    }
    pthread_exit(NULL);
}

/// Ends a thread of the library while it owns `count` gates. Stores the text from standard error in `report`.
static void report_of_thread_that_leaves(uint32_t count, char *report, size_t size) {
    memset(left_gates, 0, sizeof left_gates);
    gates_to_leave = count;
    int ends[2], standard_error = dup(STDERR_FILENO);
    CHECK(standard_error >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    close(ends[1]);
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    pthread_t other;
    CHECK(crx_thread_create(&other, &attributes, end_inside_a_step, NULL) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    pthread_attr_destroy(&attributes);
    CHECK(dup2(standard_error, STDERR_FILENO) == STDERR_FILENO);
    close(standard_error);
    ssize_t length = read(ends[0], report, size - 1);
    CHECK(length >= 0);
    report[length] = '\0';
    close(ends[0]);
}

static void thread_exit_inside_observer_is_reported(void) {
    char report[512];
    report_of_thread_that_leaves(2, report, sizeof report);
    CHECK(strstr(report, "ended inside an observer") != NULL && strstr(report, "2 gates:") != NULL);
    CHECK(getenv("CRX_TESTS_EMULATED") != NULL || strstr(report, "\"rx.test\"") != NULL);
    report_of_thread_that_leaves(1, report, sizeof report);
    CHECK(strstr(report, "1 gate:") != NULL);
    report_of_thread_that_leaves(0, report, sizeof report);
    CHECK(report[0] == '\0');
}

void thread_tests(void) {
    RUN(stack_that_could_not_be_measured_is_measured_later);
    RUN(a_thread_has_an_identity_of_its_own_that_leaves_room_for_bits);
    RUN(trampoline_is_stored_per_thread);
    RUN(nesting_reports_each_level_from_the_shallow_limit);
    RUN(a_threads_stack_is_measured);
    RUN(stack_made_by_the_program_is_not_measured);
    RUN(a_thread_has_the_first_15_bytes_of_its_name);
    RUN(thread_exit_inside_observer_is_reported);
}
