// crx_wheel.h states the numbered claims. More than 16 timers in one slot are a crowd.

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

static void empty_wheel_has_no_next_time(void) {
    struct crx_wheel *wheel = new_wheel(12345);
    CHECK(crx_wheel_next(wheel) == CRX_NEVER);
    CHECK(pop(wheel, 1000000000) == NULL);
    free(wheel);
}

// Tests deadlines on each level of the wheel. The timer must be popped at the first time that `crx_wheel_next` returns.
static void lone_timer_is_popped_within_a_tick(void) {
    static const uint64_t starts[] = {0, 1, TICK - 1, TICK, 64ull * TICK - 1, 1234567890123456789ull};
    for (size_t start = 0; start < sizeof starts / sizeof *starts; start++) {
        for (int shift = 0; shift < 63; shift++) {
            for (int around = -1; around <= 1; around++) {
                uint64_t now = starts[start];
                uint64_t deadline = now + (1ull << shift) + (uint64_t)(int64_t)around;
                struct crx_wheel *wheel = new_wheel(now);
                struct crx_timer timer = {0};
                CHECK(crx_wheel_insert(wheel, &timer, deadline) <= deadline + TICK);
                CHECK(crx_timer_is_pending_locked(&timer));
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
                    CHECK(++looks == 1);
                }
                CHECK(popped == &timer && now < deadline + TICK && timer.deadline == deadline);
                CHECK(!crx_timer_is_pending_locked(&timer) && crx_wheel_next(wheel) == CRX_NEVER);
                free(wheel);
            }
        }
    }
}

