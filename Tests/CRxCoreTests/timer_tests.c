#define _GNU_SOURCE
#include "CRxCore.h"
#include "check.h"
#include "tests.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// A service cannot be freed, so most tests share this one.
static struct crx_timers service;

struct alarm {
    struct crx_timer timer;
    uint64_t deadline;
    AO_t fired;
    AO_t early;
    /// The number of timers that had fired before this one.
    AO_t order;
};

static AO_t fires;

/// A function that `fire` calls first; may be null.
static void (*meanwhile)(void);

static void fire(struct crx_timer *timer) {
    struct alarm *alarm = (struct alarm *)timer;
    if (meanwhile != NULL) {
        meanwhile();
    }
    CHECK_EQUAL(crx_thread_locks_held(), 0);
    if (crx_timers_now() < alarm->deadline) {
        AO_fetch_and_add_full(&alarm->early, 1);
    }
    AO_store(&alarm->order, AO_fetch_and_add_full(&fires, 1));
    AO_fetch_and_add_full(&alarm->fired, 1);
}

static bool start(struct alarm *alarm, struct crx_timer_group *group, uint64_t span) {
    uint64_t now = crx_timers_now();
    alarm->deadline = now + span;
    return crx_timer_start(&service, &alarm->timer, group, now, alarm->deadline);
}

static void wait_until_fired(struct alarm *alarm, AO_t times) {
    uint64_t since = crx_timers_now();
    while (AO_load_acquire(&alarm->fired) < times) {
        CHECK(crx_timers_now() - since < 20000000000ull);
        usleep(100);
    }
}

static void a_timer_fires_once_and_not_early(void) {
    struct alarm alarm;
    for (uint64_t span = 0; span < 4000000; span += 333333) {
        memset(&alarm, 0, sizeof alarm);
        CHECK(start(&alarm, NULL, span));
        wait_until_fired(&alarm, 1);
        CHECK_EQUAL(alarm.early, 0);
        CHECK(!crx_timer_cancel(&service, &alarm.timer));
    }
    usleep(2000);
    CHECK_EQUAL(AO_load_acquire(&alarm.fired), 1);
    CHECK_EQUAL(crx_timers_pending(&service), 0);
}

// Repeats with a larger margin until all timers are started before the first one is due.
static void timers_fire_in_the_order_of_their_deadlines(void) {
    enum { COUNT = 500 };
    struct alarm *alarms = calloc(COUNT, sizeof *alarms);
    bool in_time = false;
    for (uint64_t margin = 30000000; !in_time; margin *= 2) {
        memset(alarms, 0, COUNT * sizeof *alarms);
        uint64_t now = crx_timers_now();
        for (int index = 0; index < COUNT; index++) {
            alarms[index].deadline = now + margin + (uint64_t)((index * 199) % COUNT) * 3000;
            CHECK(crx_timer_start(&service, &alarms[index].timer, NULL, now, alarms[index].deadline));
        }
        in_time = crx_timers_now() < now + margin;
        for (int index = 0; index < COUNT; index++) {
            wait_until_fired(&alarms[index], 1);
            CHECK_EQUAL(alarms[index].early, 0);
        }
    }
    for (int one = 0; one < COUNT; one++) {
        for (int other = 0; other < COUNT; other++) {
            CHECK((alarms[one].deadline < alarms[other].deadline) == (alarms[one].order < alarms[other].order) ||
                one == other);
        }
    }
    free(alarms);
}

static void an_earlier_timer_wakes_the_thread(void) {
    struct alarm late = {0}, early = {0};
    CHECK(start(&late, NULL, 3600000000000ull));
    // Gives the timer thread time to fall asleep.
    usleep(20000);
    CHECK(start(&early, NULL, 1000000));
    wait_until_fired(&early, 1);
    CHECK(crx_timers_now() - early.deadline < 5000000000ull);
    CHECK(crx_timer_cancel(&service, &late.timer));
    CHECK_EQUAL(late.fired, 0);
}

static void a_cancelled_timer_does_not_fire(void) {
    struct alarm alarm = {0};
    CHECK(start(&alarm, NULL, 3600000000000ull));
    CHECK_EQUAL(crx_timers_pending(&service), 1);
    CHECK(crx_timer_cancel(&service, &alarm.timer));
    CHECK(!crx_timer_cancel(&service, &alarm.timer));
    CHECK_EQUAL(crx_timers_pending(&service), 0);
}

