#include "crx_wheel.h"

/// The maximum number of timers with later deadlines that an insertion into a sorted list skips.
enum { INVERSIONS = 64 };
/// A slot that has received more timers than this since it was last empty is crowded (crx_wheel.h, claim 6). Other
/// slots are not emptied before their first tick, because that would cost a wake-up.
enum { CROWD = 16 };
/// The lowest level whose crowded slots are emptied before their first tick.
enum { PREPARED = 2 };
/// The maximum number of timers that `crx_wheel_advance` moves to lower levels.
enum { FEW = 4 };

static struct crx_timer *crx_wheel_timer(struct crx_link *place) {
    return (struct crx_timer *)place;
}

_Static_assert(offsetof(struct crx_timer, place) == 0, "a place is its timer's address");

// MARK: Slots

static uint64_t crx_wheel_tick(uint64_t deadline) {
    uint64_t part = deadline & (((uint64_t)1 << CRX_WHEEL_TICK_SHIFT) - 1);
    return (deadline >> CRX_WHEEL_TICK_SHIFT) + (part != 0);
}

static uint64_t crx_wheel_slot(uint64_t tick, int level) {
    return tick >> (6 * level);
}

static uint64_t crx_wheel_start(uint64_t slot, int level) {
    return slot << (6 * level);
}

static struct crx_link *crx_wheel_list(struct crx_wheel *wheel, int level, uint64_t slot) {
    return &wheel->slots[level][slot % CRX_WHEEL_SLOTS];
}

static bool crx_wheel_is_used(const struct crx_wheel *wheel, int level, uint64_t slot) {
    return wheel->used[level][slot / 64 % 2] >> (slot % 64) & 1;
}

static bool crx_wheel_is_crowded(const struct crx_wheel *wheel, int level, uint64_t slot) {
    return level >= PREPARED && wheel->given[level][slot % CRX_WHEEL_SLOTS] > CROWD;
}

static void crx_wheel_clear(struct crx_wheel *wheel, int level, uint64_t slot) {
    wheel->used[level][slot / 64 % 2] &= ~((uint64_t)1 << (slot % 64));
    wheel->given[level][slot % CRX_WHEEL_SLOTS] = 0;
}

void crx_wheel_init(struct crx_wheel *wheel, uint64_t now) {
    wheel->elapsed = now >> CRX_WHEEL_TICK_SHIFT;
    wheel->boundary = CRX_NEVER;
    wheel->begun = 0;
    crx_link_init(&wheel->due);
    for (int level = 0; level < CRX_WHEEL_LEVELS; level++) {
        for (uint64_t slot = 0; slot < CRX_WHEEL_SLOTS; slot++) {
            crx_wheel_clear(wheel, level, slot);
            crx_link_init(crx_wheel_list(wheel, level, slot));
        }
    }
}

static bool crx_wheel_first(const struct crx_wheel *wheel, int level, uint64_t *slot) {
    uint64_t turn = crx_wheel_slot(wheel->elapsed, level + 1);
    for (uint64_t end = turn + 2; turn < end; turn++) {
        uint64_t used = wheel->used[level][turn % 2];
        if (used != 0) {
            *slot = turn * 64 + (uint64_t)__builtin_ctzll(used);
            return true;
        }
    }
    return false;
}

// MARK: Placing

/// Inserts a timer into a sorted list, searching from the end: timers mostly arrive in the order of their deadlines.
static void crx_wheel_insert_sorted(struct crx_link *head, struct crx_timer *timer) {
    struct crx_link *before = head->prev;
    for (int left = INVERSIONS; left > 0 && before != head && crx_wheel_timer(before)->deadline > timer->deadline;
        left--) {
        before = before->prev;
    }
    crx_link_insert(&timer->place, before);
}

