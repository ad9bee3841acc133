#include "CRxCore.h"
#include "check.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

enum { TICK = 1 << CRX_WHEEL_TICK_SHIFT };

static struct crx_wheel *new_wheel(uint64_t now) {
    struct crx_wheel *wheel = malloc(sizeof *wheel);
    crx_wheel_init(wheel, now);
    return wheel;
}

static struct crx_timer *pop(struct crx_wheel *wheel, uint64_t now) {
    unsigned moves = 1000000;
    return crx_wheel_pop(wheel, now, &moves);
}

static void an_empty_wheel_never_looks(void) {
    struct crx_wheel *wheel = new_wheel(12345);
    CHECK(crx_wheel_next(wheel) == CRX_NEVER);
    CHECK(pop(wheel, 1000000000) == NULL);
    free(wheel);
}

// For each place a deadline can have: never early, at most a tick late, and the next look is not after it.
static void each_deadline_is_met_within_a_tick(void) {
    static const uint64_t starts[] = {0, 1, TICK - 1, TICK, 64ull * TICK - 1, 1234567890123456789ull};
    for (size_t start = 0; start < sizeof starts / sizeof *starts; start++) {
        for (int shift = 0; shift < 63; shift++) {
            for (int around = -1; around <= 1; around++) {
                uint64_t now = starts[start];
                uint64_t deadline = now + (1ull << shift) + (uint64_t)(int64_t)around;
                struct crx_wheel *wheel = new_wheel(now);
                struct crx_timer timer = {0};
                crx_wheel_insert(wheel, &timer, deadline);
                CHECK(crx_timer_is_pending_locked(&timer));
                // As a thread would: look when it says, until it is there.
                int looks = 0;
                struct crx_timer *popped = NULL;
                while (popped == NULL) {
                    uint64_t next = crx_wheel_next(wheel);
                    CHECK(next <= deadline + TICK);
                    if (next > now) {
                        now = next;
                    }
                    popped = pop(wheel, now);
                    CHECK(popped == NULL || now >= deadline);
                    CHECK(++looks <= CRX_WHEEL_LEVELS + 1);
                }
                CHECK(popped == &timer && now < deadline + TICK && timer.deadline == deadline);
                CHECK(!crx_timer_is_pending_locked(&timer) && crx_wheel_next(wheel) == CRX_NEVER);
                free(wheel);
            }
        }
    }
}

static void the_last_deadline_has_a_place(void) {
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer timer = {0};
    crx_wheel_insert(wheel, &timer, CRX_WHEEL_LAST);
    CHECK(pop(wheel, CRX_WHEEL_LAST - TICK) == NULL);
    CHECK(pop(wheel, CRX_NEVER) == &timer);
    free(wheel);
}

static void one_tick_fires_in_the_order_of_deadlines_then_of_starting(void) {
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer timers[6];
    static const uint64_t behind[6] = {9, 3, 9, 1, 3, TICK};
    static const int order[6] = {3, 1, 4, 0, 2, 5};
    memset(timers, 0, sizeof timers);
    for (int index = 0; index < 6; index++) {
        crx_wheel_insert(wheel, &timers[index], 5000 * TICK + behind[index]);
    }
    for (int index = 0; index < 6; index++) {
        CHECK_EQUAL(pop(wheel, 5001 * TICK) - timers, order[index]);
    }
    free(wheel);
}

// A newcomer of the same tick must not overtake what is still on its way down.
static void a_newcomer_does_not_overtake_what_moves_down(void) {
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer old[3], young = {0};
    memset(old, 0, sizeof old);
    uint64_t deadline = 64 * 64 * TICK + 5 * TICK;
    for (int index = 0; index < 3; index++) {
        crx_wheel_insert(wheel, &old[index], deadline);
    }
    unsigned moves = 1;
    CHECK(crx_wheel_pop(wheel, 64 * 64 * TICK, &moves) == NULL && moves == 0);
    CHECK(crx_wheel_next(wheel) == 0);
    crx_wheel_insert(wheel, &young, deadline + 1);
    for (int index = 0; index < 3; index++) {
        CHECK(pop(wheel, deadline + 2 * TICK) == &old[index]);
    }
    CHECK(pop(wheel, deadline + 2 * TICK) == &young);
    free(wheel);
}