static void timer_with_deadline_never_is_not_started(void) {
    struct alarm alarm = {0};
    CHECK(!crx_timer_start(&service, &alarm.timer, NULL, crx_timers_now(), CRX_NEVER));
    CHECK(!crx_timer_cancel(&service, &alarm.timer));
}

static void last_deadline_is_accepted_and_no_later_one(void) {
    struct alarm alarm = {0};
    CHECK(crx_timer_start(&service, &alarm.timer, NULL, crx_timers_now(), CRX_WHEEL_LAST));
    CHECK_EQUAL(crx_timers_pending(&service), 1);
    CHECK(crx_timer_cancel(&service, &alarm.timer));
    CHECK(!crx_timer_start(&service, &alarm.timer, NULL, crx_timers_now(), CRX_WHEEL_LAST + 1));
    CHECK(!crx_timer_cancel(&service, &alarm.timer));
    CHECK_EQUAL(crx_timers_pending(&service), 0);
}

static void a_timer_that_is_due_no_earlier_does_not_wake_the_thread(void) {
    struct alarm first = {0}, second = {0};
    uint64_t now = crx_timers_now(), deadline = now + 3600000000000ull;
    unsigned wakes = 0;
    CHECK(crx_timer_start(&service, &first.timer, NULL, now, deadline));
    // Waits until the thread sleeps for the first timer.
    for (bool sleeps = false; !sleeps;) {
        CHECK(crx_timers_now() - now < 20000000000ull);
        usleep(100);
        crx_lock_acquire(&service.lock);
        sleeps = service.planned != 0 && service.planned != CRX_NEVER;
        wakes = service.wakes;
        crx_lock_release(&service.lock);
    }
    CHECK(crx_timer_start(&service, &second.timer, NULL, now, deadline));
    crx_lock_acquire(&service.lock);
    CHECK_EQUAL(service.wakes, wakes);
    crx_lock_release(&service.lock);
    CHECK(crx_timer_cancel(&service, &first.timer));
    CHECK(crx_timer_cancel(&service, &second.timer));
}

// The second timer is due before the minimum time has passed. If the timer thread is late, both timers fire in one
// check, and the test repeats.
static void two_checks_that_fire_timers_are_the_minimum_time_apart(void) {
    enum { TRIES = 200 };
    bool is_seen = false;
    for (int tries = 0; tries < TRIES && !is_seen; tries++) {
        struct alarm first = {0}, second = {0};
        uint64_t now = crx_timers_now();
        first.deadline = now + 1000000;
        second.deadline = first.deadline + 200000;
        CHECK(crx_timer_start(&service, &first.timer, NULL, now, first.deadline));
        CHECK(crx_timer_start(&service, &second.timer, NULL, now, second.deadline));
        for (bool is_pending = true; is_pending; sched_yield()) {
            crx_lock_acquire(&service.lock);
            is_pending = crx_timer_is_pending_locked(&second.timer);
            if (is_pending && !crx_timer_is_pending_locked(&first.timer) && service.planned != 0) {
                CHECK(service.planned >= service.resting);
                is_seen = true;
            }
            crx_lock_release(&service.lock);
        }
        wait_until_fired(&first, 1);
        wait_until_fired(&second, 1);
    }
}

static void check_that_fires_a_timer_delays_the_next_check(void) {
    enum { REST = 250000 };
    struct alarm alarm = {0};
    CHECK(start(&alarm, NULL, 0));
    wait_until_fired(&alarm, 1);
    crx_lock_acquire(&service.lock);
    uint64_t rested = service.resting;
    crx_lock_release(&service.lock);
    CHECK(rested >= alarm.deadline + REST);
    CHECK(rested <= crx_timers_now() + REST);
}

static bool timer_threads_sleep(void) {
    bool sleep = true;
    DIR *threads = opendir("/proc/self/task");
    CHECK(threads != NULL);
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        char path[300], line[300] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) {
            continue;
        }
        if (fgets(line, sizeof line, file) != NULL && strstr(line, "(rx.timers) ") != NULL) {
            sleep = sleep && strstr(line, "(rx.timers) S") != NULL;
        }
        fclose(file);
    }
    closedir(threads);
    return sleep;
}