/// Adds a timer to its slot. Returns true if this makes the slot crowded.
static bool crx_wheel_put(struct crx_wheel *wheel, struct crx_timer *timer, uint64_t tick, int level) {
    uint64_t slot = crx_wheel_slot(tick, level), start = crx_wheel_start(slot, level);
    struct crx_link *head = crx_wheel_list(wheel, level, slot);
    if (level == 0) {
        crx_wheel_insert_sorted(head, timer);
    } else {
        crx_link_insert(&timer->place, head->prev);
    }
    wheel->used[level][slot / 64 % 2] |= (uint64_t)1 << (slot % 64);
    if (start < wheel->boundary) {
        wheel->boundary = start;
    }
    uint8_t *given = &wheel->given[level][slot % CRX_WHEEL_SLOTS];
    if (*given > CROWD) {
        return false;
    }
    return ++*given > CROWD && level >= PREPARED;
}

/// Returns the level for a new timer that is not due yet (crx_wheel.h, claim 4).
static int crx_wheel_level(struct crx_wheel *wheel, uint64_t tick) {
    if (wheel->begun > 0 && crx_wheel_slot(tick, wheel->begun) == crx_wheel_slot(wheel->elapsed, wheel->begun)) {
        return wheel->begun;
    }
    int level = (63 - __builtin_clzll(tick ^ wheel->elapsed)) / 6;
    while (level > 0) {
        uint64_t slot = crx_wheel_slot(tick, level);
        if (slot != crx_wheel_slot(wheel->elapsed, level) + 1 || crx_wheel_is_used(wheel, level, slot)) {
            break;
        }
        level--;
    }
    return level;
}

uint64_t crx_wheel_insert(struct crx_wheel *wheel, struct crx_timer *timer, uint64_t deadline) {
    uint64_t tick = crx_wheel_tick(deadline);
    timer->deadline = deadline;
    if (tick < wheel->elapsed || (tick == wheel->elapsed && wheel->begun == 0)) {
        crx_wheel_insert_sorted(&wheel->due, timer);
        return 0;
    }
    int level = crx_wheel_level(wheel, tick);
    if (crx_wheel_put(wheel, timer, tick, level)) {
        tick = crx_wheel_start(crx_wheel_slot(tick, level) - 1, level);
    }
    return tick << CRX_WHEEL_TICK_SHIFT;
}

void crx_wheel_remove(struct crx_wheel *wheel, struct crx_timer *timer) {
    struct crx_link *next = timer->place.next, *prev = timer->place.prev;
    crx_link_remove(&timer->place);
    uintptr_t offset = (uintptr_t)next - (uintptr_t)&wheel->slots[0][0];
    if (next == prev && offset < sizeof wheel->slots) {
        size_t index = offset / sizeof(struct crx_link);
        crx_wheel_clear(wheel, (int)(index / CRX_WHEEL_SLOTS), index % CRX_WHEEL_SLOTS);
    }
}

// MARK: Moving

/// Moves the timers of a slot to the level below. Returns false if `moves` reaches 0 first.
static bool crx_wheel_move_down(struct crx_wheel *wheel, int level, uint64_t slot, unsigned *moves) {
    struct crx_link *head = crx_wheel_list(wheel, level, slot);
    while (!crx_link_is_empty(head)) {
        if (*moves == 0) {
            return false;
        }
        (*moves)--;
        struct crx_timer *timer = crx_wheel_timer(head->next);
        crx_link_remove(&timer->place);
        crx_wheel_put(wheel, timer, crx_wheel_tick(timer->deadline), level - 1);
    }
    crx_wheel_clear(wheel, level, slot);
    return true;
}

static void crx_wheel_end_tick(struct crx_wheel *wheel) {
    struct crx_link *head = crx_wheel_list(wheel, 0, wheel->elapsed), *due = &wheel->due;
    if (!crx_link_is_empty(head)) {
        // The timers in `due` have earlier ticks than those in `head`.
        head->next->prev = due->prev;
        due->prev->next = head->next;
        head->prev->next = due;
        due->prev = head->prev;
        crx_link_init(head);
    }
    crx_wheel_clear(wheel, 0, wheel->elapsed);
}

