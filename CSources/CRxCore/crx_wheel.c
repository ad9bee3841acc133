#include "crx_wheel.h"

/// Claim 4.
enum { INVERSIONS = 64 };

static struct crx_timer *crx_wheel_timer(struct crx_link *place) {
    // The first field.
    return (struct crx_timer *)place;
}

_Static_assert(offsetof(struct crx_timer, place) == 0, "a place is its timer's address");

static uint64_t crx_wheel_tick(uint64_t deadline) {
    uint64_t part = deadline & (((uint64_t)1 << CRX_WHEEL_TICK_SHIFT) - 1);
    return (deadline >> CRX_WHEEL_TICK_SHIFT) + (part != 0);
}

void crx_wheel_init(struct crx_wheel *wheel, uint64_t now) {
    wheel->elapsed = now >> CRX_WHEEL_TICK_SHIFT;
    crx_link_init(&wheel->due);
    crx_link_init(&wheel->cascade);
    for (int level = 0; level < CRX_WHEEL_LEVELS; level++) {
        wheel->used[level] = 0;
        for (int slot = 0; slot < CRX_WHEEL_SLOTS; slot++) {
            crx_link_init(&wheel->slots[level][slot]);
        }
    }
}

/// Keeps a list of one tick in the order of deadlines. Timers mostly come in that order: then nothing is searched.
static void crx_wheel_insert_sorted(struct crx_link *head, struct crx_timer *timer) {
    struct crx_link *before = head->prev;
    for (int left = INVERSIONS; left > 0 && before != head && crx_wheel_timer(before)->deadline > timer->deadline; left--) {
        before = before->prev;
    }
    crx_link_insert(&timer->place, before);
}

static void crx_wheel_place(struct crx_wheel *wheel, struct crx_timer *timer) {
    uint64_t tick = crx_wheel_tick(timer->deadline);
    if (tick <= wheel->elapsed) {
        crx_wheel_insert_sorted(&wheel->due, timer);
        return;
    }
    int level = (63 - __builtin_clzll(tick ^ wheel->elapsed)) / 6;
    int slot = (int)(tick >> (6 * level)) & (CRX_WHEEL_SLOTS - 1);
    struct crx_link *head = &wheel->slots[level][slot];
    wheel->used[level] |= (uint64_t)1 << slot;
    if (level == 0) {
        crx_wheel_insert_sorted(head, timer);
    } else {
        crx_link_insert(&timer->place, head->prev);
    }
}

void crx_wheel_insert(struct crx_wheel *wheel, struct crx_timer *timer, uint64_t deadline) {
    timer->deadline = deadline;
    crx_wheel_place(wheel, timer);
}

void crx_wheel_remove(struct crx_wheel *wheel, struct crx_timer *timer) {
    struct crx_link *next = timer->place.next, *prev = timer->place.prev;
    crx_link_remove(&timer->place);
    // What is left is the head alone: if it is a slot's, nothing need be looked for there any more.
    uintptr_t offset = (uintptr_t)next - (uintptr_t)&wheel->slots[0][0];
    if (next == prev && offset < sizeof wheel->slots) {
        size_t index = offset / sizeof(struct crx_link);
        wheel->used[index / CRX_WHEEL_SLOTS] &= ~((uint64_t)1 << (index % CRX_WHEEL_SLOTS));
    }
}

/// Makes an empty list of one that is not, whose links `to` takes over.
static void crx_wheel_take(struct crx_link *from, struct crx_link *to) {
    to->next = from->next;
    to->prev = from->prev;
    to->next->prev = to;
    to->prev->next = to;
    crx_link_init(from);
}

/// The first slot in use (claim 1), and the tick with which it begins.
static bool crx_wheel_first(const struct crx_wheel *wheel, int *level, int *slot, uint64_t *start) {
    for (int at = 0; at < CRX_WHEEL_LEVELS; at++) {
        if (wheel->used[at] != 0) {
            *level = at;
            *slot = __builtin_ctzll(wheel->used[at]);
            int above = 6 * (at + 1);
            *start = (wheel->elapsed >> above << above) | (uint64_t)*slot << (6 * at);
            return true;
        }
    }
    return false;
}

struct crx_timer *crx_wheel_pop(struct crx_wheel *wheel, uint64_t now, unsigned *moves) {
    for (;;) {
        while (!crx_link_is_empty(&wheel->cascade)) {
            if (*moves == 0) {
                return NULL;
            }
            (*moves)--;
            struct crx_timer *timer = crx_wheel_timer(wheel->cascade.next);
            crx_link_remove(&timer->place);
            crx_wheel_place(wheel, timer);
        }
        if (!crx_link_is_empty(&wheel->due)) {
            struct crx_timer *timer = crx_wheel_timer(wheel->due.next);
            crx_link_remove(&timer->place);
            return timer;
        }
        int level, slot;
        uint64_t start;
        if (!crx_wheel_first(wheel, &level, &slot, &start) || start > now >> CRX_WHEEL_TICK_SHIFT) {
            crx_wheel_advance(wheel, now);
            return NULL;
        }
        wheel->elapsed = start;
        wheel->used[level] &= ~((uint64_t)1 << slot);
        crx_wheel_take(&wheel->slots[level][slot], level == 0 ? &wheel->due : &wheel->cascade);
    }
}

void crx_wheel_advance(struct crx_wheel *wheel, uint64_t now) {
    uint64_t tick = now >> CRX_WHEEL_TICK_SHIFT;
    if (tick <= wheel->elapsed || !crx_link_is_empty(&wheel->cascade) || !crx_link_is_empty(&wheel->due)) {
        return;
    }
    int level, slot;
    uint64_t start;
    if (!crx_wheel_first(wheel, &level, &slot, &start) || start > tick) {
        wheel->elapsed = tick;
    }
}

uint64_t crx_wheel_next(const struct crx_wheel *wheel) {
    if (!crx_link_is_empty(&wheel->cascade) || !crx_link_is_empty(&wheel->due)) {
        return 0;
    }
    int level, slot;
    uint64_t start;
    return crx_wheel_first(wheel, &level, &slot, &start) ? start << CRX_WHEEL_TICK_SHIFT : CRX_NEVER;
}