// The timer thread must sleep again after it was woken for an earlier timer. Skipped under qemu, which may report
// another thread state.
static void timer_thread_sleeps_while_no_timer_is_due(void) {
    enum { LOOKS = 30 };
    if (getenv("CRX_TESTS_EMULATED") != NULL) {
        return;
    }
    CHECK(AO_int_load(&service.wakes) > 0);
    // In the second round, a timer is pending that is due much later.
    for (int timers = 0; timers < 2; timers++) {
        struct alarm late = {0};
        CHECK(timers == 0 || start(&late, NULL, 3600000000000ull));
        uint64_t since = crx_timers_now();
        for (int sleeps = 0; sleeps < LOOKS;) {
            CHECK(crx_timers_now() - since < 20000000000ull);
            usleep(1000);
            sleeps = timer_threads_sleep() ? sleeps + 1 : 0;
        }
        CHECK(crx_timer_cancel(&service, &late.timer) == (timers == 1));
    }
}

static void a_group_is_open_whatever_was_in_its_memory(void) {
    struct alarm alarm = {0};
    struct crx_timer_group group;
    memset(&group, 0xff, sizeof group);
    crx_timer_group_init(&group);
    CHECK(start(&alarm, &group, 3600000000000ull));
    CHECK(!crx_timer_group_is_idle(&service, &group));
    CHECK(crx_timer_group_close(&service, &group) == &alarm.timer);
    CHECK(crx_timer_group_is_idle(&service, &group));
}

static void closed_group_returns_its_timers_and_starts_none(void) {
    enum { COUNT = 1000 };
    struct alarm *alarms = calloc(COUNT, sizeof *alarms), other = {0};
    struct crx_timer_group group;
    crx_timer_group_init(&group);
    CHECK(crx_timer_group_is_idle(&service, &group));
    for (int index = 0; index < COUNT; index++) {
        CHECK(start(&alarms[index], &group, 3600000000000ull + (uint64_t)index));
    }
    CHECK(start(&other, NULL, 3600000000000ull));
    CHECK(!crx_timer_group_is_idle(&service, &group));
    CHECK(crx_timer_cancel(&service, &alarms[7].timer));
    int count = 0;
    for (struct crx_timer *timer = crx_timer_group_close(&service, &group); timer != NULL;
        timer = crx_timer_next_closed(timer)) {
        CHECK(timer >= &alarms[0].timer && timer <= &alarms[COUNT - 1].timer && timer != &alarms[7].timer);
        CHECK(!crx_timer_cancel(&service, timer));
        count++;
    }
    CHECK_EQUAL(count, COUNT - 1);
    CHECK(!start(&alarms[7], &group, 0));
    CHECK_EQUAL(crx_timers_pending(&service), 1);
    CHECK(crx_timer_cancel(&service, &other.timer));
    free(alarms);
}

static AO_t held;

static void hold(void) {
    AO_store_release(&held, 1);
    usleep(50000);
}

// `hold` keeps the batch in progress during the close.
static void close_waits_for_the_batch_in_progress(void) {
    struct alarm first = {0}, second = {0};
    struct crx_timer_group group;
    crx_timer_group_init(&group);
    uint64_t now = crx_timers_now();
    meanwhile = hold;
    first.deadline = second.deadline = now + 20000000;
    CHECK(crx_timer_start(&service, &first.timer, NULL, now, first.deadline));
    CHECK(crx_timer_start(&service, &second.timer, &group, now, second.deadline));
    while (AO_load_acquire(&held) == 0) {
        usleep(100);
    }
    bool isClosed = crx_timer_group_close(&service, &group) != NULL;
    CHECK_EQUAL(AO_load_acquire(&second.fired), !isClosed);
    wait_until_fired(&first, 1);
    CHECK(crx_timer_group_close(&service, &group) == NULL);
    meanwhile = NULL;
}

enum { WAITING = 4 };

static AO_t asked, answered;

static void hold_until_all_have_called(void) {
    AO_store_release(&held, 1);
    while (AO_load_acquire(&asked) < WAITING) {
        usleep(100);
    }
    // Gives the threads time to fall asleep. If one is late, the test checks less.
    usleep(50000);
}

static void *check_group_is_idle(void *group) {
    AO_fetch_and_add_full(&asked, 1);
    CHECK(crx_timer_group_is_idle(&service, group));
    AO_fetch_and_add_full(&answered, 1);
    return NULL;
}

