#ifndef CRX_WHEEL_H
#define CRX_WHEEL_H

#include "crx_atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

// A hierarchical timing wheel: starting, moving and cancelling a timer costs the same however many there are. It knows
// no clock, no lock and no thread; its caller does (crx_timer.h). Moments are nanoseconds of the caller's clock.
//
// A tick is 1 024 ns. A timer is due with the tick in which its deadline lies or, if it lies within one, with the next.
// Nine levels cover all 54 bits of a tick. Slot n of level L holds ticks of which `tick >> 6 L` is n; so a slot is 64
// slots, a *turn*, of the level below. A level has room for two turns: that of the slot which `elapsed` is in on the
// level above, and the next one.
//
// | where a timer is | when |
// |---|---|
// | level L, slot n | L is the highest level on which n is not the slot that `elapsed` is in, or a lower one, to which the timer has moved down |
// | the same, L is `begun` | the slot has begun: its timers move down, one level at a time, before anything else of it is served |
// | `due` | its tick has come |
//
// 1. *A timer's place is right until its slot begins*: `elapsed` moves only to the start of the first slot that has a
//    timer, or, within what comes before that, to the present. It leaves that start when all slots that begin there are
//    empty.
// 2. *Nothing is early*: a timer becomes due when `elapsed` is its tick, which is not before its deadline, and
//    `elapsed` never passes the present.
// 3. *Nothing is forgotten*: `boundary` is not after the start of any slot whose bit is set, and `elapsed` passes it
//    only after a search for the first one; a bit is cleared only when its list is empty.
// 4. *Order*: what is due leaves in the order of deadlines, what has one deadline in the order of starting. Of two
//    timers of one tick the elder is on a lower level or, in the same list, before the younger: lists move down from
//    the front; a timer that starts takes the highest level it may, the slot that has begun included, or a lower one
//    where the lists above have none that is older. Lists of one tick (level 0 and `due`) are kept sorted. (Beyond 64
//    inversions within one tick a newcomer stays where it is: order within a microsecond is not worth a long search.)
// 5. *Bounded work*: a timer moves down at most eight times in its life. `crx_wheel_pop` and `crx_wheel_prepare` move
//    no more than their caller allows at one time.
// 6. *No slot begins crowded*: from the start of the slot before it, a slot with more than CROWD timers may be moved
//    down, in pieces, into the next turn of the level below. `crx_wheel_next` asks for a look in time. (Slots of level
//    1, 66 microseconds long, are left as they are. Where the time of a slot does not suffice for the moves, what is
//    left moves when the slot begins.)

/// A link of a circular list; its head is one, too.
struct crx_link {
    struct crx_link *_Nullable next;
    struct crx_link *_Nullable prev;
};

/// A timer, in its owner's memory: all zero is one that is not pending.
struct crx_timer {
    /// In a list of the wheel; `next` is null exactly while the timer is not pending.
    struct crx_link place;
    /// In its group's list, null without one (crx_timer.h).
    struct crx_link mates;
    /// When it is due. It stays for the owner to read when the timer has fired.
    uint64_t deadline;
};

enum { CRX_WHEEL_LEVELS = 9, CRX_WHEEL_SLOTS = 128, CRX_WHEEL_TICK_SHIFT = 10 };

static_assert(CRX_WHEEL_LEVELS * 6 + CRX_WHEEL_TICK_SHIFT == 64, "the levels cover every moment there is");
static_assert(sizeof(struct crx_timer) == 5 * sizeof(void *), "a pending timer costs five words");

struct crx_wheel {
    /// The tick up to which everything has been served.
    uint64_t elapsed;
    /// Claim 3: a tick.
    uint64_t boundary;
    /// The level of the slot that has begun, whose start is `elapsed`; 0 for none.
    int begun;
    /// For each level and turn, the even one first, which slots have a list.
    uint64_t used[CRX_WHEEL_LEVELS][2];
    /// How many timers each slot has been given since it was last empty, up to one more than make a crowd.
    uint8_t given[CRX_WHEEL_LEVELS][CRX_WHEEL_SLOTS];
    struct crx_link due;
    struct crx_link slots[CRX_WHEEL_LEVELS][CRX_WHEEL_SLOTS];
};

/// A moment that never comes: a timer may not have it as its deadline.
#define CRX_NEVER UINT64_MAX
/// The last deadline there is.
#define CRX_WHEEL_LAST (UINT64_MAX - ((uint64_t)1 << CRX_WHEEL_TICK_SHIFT))

void crx_wheel_init(struct crx_wheel *_Nonnull wheel, uint64_t now);

/// Puts a timer that is not pending in its place. A deadline that has passed makes it due.
///
/// Returns when to look at the latest because of it: not after its tick.
uint64_t crx_wheel_insert(struct crx_wheel *_Nonnull wheel, struct crx_timer *_Nonnull timer, uint64_t deadline);

/// Takes a pending timer out.
void crx_wheel_remove(struct crx_wheel *_Nonnull wheel, struct crx_timer *_Nonnull timer);

/// Takes out the first timer that is due at `now`. Null: there is none, or, when `moves` has come down to 0, it has to
/// be asked again; each timer that moves to a lower level counts one.
struct crx_timer *_Nullable crx_wheel_pop(struct crx_wheel *_Nonnull wheel, uint64_t now, unsigned *_Nonnull moves);

/// Moves down what would be a crowd when its slot begins (claim 6). For who has popped all that is due.
void crx_wheel_prepare(struct crx_wheel *_Nonnull wheel, unsigned *_Nonnull moves);

/// Moves to the present, with a few timers on the way, without serving anything, so that what is inserted next finds
/// its lowest level.
void crx_wheel_advance(struct crx_wheel *_Nonnull wheel, uint64_t now);

/// When to pop and prepare next; `CRX_NEVER` for an empty wheel. Not after the first timer's tick; and that tick,
/// unless there is a crowd.
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

/// Inserts a link behind another.
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
