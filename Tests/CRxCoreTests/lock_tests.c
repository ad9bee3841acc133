// crx_lock.h states the numbered claims.

#include "CRxCore.h"
#include "check.h"
#include "tests.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_lock_is_free_held_and_free_again(void) {
    struct crx_lock first = {0}, second = {0};
    crx_lock_acquire(&first);
    CHECK_EQUAL(AO_int_load(&first.word), 1);
    CHECK_EQUAL(crx_thread_locks_held(), 1);
    crx_lock_acquire(&second);
    CHECK_EQUAL(crx_thread_locks_held(), 2);
    crx_lock_release(&first);
    crx_lock_release(&second);
    CHECK_EQUAL(AO_int_load(&first.word), 0);
    CHECK_EQUAL(crx_thread_locks_held(), 0);
}

struct shared {
    struct crx_lock lock;
    long count;
};

static void *wait_for_it(void *argument) {
    struct shared *shared = argument;
    crx_lock_acquire(&shared->lock);
    shared->count++;
    crx_lock_release(&shared->lock);
    return NULL;
}

static void waiting_thread_sleeps_until_the_lock_is_released(void) {
    enum { WAITERS = 3 };
    struct shared shared = {{0}, 0};
    pthread_t waiters[WAITERS];
    crx_lock_acquire(&shared.lock);
    for (int index = 0; index < WAITERS; index++) {
        CHECK(pthread_create(&waiters[index], NULL, wait_for_it, &shared) == 0);
    }
    while (AO_int_load(&shared.lock.word) != 2) {
        usleep(100);
    }
    CHECK_EQUAL(shared.count, 0);
    crx_lock_release(&shared.lock);
    for (int index = 0; index < WAITERS; index++) {
        CHECK(pthread_join(waiters[index], NULL) == 0);
    }
    CHECK_EQUAL(shared.count, WAITERS);
    CHECK_EQUAL(AO_int_load(&shared.lock.word), 0);
}

// A release can overlook a thread that falls asleep at the same time (crx_lock.h, claim 2). The test simulates this
// case: it sets the word to 1 (held, no sleeper) while a thread sleeps. That thread must wake by itself.
static void sleeping_thread_without_a_wake_checks_the_lock_again(void) {
    struct shared shared = {{0}, 0};
    pthread_t waiter;
    crx_lock_acquire(&shared.lock);
    CHECK(pthread_create(&waiter, NULL, wait_for_it, &shared) == 0);
    while (AO_int_load(&shared.lock.word) != 2) {
        usleep(100);
    }
    AO_int_store(&shared.lock.word, 1);
    crx_lock_release(&shared.lock);
    CHECK(pthread_join(waiter, NULL) == 0);
    CHECK_EQUAL(shared.count, 1);
    CHECK_EQUAL(AO_int_load(&shared.lock.word), 0);
}

static void *hold_lock_for_a_while(void *argument) {
    struct shared *shared = argument;
    crx_lock_acquire(&shared->lock);
    while (AO_int_load(&shared->lock.word) != 2) {
        usleep(100);
    }
    // Longer than the longest sleep of a waiting thread.
    usleep(5000);
    crx_lock_release(&shared->lock);
    return NULL;
}

/// The futex call of a waiting thread ends with a timeout, and so sets `errno`.
static void waiting_for_a_lock_leaves_errno_as_it_was(void) {
    struct shared shared = {{0}, 0};
    pthread_t holder;
    CHECK(pthread_create(&holder, NULL, hold_lock_for_a_while, &shared) == 0);
    while (AO_int_load(&shared.lock.word) == 0) {
        usleep(100);
    }
    errno = ERANGE;
    crx_lock_acquire(&shared.lock);
    CHECK_EQUAL(errno, ERANGE);
    crx_lock_release(&shared.lock);
    CHECK(pthread_join(holder, NULL) == 0);
}

// A child process requests more memory than the system has. It must abort and print the memory's purpose.
static void expect_report_of(void *(*allocate)(size_t size, const char *what)) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        allocate(SIZE_MAX / 2, "a test");
        _exit(0);
    }
    close(ends[1]);
    char said[4096];
    size_t length = 0;
    for (ssize_t more; length < sizeof said - 1 &&
        (more = read(ends[0], said + length, sizeof said - 1 - length)) > 0;) {
        length += (size_t)more;
    }
    said[length] = 0;
    close(ends[0]);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK(strstr(said, "no memory for a test (9223372036854775807 bytes)") != NULL);
}

static void failed_allocation_is_reported(void) {
    expect_report_of(crx_allocate);
}

static void failed_allocation_of_an_array_is_reported(void) {
    expect_report_of(crx_allocate_array);
}

static long long mapped(void) {
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK(fscanf(file, "%lld", &pages) == 1);
    CHECK(fclose(file) == 0);
    return pages * sysconf(_SC_PAGESIZE);
}

// The arrays do not come from malloc, so leak checkers do not see them.
static void freed_arrays_return_their_memory_to_the_system(void) {
    enum { ARRAY = 1 << 20, ARRAYS = 1000 };
    long long earlier = mapped();
    for (int index = 0; index < ARRAYS; index++) {
        char *array = crx_allocate_array(ARRAY, "a test");
        array[0] = array[ARRAY - 1] = 1;
        crx_free_array(array, ARRAY);
    }
    CHECK(mapped() - earlier < (long long)ARRAY * ARRAYS / 2);
}

void lock_tests(void) {
    RUN(a_lock_is_free_held_and_free_again);
    RUN(waiting_thread_sleeps_until_the_lock_is_released);
    RUN(sleeping_thread_without_a_wake_checks_the_lock_again);
    RUN(waiting_for_a_lock_leaves_errno_as_it_was);
    RUN(failed_allocation_is_reported);
    RUN(failed_allocation_of_an_array_is_reported);
    RUN(freed_arrays_return_their_memory_to_the_system);
}