static void end_of_a_batch_wakes_all_waiting_threads(void) {
    struct alarm alarm = {0};
    struct crx_timer_group groups[WAITING];
    pthread_t threads[WAITING];
    AO_store(&held, 0);
    meanwhile = hold_until_all_have_called;
    CHECK(start(&alarm, NULL, 0));
    while (AO_load_acquire(&held) == 0) {
        usleep(100);
    }
    for (int index = 0; index < WAITING; index++) {
        crx_timer_group_init(&groups[index]);
        CHECK_EQUAL(pthread_create(&threads[index], NULL, check_group_is_idle, &groups[index]), 0);
    }
    // No other batch follows, so the end of this batch must wake all threads.
    uint64_t since = crx_timers_now();
    while (AO_load_acquire(&answered) < WAITING) {
        CHECK(crx_timers_now() - since < 20000000000ull);
        usleep(100);
    }
    for (int index = 0; index < WAITING; index++) {
        pthread_join(threads[index], NULL);
    }
    CHECK_EQUAL(AO_load(&alarm.fired), 1);
    meanwhile = NULL;
}

// MARK: The thread

static struct crx_timers other, third, fourth;
static AO_t refusals;

static void refused(int failure) {
    CHECK(failure != 0 && crx_thread_locks_held() == 0);
    AO_fetch_and_add_full(&refusals, 1);
}

// With a size beyond the address space, creating a thread fails.
static void set_default_stack(size_t size) {
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, size) == 0);
    CHECK(pthread_setattr_default_np(&attributes) == 0);
    CHECK(pthread_attr_destroy(&attributes) == 0);
}

static size_t default_stack(void) {
    pthread_attr_t attributes;
    size_t size;
    CHECK(pthread_getattr_default_np(&attributes) == 0 && pthread_attr_getstacksize(&attributes, &size) == 0);
    return size;
}

static void refused_thread_is_requested_again(void) {
    size_t usual = default_stack();
    struct alarm alarms[3] = {0};
    uint64_t now = crx_timers_now();
    crx_timers_init(&other, fire, refused);
    set_default_stack((size_t)1 << 60);
    for (int index = 0; index < 2; index++) {
        CHECK(crx_timer_start(&other, &alarms[index].timer, NULL, now, now + 1));
        CHECK_EQUAL(AO_load_acquire(&refusals), 1);
    }
    set_default_stack(usual);
    CHECK_EQUAL(crx_timers_pending(&other), 2);
    CHECK(crx_timer_start(&other, &alarms[2].timer, NULL, now, now + 2));
    for (int index = 0; index < 3; index++) {
        wait_until_fired(&alarms[index], 1);
    }
    CHECK_EQUAL(AO_load_acquire(&refusals), 1);
}

// The test sets `isStarted`, as if another thread were creating the timer thread. The creation may still fail, so
// `crx_timers_ask_again` returns false.
static void failed_thread_start_is_retried_until_the_thread_runs(void) {
    size_t usual = default_stack();
    struct alarm alarm = {0};
    uint64_t now = crx_timers_now();
    crx_timers_init(&fourth, fire, refused);
    set_default_stack((size_t)1 << 60);
    CHECK(crx_timer_start(&fourth, &alarm.timer, NULL, now, now + 1));
    CHECK(!crx_timers_ask_again(&fourth) && !fourth.isStarted);
    set_default_stack(usual);
    fourth.isStarted = true;
    CHECK(!crx_timers_ask_again(&fourth));
    CHECK_EQUAL(crx_timers_pending(&fourth), 1);
    fourth.isStarted = false;
    while (!crx_timers_ask_again(&fourth)) {
        CHECK(crx_timers_now() - now < 20000000000ull);
        usleep(100);
    }
    wait_until_fired(&alarm, 1);
}

static AO_t is_current;

static void note_whether_it_is_current(void) {
    AO_store(&is_current, crx_timers_is_current(&service));
}

static void the_thread_knows_itself(void) {
    struct alarm alarm = {0};
    meanwhile = note_whether_it_is_current;
    CHECK(start(&alarm, NULL, 0));
    wait_until_fired(&alarm, 1);
    meanwhile = NULL;
    CHECK(AO_load(&is_current) && !crx_timers_is_current(&service) && !crx_timers_is_current(&third));
}

struct state {
    sigset_t mask;
    cpu_set_t processors;
    int policy, nice;
};

