#include "CRxCore.h"
#include "check.h"
#include "tests.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A service stays for the life of the process: all tests share one.
static struct crx_timers service;

struct alarm {
    struct crx_timer timer;
    /// What the last start said.
    uint64_t deadline;
    AO_t fired;
    AO_t early;
    /// The place among those that fired.
    AO_t order;
};

static AO_t fires;

static void fire(struct crx_timer *timer) {
    struct alarm *alarm = (struct alarm *)timer;
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

static void timers_fire_in_the_order_of_their_deadlines(void) {
    enum { COUNT = 500 };
    struct alarm *alarms = calloc(COUNT, sizeof *alarms);
    uint64_t now = crx_timers_now();
    for (int index = 0; index < COUNT; index++) {
        alarms[index].deadline = now + 30000000 + (uint64_t)((index * 199) % COUNT) * 3000;
        CHECK(crx_timer_start(&service, &alarms[index].timer, NULL, now, alarms[index].deadline));
    }
    for (int index = 0; index < COUNT; index++) {
        wait_until_fired(&alarms[index], 1);
        CHECK_EQUAL(alarms[index].early, 0);
    }
    for (int one = 0; one < COUNT; one++) {
        for (int other = 0; other < COUNT; other++) {
            CHECK((alarms[one].deadline < alarms[other].deadline) == (alarms[one].order < alarms[other].order) || one == other);
        }
    }
    free(alarms);
}

// The thread sleeps for the later one when the earlier one comes.
static void an_earlier_timer_wakes_the_thread(void) {
    struct alarm late = {0}, early = {0};
    CHECK(start(&late, NULL, 3600000000000ull));
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

static void a_timer_that_never_comes_is_not_started(void) {
    struct alarm alarm = {0};
    CHECK(!crx_timer_start(&service, &alarm.timer, NULL, crx_timers_now(), CRX_NEVER));
    CHECK(!crx_timer_cancel(&service, &alarm.timer));
}

static void a_closed_group_gives_its_timers_back_and_starts_none(void) {
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
    for (struct crx_timer *timer = crx_timer_group_close(&service, &group); timer != NULL; timer = crx_timer_next_closed(timer)) {
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

// The child has the parent's timers as copies, and serves them once it starts one of its own. Left out where the child of a fork
// can't start threads, as under qemu's emulation of one process.
static void the_child_of_a_fork_has_timers_of_its_own(void) {
    if (getenv("CRX_TESTS_WITHOUT_FORK") != NULL) {
        return;
    }
    struct alarm inherited = {0};
    CHECK(start(&inherited, NULL, 3600000000000ull));
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct alarm own = {0};
        bool isRight = crx_timer_cancel(&service, &inherited.timer) && start(&own, NULL, 1000000);
        for (int left = 2000; left > 0 && AO_load_acquire(&own.fired) == 0; left--) {
            usleep(1000);
        }
        _exit(isRight && own.fired == 1 && own.early == 0 ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(crx_timer_cancel(&service, &inherited.timer));
}

// MARK: Stress

enum { STRESS_THREADS = 4, STRESS_ALARMS = 400 };

struct storm {
    struct alarm alarms[STRESS_THREADS][STRESS_ALARMS];
    struct crx_timer_group groups[STRESS_THREADS];
    int rounds;
    AO_t next;
};

/// Each start ends once: by a cancel that says so, a close, or a fire.
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
                // Counted as if it had fired, so that all have the same count in the end.
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
    // Closed while some of them fire: what neither comes back nor has fired is lost, what does both has ended twice.
    for (int at = 0; at < STRESS_ALARMS; at++) {
        CHECK(start(&storm->alarms[index][at], group, (uint64_t)at * 1000));
    }
    int fired = 0, closed = 0;
    for (struct crx_timer *timer = crx_timer_group_close(&service, group); timer != NULL; timer = crx_timer_next_closed(timer)) {
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
    crx_timers_init(&service, fire);
    RUN(a_timer_fires_once_and_not_early);
    RUN(timers_fire_in_the_order_of_their_deadlines);
    RUN(an_earlier_timer_wakes_the_thread);
    RUN(a_cancelled_timer_does_not_fire);
    RUN(a_timer_that_never_comes_is_not_started);
    RUN(a_closed_group_gives_its_timers_back_and_starts_none);
    RUN(the_child_of_a_fork_has_timers_of_its_own);
}