static void last_deadline_is_popped_in_its_tick(void) {
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

// The limit of 64 keeps a start cheap (crx_wheel.h, claim 4).
static void new_timer_passes_64_later_timers_of_its_tick(void) {
    enum { PASSED = 64 };
    for (int more = 0; more < 2; more++) {
        struct crx_wheel *wheel = new_wheel(0);
        struct crx_timer later[PASSED + 1], sooner = {0};
        memset(later, 0, sizeof later);
        for (int index = 0; index < PASSED + more; index++) {
            crx_wheel_insert(wheel, &later[index], 5 * TICK + 9);
        }
        crx_wheel_insert(wheel, &sooner, 5 * TICK + 1);
        for (int index = 0; index < more; index++) {
            CHECK(pop(wheel, 6 * TICK) == &later[index]);
        }
        CHECK(pop(wheel, 6 * TICK) == &sooner);
        free(wheel);
    }
}

// Tries the first tick of a slot that has begun, and a later tick of the slot.
static void new_timer_does_not_overtake_timers_that_move_down(void) {
    for (uint64_t tick = 0; tick <= 5; tick += 5) {
        struct crx_wheel *wheel = new_wheel(0);
        struct crx_timer old[3], young = {0};
        memset(old, 0, sizeof old);
        uint64_t deadline = (64 * 64 + tick) * TICK;
        for (int index = 0; index < 3; index++) {
            crx_wheel_insert(wheel, &old[index], deadline - 1);
        }
        unsigned moves = 1;
        CHECK(crx_wheel_pop(wheel, 64 * 64 * TICK, &moves) == NULL && moves == 0);
        CHECK(crx_wheel_next(wheel) == 0);
        crx_wheel_insert(wheel, &young, deadline);
        for (int index = 0; index < 3; index++) {
            CHECK(pop(wheel, deadline + 2 * TICK) == &old[index]);
        }
        CHECK(pop(wheel, deadline + 2 * TICK) == &young);
        free(wheel);
    }
}

// Tests a slot that has begun and a slot that is being prepared.
static void one_deadline_leaves_in_the_order_of_starting_while_its_slot_moves_down(void) {
    enum { OLD = 40, YOUNG = 3 };
    for (int isPrepared = 0; isPrepared < 2; isPrepared++) {
        for (int level = 1; level < 4; level++) {
            for (unsigned moved = 0; moved < 3 * OLD; moved++) {
                struct crx_wheel *wheel = new_wheel(0);
                struct crx_timer timers[OLD + YOUNG];
                memset(timers, 0, sizeof timers);
                uint64_t length = (uint64_t)TICK << (6 * level), deadline = 2 * length + length / 2 + 5 * TICK;
                for (int index = 0; index < OLD; index++) {
                    crx_wheel_insert(wheel, &timers[index], deadline);
                }
                unsigned moves = moved;
                uint64_t now = isPrepared ? length : 2 * length;
                CHECK(crx_wheel_pop(wheel, now, &moves) == NULL);
                if (isPrepared) {
                    crx_wheel_prepare(wheel, &moves);
                }
                for (int index = OLD; index < OLD + YOUNG; index++) {
                    crx_wheel_insert(wheel, &timers[index], deadline);
                }
                for (int index = 0; index < OLD + YOUNG; index++) {
                    CHECK_EQUAL(pop(wheel, deadline + TICK) - timers, index);
                }
                free(wheel);
            }
        }
    }
}

// The slot of `crowd` is only partly prepared when it begins, together with a slot of a lower level.
static void slots_that_begin_together_keep_the_order(void) {
    enum { CROWD = 20 };
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer elder = {0}, crowd[CROWD], young[2];
    memset(crowd, 0, sizeof crowd);
    memset(young, 0, sizeof young);
    uint64_t length = 64 * 64 * TICK, begins = 2 * length, deadline = begins + 8 * TICK;
    crx_wheel_insert(wheel, &elder, begins);
    for (int index = 0; index < CROWD; index++) {
        crx_wheel_insert(wheel, &crowd[index], deadline);
    }
    unsigned moves = 1;
    CHECK(crx_wheel_pop(wheel, length, &moves) == NULL);
    crx_wheel_prepare(wheel, &moves);
    CHECK_EQUAL(moves, 0);
    // This timer is in the tick of `elder`, but has an earlier deadline.
    crx_wheel_insert(wheel, &young[0], begins - TICK + 1);
    CHECK(pop(wheel, begins) == &young[0]);
    CHECK(pop(wheel, begins) == &elder);
    crx_wheel_insert(wheel, &young[1], deadline);
    for (int index = 0; index < CROWD; index++) {
        CHECK_EQUAL(pop(wheel, deadline) - crowd, index);
    }
    CHECK(pop(wheel, deadline) == &young[1]);
    free(wheel);
}

// The wheel moves a few timers at a time. So a timer that is due soon after a crowded slot begins waits for fewer than
// 100 moves.
static void crowd_delays_no_other_timer(void) {
    enum { CROWD = 30000, PIECE = 256 };
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer *crowd = calloc(CROWD, sizeof *crowd), due = {0};
    uint64_t length = (uint64_t)TICK << 24, begins = 3 * length, now = 0;
    for (uint64_t index = 0; index < CROWD; index++) {
        crx_wheel_insert(wheel, &crowd[index], begins + length / 8 + index * (length / 2 / CROWD));
    }
    crx_wheel_insert(wheel, &due, begins + 7 * TICK);
    unsigned looks = 0, waited = 0;
    for (struct crx_timer *popped = NULL; popped == NULL; looks++) {
        uint64_t next = crx_wheel_next(wheel);
        now = next > now ? next : now;
        unsigned moves = PIECE;
        popped = crx_wheel_pop(wheel, now, &moves);
        CHECK(popped == NULL || popped == &due);
        waited += now >= begins ? PIECE - moves : 0;
        if (popped == NULL && moves > 0) {
            moves = PIECE;
            crx_wheel_prepare(wheel, &moves);
        }
    }
    CHECK(waited < 100);
    CHECK(looks < 2 * CROWD / PIECE);
    for (int index = 0; index < CROWD; index++) {
        CHECK(pop(wheel, 5 * begins) == &crowd[index]);
    }
    free(crowd);
    free(wheel);
}

// The timer thread must not sleep past the time at which the crowd must be prepared.
static void insertion_that_makes_a_crowd_returns_its_preparation_time(void) {
    enum { CROWD = 17 };
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer timers[CROWD + 1];
    memset(timers, 0, sizeof timers);
    uint64_t length = 64 * 64 * TICK, deadline = 5 * length + 7 * TICK;
    for (int index = 0; index < CROWD + 1; index++) {
        uint64_t look = crx_wheel_insert(wheel, &timers[index], deadline);
        CHECK_EQUAL(look, index == CROWD - 1 ? 4 * length : deadline);
        CHECK_EQUAL(crx_wheel_next(wheel), index < CROWD - 1 ? deadline : 4 * length);
    }
    free(wheel);
}

// If `crx_wheel_next` returned a time before `begins`, the timer thread would check again without sleeping
// (crx_wheel.h, claim 6).
static void unprepared_next_crowd_is_due_when_its_slot_begins(void) {
    enum { CROWD = 17 };
    for (int level = 0; level < 2; level++) {
        struct crx_wheel *wheel = new_wheel(0);
        struct crx_timer timers[CROWD];
        memset(timers, 0, sizeof timers);
        uint64_t length = (uint64_t)TICK << (6 * level), begins = 2 * length;
        for (int index = 0; index < CROWD; index++) {
            crx_wheel_insert(wheel, &timers[index], begins + length - TICK);
        }
        CHECK(pop(wheel, begins - TICK) == NULL);
        CHECK_EQUAL(crx_wheel_next(wheel), begins);
        free(wheel);
    }
}

// The crowd is prepared during the slot before it. So `crx_wheel_next` must return the start of that slot.
static void crowd_behind_a_slot_with_few_timers_is_prepared(void) {
    enum { CROWD = 17 };
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer lone = {0}, crowd[CROWD];
    memset(crowd, 0, sizeof crowd);
    uint64_t length = 64 * 64 * TICK;
    crx_wheel_insert(wheel, &lone, 3 * length - 9 * TICK);
    CHECK_EQUAL(crx_wheel_next(wheel), 3 * length - 9 * TICK);
    for (int index = 0; index < CROWD; index++) {
        crx_wheel_insert(wheel, &crowd[index], 3 * length + 7 * TICK);
    }
    CHECK_EQUAL(crx_wheel_next(wheel), 2 * length);
    free(wheel);
}

static void cancelled_crowd_leaves_no_trace(void) {
    enum { CROWD = 17 };
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer timers[CROWD];
    memset(timers, 0, sizeof timers);
    uint64_t length = 64 * 64 * TICK, deadline = 5 * length + 7 * TICK;
    for (int index = 0; index < CROWD; index++) {
        crx_wheel_insert(wheel, &timers[index], deadline);
    }
    for (int index = 0; index < CROWD; index++) {
        crx_wheel_remove(wheel, &timers[index]);
    }
    crx_wheel_insert(wheel, &timers[0], deadline);
    CHECK_EQUAL(crx_wheel_next(wheel), deadline);
    free(wheel);
}

// The starting thread holds the service's lock, so it leaves the remaining timers to the timer thread.
static void start_that_advances_the_wheel_moves_at_most_four_timers(void) {
    enum { TIMERS_THERE = 20, MOVED = 4, MOST = 1000 };
    struct crx_wheel *wheel = new_wheel(0);
    struct crx_timer timers[TIMERS_THERE];
    memset(timers, 0, sizeof timers);
    uint64_t begins = 2 * 64 * 64 * TICK;
    for (int index = 0; index < TIMERS_THERE; index++) {
        crx_wheel_insert(wheel, &timers[index], begins + (5 * 64 + 7) * TICK);
    }
    crx_wheel_advance(wheel, begins);
    unsigned moves = MOST;
    CHECK(crx_wheel_pop(wheel, begins, &moves) == NULL);
    CHECK_EQUAL(MOST - moves, TIMERS_THERE - MOVED);
    free(wheel);
}

// The starting thread may read the clock before another thread advances the wheel. If the wheel turned back, it would
// pop `later` too early.
static void late_clock_reading_does_not_turn_the_wheel_back(void) {
    struct crx_wheel *wheel = new_wheel(64 * TICK);
    struct crx_timer later = {0}, sooner = {0};
    crx_wheel_advance(wheel, 128 * TICK);
    crx_wheel_insert(wheel, &later, 195 * TICK);
    crx_wheel_advance(wheel, 127 * TICK);
    crx_wheel_insert(wheel, &sooner, 130 * TICK);
    CHECK(pop(wheel, 130 * TICK) == &sooner);
    CHECK(pop(wheel, 130 * TICK) == NULL);
    CHECK(pop(wheel, 195 * TICK) == &later);
    free(wheel);
}

static void removed_timers_leave_the_wheel_empty(void) {
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
        CHECK(wheel->used[level][0] == 0 && wheel->used[level][1] == 0);
    }
    CHECK(crx_wheel_next(wheel) == CRX_NEVER);
    free(wheel);
}

