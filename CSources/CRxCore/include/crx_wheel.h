#ifndef CRX_WHEEL_H
#define CRX_WHEEL_H

#include "crx_atomic.h"

// A hierarchical timing wheel: starting, moving and cancelling a timer costs the same however many there are. It knows no clock, no lock
// and no thread; its caller does (crx_timer.h). Moments are nanoseconds of the caller's clock.
//
// A tick is 1 024 ns. A timer is due with the tick in which its deadline lies or, if it lies within one, with the next. Nine levels of 64
// slots cover all 54 bits of a tick; the slots of a level are 64 times as long as those of the level below.
//
// | where a timer is | when |
// |---|---|
// | level L, slot s | L is the highest digit (base 64) in which its tick differs from `elapsed`, s is its tick's digit there |
// | `cascade` | its slot, of a level above 0, has begun: it is on its way to a lower level |
// | `due` | its tick has come |
//
// 1. *A timer's place is right until its slot begins*: `elapsed` moves only to the start of the first slot that has one, or, within what
//    comes before that, to the present. Until then no digit from L up that tells them apart changes. So on each level the slots in use lie
//    ahead of `elapsed`, in the order of their bits, and every slot of a lower level begins before every slot of a higher one.
// 2. *Nothing is early*: a timer becomes due when `elapsed` is its tick, which is not before its deadline, and `elapsed` never passes the
//    present.
// 3. *Nothing is forgotten*: `elapsed` passes the start of no slot whose bit is set, and a bit is cleared only when its list is empty or
//    taken.
// 4. *Order*: what is due leaves in the order of deadlines, what has one deadline in the order of starting: a list of level 0 holds one
//    tick, and it and `due` are kept sorted. Level 0 is served only when `cascade` is empty, so that nothing older is still on its way
//    there. (Beyond 64 inversions within one tick a newcomer stays where it is: order within a microsecond is not worth a long search.)
// 5. *Bounded work*: a timer moves down at most eight times in its life. `crx_wheel_pop` moves no more than its caller allows at one time.

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

enum { CRX_WHEEL_LEVELS = 9, CRX_WHEEL_SLOTS = 64, CRX_WHEEL_TICK_SHIFT = 10 };

_Static_assert(CRX_WHEEL_LEVELS * 6 + CRX_WHEEL_TICK_SHIFT == 64, "the levels cover every moment there is");
_Static_assert(sizeof(struct crx_timer) == 5 * sizeof(void *), "a pending timer costs five words");

struct crx_wheel {
    /// The tick up to which everything has been served.
    uint64_t elapsed;
    /// For each level, which slots have a list.
    uint64_t used[CRX_WHEEL_LEVELS];
    struct crx_link due;
    struct crx_link cascade;
    struct crx_link slots[CRX_WHEEL_LEVELS][CRX_WHEEL_SLOTS];
};

/// A moment that never comes: a timer may not have it as its deadline.
#define CRX_NEVER UINT64_MAX
/// The last deadline there is.
#define CRX_WHEEL_LAST (UINT64_MAX - ((uint64_t)1 << CRX_WHEEL_TICK_SHIFT))

void crx_wheel_init(struct crx_wheel *_Nonnull wheel, uint64_t now);

/// Puts a timer that is not pending in its place. A deadline that has passed makes it due.
void crx_wheel_insert(struct crx_wheel *_Nonnull wheel, struct crx_timer *_Nonnull timer, uint64_t deadline);

/// Takes a pending timer out.
void crx_wheel_remove(struct crx_wheel *_Nonnull wheel, struct crx_timer *_Nonnull timer);

/// Takes out the first timer that is due at `now`. Null: there is none, or, when `moves` has come down to 0, it has to be asked again;
/// each timer that moves to a lower level counts one.
struct crx_timer *_Nullable crx_wheel_pop(struct crx_wheel *_Nonnull wheel, uint64_t now, unsigned *_Nonnull moves);

/// Moves to the present what may move without serving anything, so that what is inserted next finds its lowest level.
void crx_wheel_advance(struct crx_wheel *_Nonnull wheel, uint64_t now);

/// When to pop next, not after the first deadline; `CRX_NEVER` for an empty wheel. It may be earlier: then a slot has to move down.
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

#endif