static void get_state(struct state *state) {
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &state->mask) == 0);
    CHECK(sched_getaffinity(0, sizeof state->processors, &state->processors) == 0);
    state->policy = sched_getscheduler(0);
    state->nice = getpriority(PRIO_PROCESS, 0);
}

static struct state served;

static void note_state(void) {
    get_state(&served);
}

/// Whether the system permits lowering the nice value again.
static AO_t mayBeLessNice;

static void *start_with_unusual_scheduling(void *alarm) {
    int nice = getpriority(PRIO_PROCESS, 0);
    CHECK(setpriority(PRIO_PROCESS, 0, nice + 1) == 0);
    AO_store_release(&mayBeLessNice, setpriority(PRIO_PROCESS, 0, nice) == 0);
    CHECK(setpriority(PRIO_PROCESS, 0, nice + 3) == 0);
    struct sched_param parameters = {0};
    CHECK(sched_setscheduler(0, SCHED_BATCH, &parameters) == 0);
    cpu_set_t processors;
    CHECK(sched_getaffinity(0, sizeof processors, &processors) == 0);
    for (int processor = 0, kept = 0; processor < CPU_SETSIZE; processor++) {
        if (CPU_ISSET(processor, &processors) && kept++ > 0) {
            CPU_CLR(processor, &processors);
        }
    }
    CHECK(sched_setaffinity(0, sizeof processors, &processors) == 0);
    uint64_t now = crx_timers_now();
    CHECK(crx_timer_start(&third, alarm, NULL, now, now + 1));
    sigset_t mask;
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
    CHECK(!sigismember(&mask, SIGTERM));
    return NULL;
}

// Skipped under qemu, which may report another signal mask or scheduling.
static void the_thread_takes_no_signals_and_has_the_main_threads_scheduling(void) {
    if (getenv("CRX_TESTS_EMULATED") != NULL) {
        return;
    }
    struct alarm alarm = {0};
    struct state mine;
    pthread_t thread;
    get_state(&mine);
    crx_timers_init(&third, fire, refused);
    meanwhile = note_state;
    CHECK(pthread_create(&thread, NULL, start_with_unusual_scheduling, &alarm.timer) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    wait_until_fired(&alarm, 1);
    meanwhile = NULL;
    static const int blocked[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGUSR1, SIGALRM, SIGPROF, SIGPIPE};
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (size_t index = 0; index < sizeof blocked / sizeof *blocked; index++) {
        CHECK(sigismember(&served.mask, blocked[index]));
    }
    for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) {
        CHECK(!sigismember(&served.mask, faults[index]));
    }
    CHECK(CPU_EQUAL(&served.processors, &mine.processors));
    CHECK_EQUAL(served.policy, mine.policy);
    if (AO_load_acquire(&mayBeLessNice)) {
        CHECK_EQUAL(served.nice, mine.nice);
    }
}

static int slack;

static void note_slack(void) {
    slack = prctl(PR_GET_TIMERSLACK, 0ul, 0ul, 0ul, 0ul);
}

// The timer thread requests a slack of one microsecond. Not every system grants this, so the test makes the same
// request and expects the same slack.
static void timer_thread_has_the_least_timer_slack(void) {
    struct alarm alarm = {0};
    int usual = prctl(PR_GET_TIMERSLACK, 0ul, 0ul, 0ul, 0ul);
    if (getenv("CRX_TESTS_EMULATED") != NULL || usual <= 0) {
        return;
    }
    prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);
    int wanted = prctl(PR_GET_TIMERSLACK, 0ul, 0ul, 0ul, 0ul);
    prctl(PR_SET_TIMERSLACK, (unsigned long)usual, 0ul, 0ul, 0ul);
    meanwhile = note_slack;
    CHECK(start(&alarm, NULL, 0));
    wait_until_fired(&alarm, 1);
    meanwhile = NULL;
    CHECK_EQUAL(slack, wanted);
}

// MARK: Stress

enum { STRESS_THREADS = 4, STRESS_ALARMS = 400 };

struct storm {
    struct alarm alarms[STRESS_THREADS][STRESS_ALARMS];
    struct crx_timer_group groups[STRESS_THREADS];
    int rounds;
    AO_t next;
};