// MARK: Comparison with an unsorted array

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
            (model->timers[index].deadline == model->timers[first].deadline &&
                model->started[index] < model->started[first])) {
            first = index;
        }
    }
    return first;
}

static uint64_t roll(uint64_t *state) {
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 20;
}

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
                model->started[index] = model->starts++;
                uint64_t deadline = now + roll_span(&state, 36);
                // Many timers share another timer's deadline, and must fire in the order of their starts.
                struct crx_timer *other = &model->timers[roll(&state) % TIMERS];
                if (roll(&state) % 2 == 0 && crx_timer_is_pending_locked(other) && other->deadline > now) {
                    deadline = other->deadline;
                }
                CHECK(crx_wheel_insert(wheel, timer, deadline) <= deadline + TICK);
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
                    CHECK(first < 0 || deadline > now - TICK);
                    moves = (unsigned)(roll(&state) % 50);
                    crx_wheel_prepare(wheel, &moves);
                    break;
                }
            }
        }
        free(model);
        free(wheel);
    }
}

void wheel_tests(void) {
    RUN(empty_wheel_has_no_next_time);
    RUN(lone_timer_is_popped_within_a_tick);
    RUN(last_deadline_is_popped_in_its_tick);
    RUN(one_tick_fires_in_the_order_of_deadlines_then_of_starting);
    RUN(new_timer_passes_64_later_timers_of_its_tick);
    RUN(new_timer_does_not_overtake_timers_that_move_down);
    RUN(one_deadline_leaves_in_the_order_of_starting_while_its_slot_moves_down);
    RUN(slots_that_begin_together_keep_the_order);
    RUN(crowd_delays_no_other_timer);
    RUN(insertion_that_makes_a_crowd_returns_its_preparation_time);
    RUN(unprepared_next_crowd_is_due_when_its_slot_begins);
    RUN(crowd_behind_a_slot_with_few_timers_is_prepared);
    RUN(cancelled_crowd_leaves_no_trace);
    RUN(start_that_advances_the_wheel_moves_at_most_four_timers);
    RUN(late_clock_reading_does_not_turn_the_wheel_back);
    RUN(removed_timers_leave_the_wheel_empty);
    RUN(agrees_with_a_model);
}
