#ifndef CRX_TIMER_H
#define CRX_TIMER_H

#include "crx_lock.h"
#include "crx_thread.h"
#include "crx_wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

// The timer service: one wheel, one lock and one thread for any number of timers, on CLOCK_MONOTONIC. The thread runs
// no user code: it passes due timers to `fire`, which puts them into a scheduler's queue.
//
// A timer lies in its owner's memory. A pending timer holds a reference to that memory (its debt). The thread that ends
// the pending takes over the reference: `fire` (the service's thread), the caller of a cancel that returns true, or the
// thread that closes the group.
//
// Guarded by `lock`: the wheel, every timer's links, the groups' lists, `planned`, `resting`, `isStarted` and
// `isRefused`. `thread` is atomic: 0 until the thread has begun and stored its identity there.
//
// | word | meaning | changed by |
// |---|---|---|
// | `wakes` | counts the reasons to look again; the thread sleeps on it | a thread that starts a timer, under the lock |
// | `batches` | odd while a batch is passed to `fire`; threads that wait for its end sleep on it | the service's thread; to odd under the lock |
//
// 1. *Exactly one end*: each start of a timer has one end, under the lock: the thread takes it, it is cancelled, or its
//    group is closed.
// 2. *Nothing is early*: the thread takes what is due at a moment that it read from the clock before (crx_wheel.h,
//    claim 2).
// 3. *Nothing is forgotten*: the thread decides to sleep under the lock, after it has found nothing due. It stores the
//    end of its sleep in `planned`, and reads `wakes`. A thread that starts a timer which needs an earlier look
//    increments `wakes` under the same lock: the futex then does not sleep, or is woken. `planned` is 0 while the
//    thread is awake or has been woken: it will look by itself.
// 4. *No lock in a call-out*: `fire` is called without the lock. Cancel and close return the debt to their caller,
//    which releases it outside the lock.
// 5. *Nothing after a close*: a closed group starts no timer, and its pending timers have been taken out. Timers that
//    the thread had taken before are in the current batch, and the close waits for its end, which is soon: `fire` calls
//    no user code.
// 6. *Bounded holds*: the thread releases the lock after BATCH timers or MOVES moves between levels, a close after
//    BATCH timers. Timers are moved ahead of their time (crx_wheel.h, claim 6) only after those due have been served,
//    one piece each PAUSE. So a crowd delays no other timer.
// 7. *Bounded wake-ups*: two looks are at least RESTING apart, unless the first found nothing due. A lone timer is not
//    delayed, and wakes the thread only at its deadline.
// 8. *No thread is no fault*: if the system refuses a thread, timers stay pending, and each timer that starts asks for
//    the thread again. `refused` is called once, because a thread that was made stays. Its receiver calls
//    `crx_timers_ask_again` until that thread has begun: another thread that asks may be refused as well.

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
    /// Whether there is a thread, or a caller is about to make it.
    bool isStarted;
    /// Whether an attempt to make it has failed.
    bool isRefused;
    /// When the thread looks by itself; `CRX_NEVER` if it does not.
    uint64_t planned;
    /// The thread does not look again before this.
    uint64_t resting;
    /// The number of pending timers.
    size_t pending;
    void (*_Nonnull fire)(struct crx_timer *_Nonnull timer);
    void (*_Nonnull refused)(int failure);
    struct crx_wheel wheel;
};

/// Initializes a service, which lasts for the life of the process. Its thread begins with the first timer and does not
/// keep the process alive.
///
/// `refused` is called with the system's error if no thread can be made, by the thread that starts a timer, with no
/// lock held. It must arrange for later calls of `crx_timers_ask_again` (claim 8).
void crx_timers_init(struct crx_timers *_Nonnull service, void (*_Nonnull fire)(struct crx_timer *_Nonnull timer),
                     void (*_Nonnull refused)(int failure));

/// Asks again for a refused thread. Returns false if the thread has not begun yet: call again later.
bool crx_timers_ask_again(struct crx_timers *_Nonnull service);

CRX_INLINE bool crx_timers_is_current(const struct crx_timers *_Nonnull service) {
    return AO_load(&service->thread) == crx_thread_self();
}

/// The current time of the timers' clock: nanoseconds of CLOCK_MONOTONIC.
uint64_t crx_timers_now(void);

void crx_timer_group_init(struct crx_timer_group *_Nonnull group);

/// Starts a timer that is not pending, at `now`, for a deadline. Returns false if the group is closed or the deadline
/// never comes; then the timer is not pending.
bool crx_timer_start(
    struct crx_timers *_Nonnull service, struct crx_timer *_Nonnull timer, struct crx_timer_group *_Nullable group,
    uint64_t now, uint64_t deadline);

/// Cancels a timer. Returns false if it was not pending: if it was started, it has fired or is about to.
bool crx_timer_cancel(struct crx_timers *_Nonnull service, struct crx_timer *_Nonnull timer);

/// Whether no timer of the group is pending; waits for the end of the current batch. No other thread may start a timer
/// of the group during the call.
bool crx_timer_group_is_idle(struct crx_timers *_Nonnull service, struct crx_timer_group *_Nonnull group);

/// Closes a group. Afterwards none of its timers fires. Returns those that were pending, linked by `mates.next`. Must
/// not be called from `fire`.
struct crx_timer *_Nullable crx_timer_group_close(
    struct crx_timers *_Nonnull service, struct crx_timer_group *_Nonnull group);

CRX_INLINE struct crx_timer *_Nullable crx_timer_next_closed(const struct crx_timer *_Nonnull timer) {
    struct crx_link *next = timer->mates.next;
    return next == NULL ? NULL : (struct crx_timer *)((char *)next - offsetof(struct crx_timer, mates));
}

/// The number of pending timers.
size_t crx_timers_pending(struct crx_timers *_Nonnull service);

#ifdef __cplusplus
}
#endif

#endif