/// Advances the wheel towards a tick until a timer is due, or until `moves` is 0.
static void crx_wheel_turn(struct crx_wheel *wheel, uint64_t tick, unsigned *moves) {
    while (crx_link_is_empty(&wheel->due)) {
        if (wheel->begun > 0) {
            if (!crx_wheel_move_down(wheel, wheel->begun, crx_wheel_slot(wheel->elapsed, wheel->begun), moves)) {
                return;
            }
            do {
                wheel->begun--;
            } while (wheel->begun > 0 &&
                !crx_wheel_is_used(wheel, wheel->begun, crx_wheel_slot(wheel->elapsed, wheel->begun)));
            if (wheel->begun == 0) {
                crx_wheel_end_tick(wheel);
            }
            continue;
        }
        int begins = 0;
        if (tick >= wheel->boundary) {
            wheel->boundary = CRX_NEVER;
            for (int level = 0; level < CRX_WHEEL_LEVELS; level++) {
                uint64_t slot;
                // If slots of several levels begin at the same tick, the highest level comes first.
                if (crx_wheel_first(wheel, level, &slot) && crx_wheel_start(slot, level) <= wheel->boundary) {
                    wheel->boundary = crx_wheel_start(slot, level);
                    begins = level;
                }
            }
        }
        if (tick < wheel->boundary) {
            if (tick > wheel->elapsed) {
                wheel->elapsed = tick;
            }
            return;
        }
        wheel->elapsed = wheel->boundary;
        wheel->begun = begins;
        if (begins == 0) {
            crx_wheel_end_tick(wheel);
        }
    }
}

struct crx_timer *crx_wheel_pop(struct crx_wheel *wheel, uint64_t now, unsigned *moves) {
    crx_wheel_turn(wheel, now >> CRX_WHEEL_TICK_SHIFT, moves);
    if (crx_link_is_empty(&wheel->due)) {
        return NULL;
    }
    struct crx_timer *timer = crx_wheel_timer(wheel->due.next);
    crx_link_remove(&timer->place);
    return timer;
}

void crx_wheel_advance(struct crx_wheel *wheel, uint64_t now) {
    unsigned moves = FEW;
    crx_wheel_turn(wheel, now >> CRX_WHEEL_TICK_SHIFT, &moves);
}

// MARK: Crowds

void crx_wheel_prepare(struct crx_wheel *wheel, unsigned *moves) {
    for (int level = PREPARED; level < CRX_WHEEL_LEVELS && *moves > 0; level++) {
        uint64_t slot = crx_wheel_slot(wheel->elapsed, level) + 1;
        if (crx_wheel_is_crowded(wheel, level, slot)) {
            crx_wheel_move_down(wheel, level, slot, moves);
        }
    }
}

/// Returns the tick at which the wheel must next check a slot.
static uint64_t crx_wheel_look(const struct crx_wheel *wheel, int level, uint64_t slot) {
    if (crx_wheel_is_crowded(wheel, level, slot)) {
        return crx_wheel_start(slot - 1, level);
    }
    if (wheel->given[level][slot % CRX_WHEEL_SLOTS] > CROWD) {
        return crx_wheel_start(slot, level);
    }
    // If the next slot is crowded, it is prepared from the start of this slot on (crx_wheel.h, claim 6).
    uint64_t look = crx_wheel_is_crowded(wheel, level, slot + 1) ? crx_wheel_start(slot, level) : CRX_NEVER;
    const struct crx_link *head = &wheel->slots[level][slot % CRX_WHEEL_SLOTS];
    for (struct crx_link *place = head->next; place != head; place = place->next) {
        uint64_t tick = crx_wheel_tick(crx_wheel_timer(place)->deadline);
        look = tick < look ? tick : look;
    }
    return look;
}

uint64_t crx_wheel_next(const struct crx_wheel *wheel) {
    if (wheel->begun > 0 || !crx_link_is_empty(&wheel->due)) {
        return 0;
    }
    uint64_t next = CRX_NEVER;
    for (int level = 0; level < CRX_WHEEL_LEVELS; level++) {
        uint64_t slot;
        if (crx_wheel_first(wheel, level, &slot)) {
            uint64_t look = crx_wheel_look(wheel, level, slot);
            next = look < next ? look : next;
        }
    }
    return next == CRX_NEVER ? CRX_NEVER : next << CRX_WHEEL_TICK_SHIFT;
}