/// Each timer ends once: it fires, is cancelled, or is returned by the close of its group.
static void *storm(void *argument) {
    struct storm *storm = argument;
    int index = (int)AO_fetch_and_add_full(&storm->next, 1);
    unsigned dice = (unsigned)index + 1;
    struct crx_timer_group *group = &storm->groups[index];
    crx_timer_group_init(group);
    for (int round = 0; round < storm->rounds; round++) {
        for (int at = 0; at < STRESS_ALARMS; at++) {
            struct alarm *alarm = &storm->alarms[index][at];
            dice = dice * 1664525u + 1013904223u;
            AO_t fired = AO_load_acquire(&alarm->fired);
            CHECK(start(alarm, at % 2 == 0 ? group : NULL, (dice >> 8) % 400000));
            CHECK(fired <= AO_load_acquire(&alarm->fired));
        }
        for (int at = 0; at < STRESS_ALARMS; at++) {
            struct alarm *alarm = &storm->alarms[index][at];
            dice = dice * 1664525u + 1013904223u;
            AO_t before = (AO_t)round;
            if ((dice >> 8) % 4 == 0 && crx_timer_cancel(&service, &alarm->timer)) {
                // The cancelled timer is counted as fired, so that all counts are equal at the end.
                CHECK_EQUAL(AO_load_acquire(&alarm->fired), before);
                AO_fetch_and_add_full(&alarm->fired, 1);
            }
        }
        for (int at = 0; at < STRESS_ALARMS; at++) {
            struct alarm *alarm = &storm->alarms[index][at];
            wait_until_fired(alarm, (AO_t)round + 1);
            CHECK_EQUAL(AO_load_acquire(&alarm->fired), round + 1);
        }
        CHECK(crx_timer_group_is_idle(&service, group));
    }
    // The deadlines are spread, so that some timers fire during the close.
    for (int at = 0; at < STRESS_ALARMS; at++) {
        CHECK(start(&storm->alarms[index][at], group, (uint64_t)at * 1000));
    }
    int fired = 0, closed = 0;
    for (struct crx_timer *timer = crx_timer_group_close(&service, group); timer != NULL;
        timer = crx_timer_next_closed(timer)) {
        closed++;
    }
    for (int at = 0; at < STRESS_ALARMS; at++) {
        struct alarm *alarm = &storm->alarms[index][at];
        fired += (int)(AO_load_acquire(&alarm->fired) - (AO_t)storm->rounds);
        CHECK_EQUAL(alarm->early, 0);
    }
    CHECK_EQUAL(fired + closed, STRESS_ALARMS);
    CHECK_EQUAL(crx_thread_locks_held(), 0);
    return NULL;
}

void timer_stress_tests(double scale) {
    struct storm *shared = calloc(1, sizeof *shared);
    shared->rounds = (int)(60 * scale) + 1;
    pthread_t threads[STRESS_THREADS];
    for (int index = 0; index < STRESS_THREADS; index++) {
        CHECK(pthread_create(&threads[index], NULL, storm, shared) == 0);
    }
    for (int index = 0; index < STRESS_THREADS; index++) {
        CHECK(pthread_join(threads[index], NULL) == 0);
    }
    CHECK_EQUAL(crx_timers_pending(&service), 0);
    free(shared);
    puts("ok timers of four threads end once each");
}

void timer_tests(void) {
    crx_timers_init(&service, fire, refused);
    RUN(a_timer_fires_once_and_not_early);
    RUN(timers_fire_in_the_order_of_their_deadlines);
    RUN(an_earlier_timer_wakes_the_thread);
    RUN(a_cancelled_timer_does_not_fire);
    RUN(timer_with_deadline_never_is_not_started);
    RUN(last_deadline_is_accepted_and_no_later_one);
    RUN(a_timer_that_is_due_no_earlier_does_not_wake_the_thread);
    RUN(two_checks_that_fire_timers_are_the_minimum_time_apart);
    RUN(check_that_fires_a_timer_delays_the_next_check);
    RUN(timer_thread_sleeps_while_no_timer_is_due);
    RUN(a_group_is_open_whatever_was_in_its_memory);
    RUN(closed_group_returns_its_timers_and_starts_none);
    RUN(close_waits_for_the_batch_in_progress);
    RUN(end_of_a_batch_wakes_all_waiting_threads);
    RUN(refused_thread_is_requested_again);
    RUN(failed_thread_start_is_retried_until_the_thread_runs);
    RUN(the_thread_knows_itself);
    RUN(the_thread_takes_no_signals_and_has_the_main_threads_scheduling);
    RUN(timer_thread_has_the_least_timer_slack);
}