static void what_is_removed_is_not_looked_for(void) {
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer timers[64];
    memset(timers, 0, sizeof timers);
    for (int index = 0; index < 64; index++) {
        crx_wheel_insert(wheel, &timers[index], 1ull << (index < 62 ? index : 62));
    }
    for (int index = 0; index < 64; index++) {
        crx_wheel_remove(wheel, &timers[(index * 37) % 64]);
    }
    for (int level = 0; level < CRX_WHEEL_LEVELS; level++) {
        CHECK(wheel->used[level] == 0);
    }
    CHECK(crx_wheel_next(wheel) == CRX_NEVER);
    free(wheel);
}

// MARK: Against a model: an array that is searched

enum { TIMERS = 300 };

struct model {
    struct crx_timer timers[TIMERS];
    uint64_t started[TIMERS];
    uint64_t starts;
};

static int model_first(const struct model *model) {
    int first = -1;
    for (int index = 0; index < TIMERS; index++) {
        if (!crx_timer_is_pending_locked(&model->timers[index])) {
            continue;
        }
        if (first < 0 || model->timers[index].deadline < model->timers[first].deadline ||
            (model->timers[index].deadline == model->timers[first].deadline && model->started[index] < model->started[first])) {
            first = index;
        }
    }
    return first;
}

static uint64_t roll(uint64_t *state) {
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 20;
}

/// A span of any magnitude: the levels are then all used.
static uint64_t roll_span(uint64_t *state, unsigned bits) {
    return roll(state) & ((1ull << (roll(state) % bits)) - 1);
}

static void agrees_with_a_model(void) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t state = seed, now = roll(&state);
        struct crx_wheel *wheel = new_wheel(now);
        struct model *model = calloc(1, sizeof *model);
        for (int round = 0; round < 3000; round++) {
            int index = (int)(roll(&state) % TIMERS);
            struct crx_timer *timer = &model->timers[index];
            if (crx_timer_is_pending_locked(timer)) {
                crx_wheel_remove(wheel, timer);
            } else {
                if (roll(&state) % 2 == 0) {
                    crx_wheel_advance(wheel, now);
                }
                // Mostly so that the tick is whole: then order is exact.
                model->started[index] = model->starts++;
                crx_wheel_insert(wheel, timer, now + roll_span(&state, 36));
            }
            if (roll(&state) % 4 != 0) {
                continue;
            }
            now += roll_span(&state, 34);
            for (;;) {
                unsigned moves = (unsigned)(roll(&state) % 5);
                int first = model_first(model);
                uint64_t deadline = first < 0 ? CRX_NEVER : model->timers[first].deadline;
                CHECK(first < 0 || crx_wheel_next(wheel) <= deadline + TICK);
                struct crx_timer *popped = crx_wheel_pop(wheel, now, &moves);
                if (popped != NULL) {
                    CHECK_EQUAL(popped - model->timers, first);
                    CHECK(popped->deadline <= now);
                } else if (moves > 0) {
                    // Nothing is due, up to the tick that has begun.
                    CHECK(first < 0 || deadline > now - TICK);
                    break;
                }
            }
        }
        free(model);
        free(wheel);
    }
}

void wheel_tests(void) {
    RUN(an_empty_wheel_never_looks);
    RUN(each_deadline_is_met_within_a_tick);
    RUN(the_last_deadline_has_a_place);
    RUN(one_tick_fires_in_the_order_of_deadlines_then_of_starting);
    RUN(a_newcomer_does_not_overtake_what_moves_down);
    RUN(what_is_removed_is_not_looked_for);
    RUN(agrees_with_a_model);
}
