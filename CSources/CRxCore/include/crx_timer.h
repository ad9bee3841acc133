#ifndef CRX_TIMER_H
#define CRX_TIMER_H

#include "crx_lock.h"
#include "crx_thread.h"
#include "crx_wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

// The timer service: one wheel, one lock and one thread for any number of timers, on CLOCK_MONOTONIC. The thread runs
// no user code: it hands what is due over to `fire`, which passes it on to a scheduler's queue.
//
// A timer lies in its owner's memory. While it is pending the service is owed that memory; the thread that ends that
// takes the debt over: `fire` (the service's thread), a cancel that returns true, or the thread that closes its group
// and gets it in the list.
//
// Guarded by `lock`: the wheel, every timer's links, the groups' lists, `planned`, `resting`, `isStarted` and
// `isRefused`. `thread` is atomic: 0, until the thread has begun and written there who it is.
//
// | word | meaning | changed by |
// |---|---|---|
// | `wakes` | counts the reasons to look again; the thread sleeps on it | who starts a timer, under the lock |
// | `batches` | odd while what was taken is handed over; who waits for that sleeps on it | the thread, to odd under the lock |
//
// 1. *Exactly one end*: a timer stops pending under the lock, once for each start: taken by the thread, cancelled, or
//    closed with its group.
// 2. *Nothing is early*: the thread takes what is due at a moment that it has read from the clock before (crx_wheel.h,
//    claim 2).
// 3. *Nothing is forgotten*: the thread decides to sleep under the lock, having found nothing due, and states until
//    when in `planned`, with the `wakes` that it saw. Who starts a timer that needs a look before `planned` counts
//    `wakes` up under the same lock: the futex then does not sleep, or is woken. `planned` is 0 while the thread is
//    awake or has been woken: it will look by itself.
// 4. *No lock in a call-out*: `fire` is called with the lock given back; cancel and close hand the debt to the caller,
//    who frees outside.
// 5. *Nothing after a close*: a closed group starts no timer; those that were pending have been taken out; and those
//    that the thread had taken before are in the batch under way, whose end the close waits for. `fire` calls nothing
//    of a user's, so that is soon.
// 6. *Bounded holds*: the thread gives the lock back after BATCH timers or MOVES moves between levels, a close after
//    BATCH. What is moved ahead of its time (crx_wheel.h, claim 6) is moved after what is due has been served, a piece
//    each PAUSE: so a crowd keeps no other timer waiting.
// 7. *Bounded wake-ups*: two looks are RESTING apart, unless nothing came due in between; a lone timer waits for
//    nothing, and wakes the thread at its deadline alone.
// 8. *No thread is no fault*: where the system refuses one, timers stay pending, and each one that starts asks for it
//    again. `refused` is told once, for a thread that has been made stays; who is told asks again
//    (`crx_timers_ask_again`) until that thread has begun, and not only until somebody else asks, who may be refused.

struct crx_timer_group {
    /// The pending timers, linked by `mates`.
    struct crx_link timers;
    bool isClosed;
};

struct crx_timers {
    struct crx_lock lock;
    unsigned wakes;
    unsigned batches;
    /// The thread's identity.
    AO_t thread;
    /// Whether there is a thread, or somebody is about to make it.
    bool isStarted;
    /// Whether an attempt to make it has failed.
    bool isRefused;
    /// When the thread looks by itself, `CRX_NEVER` if it does not.
    uint64_t planned;
    /// The thread does not look again before this.
    uint64_t resting;
    /// How many timers are pending.
    size_t pending;
    void (*_Nonnull fire)(struct crx_timer *_Nonnull timer);
    void (*_Nonnull refused)(int failure);
    struct crx_wheel wheel;
};

/// Makes a service, which stays for the life of the process. Its thread begins with the first timer and keeps no
/// process alive.
///
/// `refused` is called by who starts a timer, with no lock held, where no thread can be made: with the system's error.
/// It sees to it that the thread is asked for again.
void crx_timers_init(struct crx_timers *_Nonnull service, void (*_Nonnull fire)(struct crx_timer *_Nonnull timer),
                     void (*_Nonnull refused)(int failure));

/// Asks for the thread again that was refused. False: it has not begun, and has to be asked for once more, later on.
bool crx_timers_ask_again(struct crx_timers *_Nonnull service);

/// Whether the calling thread is the service's.
CRX_INLINE bool crx_timers_is_current(const struct crx_timers *_Nonnull service) {
    return AO_load(&service->thread) == crx_thread_self();
}

/// The present on the clock of the timers: nanoseconds of CLOCK_MONOTONIC.
uint64_t crx_timers_now(void);

void crx_timer_group_init(struct crx_timer_group *_Nonnull group);

/// Starts a timer that is not pending, at `now` for a deadline.
/// False: the group is closed, or the deadline never comes; then the timer is not pending.
bool crx_timer_start(
    struct crx_timers *_Nonnull service, struct crx_timer *_Nonnull timer, struct crx_timer_group *_Nullable group,
    uint64_t now, uint64_t deadline);

/// Ends a timer's pending. False: it was not pending; if it was started, it has fired or is about to.
bool crx_timer_cancel(struct crx_timers *_Nonnull service, struct crx_timer *_Nonnull timer);

/// Whether no timer of the group is pending or on its way to `fire`; waits for one that is on its way. No other thread
/// may start one meanwhile.
bool crx_timer_group_is_idle(struct crx_timers *_Nonnull service, struct crx_timer_group *_Nonnull group);

/// Closes a group. Afterwards none of its timers fires any more; those that were pending are returned, linked by
/// `mates.next`. Not from `fire`.
struct crx_timer *_Nullable crx_timer_group_close(
    struct crx_timers *_Nonnull service, struct crx_timer_group *_Nonnull group);

/// The next timer of the list that a close returned.
CRX_INLINE struct crx_timer *_Nullable crx_timer_next_closed(const struct crx_timer *_Nonnull timer) {
    struct crx_link *next = timer->mates.next;
    return next == NULL ? NULL : (struct crx_timer *)((char *)next - offsetof(struct crx_timer, mates));
}

/// How many timers are pending.
size_t crx_timers_pending(struct crx_timers *_Nonnull service);

#ifdef __cplusplus
}
#endif

#endif
