#ifndef CRX_WHEEL_H
#define CRX_WHEEL_H

#include "crx_atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

// A hierarchical timing wheel: the cost of a timer does not depend on the number of timers. The caller provides clock,
// lock and thread (crx_timer.h). Times are nanoseconds of the caller's clock.
//
// A tick is 1 024 ns. A timer becomes due with the first tick that starts at or after its deadline. Nine levels cover
// all 54 bits of a tick. Slot n of level L holds the ticks with `tick >> (6 * L) == n`. So a slot spans 64 slots of the
// level below. These 64 slots are a *turn*. A level has room for two turns: the one that contains `elapsed`, and the
// next.
//
// | where a timer is | when |
// |---|---|
// | level L, slot n | L is the highest level on which the slot of the timer's tick is not the slot of `elapsed`, or a lower level (claims 4 and 6) |
// | the level that the field `begun` names, the slot of `elapsed` | the slot has begun: its timers are moved down, one level at a time, before any is served |
// | the list `due` | the timer's tick has come |
//
// 1. *A timer's place is right until its slot begins*: `elapsed` advances to the start of the first slot that has a
//    timer, or to the current time if that is earlier. While a slot that begins at `elapsed` has timers, `elapsed` does
//    not advance.
// 2. *Nothing is early*: a timer becomes due when `elapsed` reaches its tick. A tick does not begin before the
//    deadlines of its timers. `elapsed` is never later than the current time.
// 3. *Nothing is forgotten*: a slot that has timers has a bit in `used`. The bit is cleared only when the slot's list
//    is empty. `boundary` is not after the start of any slot with a bit. `elapsed` passes `boundary` only after a
//    search for the first slot with a bit.
// 4. *Order*: due timers are popped in the order of their deadlines. Timers with equal deadlines are popped in the
//    order in which they were started. If two timers with equal deadlines are in the same list, the older one comes
//    first. Otherwise, the older one is on a lower level. Lists are moved down from the front. A started timer goes to
//    the highest possible level, possibly into the slot that has begun. Exception: if the timer's slot on that level is
//    empty and is the next to begin, the timer goes to a lower level. The order is kept, because an empty slot contains
//    no older timer. Lists of one tick (level 0 and `due`) are kept sorted. A new timer passes at most 64 timers with
//    later deadlines. If more have later deadlines, timers of one tick may be popped out of order.
// 5. *Bounded work*: a timer moves down at most eight times in its life. A call of `crx_wheel_pop` or
//    `crx_wheel_prepare` makes at most `moves` such moves.
// 6. *No slot begins crowded*: a slot with more than CROWD (16) timers is *prepared* during the slot before it. Its
//    timers are moved down, a limited number at a time, into the next turn of the level below. `crx_wheel_next` returns
//    a time that is early enough for the preparation. Slots of level 1 (66 microseconds) are not prepared. Timers that
//    are left when a slot begins are moved then.

/// A link of a circular list, or the list's head.
struct crx_link {
    struct crx_link *_Nullable next;
    struct crx_link *_Nullable prev;
};

/// A timer, in its owner's memory. A timer whose bytes are all zero is not pending.
struct crx_timer {
    /// The link in a list of the wheel. `next` is null while the timer is not pending.
    struct crx_link place;
    /// The link in the group's list (crx_timer.h); null without a group.
    struct crx_link mates;
    /// The deadline, which the owner may still read after the timer has fired.
    uint64_t deadline;
};

enum { CRX_WHEEL_LEVELS = 9, CRX_WHEEL_SLOTS = 128, CRX_WHEEL_TICK_SHIFT = 10 };

static_assert(CRX_WHEEL_LEVELS * 6 + CRX_WHEEL_TICK_SHIFT == 64, "the levels cover every moment there is");
static_assert(sizeof(struct crx_timer) == 5 * sizeof(void *), "a pending timer costs five words");

struct crx_wheel {
    /// The tick up to which all timers have been served.
    uint64_t elapsed;
    /// A tick before which no slot in use begins (claim 3).
    uint64_t boundary;
    /// The level of the slot that has begun at `elapsed`; 0 if there is none.
    int begun;
    /// Bits for the slots that have timers, by level and turn, even turns first.
    uint64_t used[CRX_WHEEL_LEVELS][2];
    /// The number of timers that each slot has received since it was last empty, at most CROWD + 1.
    uint8_t given[CRX_WHEEL_LEVELS][CRX_WHEEL_SLOTS];
    struct crx_link due;
    struct crx_link slots[CRX_WHEEL_LEVELS][CRX_WHEEL_SLOTS];
};

/// A deadline that no timer can have.
#define CRX_NEVER UINT64_MAX
#define CRX_WHEEL_LAST (UINT64_MAX - ((uint64_t)1 << CRX_WHEEL_TICK_SHIFT))

void crx_wheel_init(struct crx_wheel *_Nonnull wheel, uint64_t now);

/// Inserts a timer that is not pending. If its deadline has passed, it is due. Returns the time by which
/// `crx_wheel_pop` must be called, at the latest the start of the timer's tick.
uint64_t crx_wheel_insert(struct crx_wheel *_Nonnull wheel, struct crx_timer *_Nonnull timer, uint64_t deadline);

void crx_wheel_remove(struct crx_wheel *_Nonnull wheel, struct crx_timer *_Nonnull timer);

/// Removes and returns the first timer due at `now`. Each move to a lower level decrements `moves`. Returns null if no
/// timer is due, or if `moves` is 0 and the caller must call again.
struct crx_timer *_Nullable crx_wheel_pop(struct crx_wheel *_Nonnull wheel, uint64_t now, unsigned *_Nonnull moves);

/// Prepares crowded slots (claim 6). Call it after all due timers have been popped.
void crx_wheel_prepare(struct crx_wheel *_Nonnull wheel, unsigned *_Nonnull moves);

/// Advances `elapsed` towards `now`, so that the next timer is inserted on a low level. Moves at most a few timers.
void crx_wheel_advance(struct crx_wheel *_Nonnull wheel, uint64_t now);

/// The time of the next calls of `crx_wheel_pop` and `crx_wheel_prepare`: the first timer's tick, or earlier if a slot
/// is crowded. `CRX_NEVER` if the wheel is empty.
uint64_t crx_wheel_next(const struct crx_wheel *_Nonnull wheel);

CRX_INLINE bool crx_timer_is_pending_locked(const struct crx_timer *_Nonnull timer) {
    return timer->place.next != NULL;
}

CRX_INLINE void crx_link_init(struct crx_link *_Nonnull head) {
    head->next = head;
    head->prev = head;
}

CRX_INLINE bool crx_link_is_empty(const struct crx_link *_Nonnull head) {
    return head->next == head;
}

CRX_INLINE void crx_link_insert(struct crx_link *_Nonnull link, struct crx_link *_Nonnull before) {
    link->prev = before;
    link->next = before->next;
    before->next->prev = link;
    before->next = link;
}

CRX_INLINE void crx_link_remove(struct crx_link *_Nonnull link) {
    link->prev->next = link->next;
    link->next->prev = link->prev;
    link->next = NULL;
    link->prev = NULL;
}

#ifdef __cplusplus
}
#endif

#endif
