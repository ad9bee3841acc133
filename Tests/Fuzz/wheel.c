// Compares the timing wheel (crx_wheel.h) with a list in order of deadline and start. Due timers leave the wheel in
// that order, none early and none lost. The input varies the spans, cancels timers, crowds slots, limits the moves, and
// passes times older than the wheel's.

#include "CRxCore.h"
#include "fuzz.h"

#include <string.h>

/// The number of timers. In the list of a tick, a new timer passes at most 64 timers with later deadlines (crx_wheel.h,
/// claim 4). With fewer timers, the list is always in order.
enum { TIMERS = 60 };

static struct crx_wheel wheel;
static struct crx_timer timers[TIMERS];
/// The pending timers in order.
static struct crx_timer *order[TIMERS];
static unsigned count;
static uint64_t now;
static uint64_t inserted, moved;

static uint64_t tick_of(uint64_t deadline) {
    return deadline / 1024 + (deadline % 1024 != 0);
}

static uint64_t later(uint64_t moment, uint64_t span) {
    return moment > UINT64_MAX - span ? UINT64_MAX : moment + span;
}

static void insert(struct crx_timer *timer, uint64_t deadline) {
    CHECK(!crx_timer_is_pending_locked(timer));
    deadline = deadline > CRX_WHEEL_LAST ? CRX_WHEEL_LAST : deadline;
    uint64_t look = crx_wheel_insert(&wheel, timer, deadline);
    CHECK(look <= tick_of(deadline) * 1024);
    CHECK(crx_timer_is_pending_locked(timer));
    unsigned index = count++;
    for (; index > 0 && order[index - 1]->deadline > deadline; index--) {
        order[index] = order[index - 1];
    }
    order[index] = timer;
    inserted++;
}

static void forget(unsigned index) {
    count--;
    memmove(order + index, order + index + 1, (count - index) * sizeof *order);
}

static void cancel(struct crx_timer *timer) {
    crx_wheel_remove(&wheel, timer);
    CHECK(!crx_timer_is_pending_locked(timer));
    for (unsigned index = 0; index < count; index++) {
        if (order[index] == timer) {
            forget(index);
            return;
        }
    }
    CHECK(false);
}

/// Pops the first due timer and checks it. Returns false if there was none.
static bool pop(uint64_t moment, unsigned *moves) {
    unsigned before = *moves;
    struct crx_timer *timer = crx_wheel_pop(&wheel, moment, moves);
    CHECK(*moves <= before);
    moved += before - *moves;
    if (timer == NULL) {
        CHECK(*moves == 0 || count == 0 || tick_of(order[0]->deadline) > moment / 1024);
        return false;
    }
    CHECK(count > 0);
    CHECK(timer == order[0]);
    CHECK(tick_of(timer->deadline) <= now / 1024);
    CHECK(!crx_timer_is_pending_locked(timer));
    forget(0);
    return true;
}

static bool is_crowded(void) {
    for (int level = 0; level < CRX_WHEEL_LEVELS; level++) {
        for (int slot = 0; slot < CRX_WHEEL_SLOTS; slot++) {
            if (wheel.given[level][slot] > 16) {
                return true;
            }
        }
    }
    return false;
}

static void next_agrees(void) {
    uint64_t next = crx_wheel_next(&wheel);
    if (count > 0) {
        CHECK(next <= tick_of(order[0]->deadline) * 1024);
    } else if (wheel.begun == 0) {
        CHECK_EQUAL(next, CRX_NEVER);
    }
}

/// Pops the due timers, with at most `moves` moves of the wheel. If moves are left and no slot is crowded, the wheel's
/// next time must be the first timer's tick.
static void look(unsigned moves) {
    while (pop(now, &moves)) {}
    if (moves == 0) {
        return;
    }
    unsigned before = moves;
    crx_wheel_prepare(&wheel, &moves);
    moved += before - moves;
    if (moves > 0 && !is_crowded()) {
        CHECK_EQUAL(crx_wheel_next(&wheel), count > 0 ? tick_of(order[0]->deadline) * 1024 : CRX_NEVER);
    }
}

static uint64_t deadline_of(struct bytes *bytes) {
    switch (bytes_below(bytes, 6)) {
    case 0: return later(now, bytes_take(bytes) * 16);
    case 1: return later(now, bytes_wide(bytes));
    case 2: return now - (bytes_wide(bytes) % (now + (now != UINT64_MAX)));
    case 3: return count > 0 ? order[bytes_below(bytes, count)]->deadline : now;
    case 4: return (later(now, bytes_wide(bytes)) | 1023) - bytes_below(bytes, 2);
    default: return UINT64_MAX;
    }
}

static void operate(struct bytes *bytes) {
    switch (bytes_below(bytes, 9)) {
    case 0:
    case 1: {
        struct crx_timer *timer = &timers[bytes_below(bytes, TIMERS)];
        uint64_t deadline = deadline_of(bytes);
        if (!crx_timer_is_pending_locked(timer)) {
            insert(timer, deadline);
        }
        break;
    }
    case 2: {
        struct crx_timer *timer = &timers[bytes_below(bytes, TIMERS)];
        if (crx_timer_is_pending_locked(timer)) {
            cancel(timer);
        }
        break;
    }
    case 3: {
        now = later(now, bytes_wide(bytes));
        unsigned moves = bytes_take(bytes);
        pop(now, &moves);
        break;
    }
    case 4:
        // Advances to the tick of the first timer, or just before it.
        if (count > 0) {
            uint64_t edge = tick_of(order[0]->deadline) * 1024 - bytes_below(bytes, 2);
            now = edge > now ? edge : now;
        }
        look(bytes_below(bytes, 2) ? bytes_take(bytes) : UINT32_MAX);
        break;
    case 5:
        // An earlier time than the wheel's: a thread may read the clock before it has the lock.
        crx_wheel_advance(&wheel, now - bytes_wide(bytes) % (now + (now != UINT64_MAX)));
        break;
    case 6:
        now = later(now, bytes_wide(bytes));
        crx_wheel_advance(&wheel, now);
        break;
    case 7:
        now = later(now, bytes_wide(bytes));
        look(bytes_take(bytes));
        break;
    default: {
        // Several timers at equal distances. At short distances they crowd one slot.
        uint64_t deadline = deadline_of(bytes), apart = bytes_wide(bytes) % (1 << 20);
        unsigned most = bytes_below(bytes, TIMERS);
        for (unsigned index = 0; index < most; index++) {
            if (!crx_timer_is_pending_locked(&timers[index])) {
                insert(&timers[index], deadline);
            }
            deadline = later(deadline, apart);
        }
        break;
    }
    }
    next_agrees();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, data + size};
    memset(timers, 0, sizeof timers);
    count = 0;
    inserted = moved = 0;
    now = bytes_wide(&bytes);
    crx_wheel_init(&wheel, now);
    while (bytes_left(&bytes)) {
        operate(&bytes);
    }
    while (count > 0) {
        uint64_t edge = tick_of(order[0]->deadline) * 1024;
        now = edge > now ? edge : now;
        unsigned moves = UINT32_MAX;
        CHECK(pop(now, &moves));
    }
    unsigned moves = UINT32_MAX;
    CHECK(!pop(UINT64_MAX, &moves));
    CHECK_EQUAL(crx_wheel_next(&wheel), CRX_NEVER);
    // Claim 5 of crx_wheel.h: a timer moves at most eight times.
    CHECK(moved <= 8 * inserted);
    return 0;
}
