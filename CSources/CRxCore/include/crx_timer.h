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
// A timer lies in its owner's memory. While pending, it holds a reference to its owner. The code that ends the timer
// takes over the reference: `fire`, the caller of a cancel that returns true, or the thread that closes the group.
//
// `lock` protects the wheel, every timer's links, the groups' lists, `planned`, `resting`, `isStarted` and `isRefused`.
// `thread` is atomic: 0 until the thread has begun and stored its identity there.
//
// | word | meaning | changed by |
// |---|---|---|
// | `wakes` | incremented to make the thread check the wheel again; the thread sleeps on it | a thread that starts a timer, under the lock |
// | `batches` | odd while a batch of due timers is passed to `fire`; threads that wait for the batch's end sleep on it | the service's thread; to an odd value under the lock |
//
// 1. *Exactly one end*: each started timer ends once, under the lock. Either the thread removes the timer because it is
//    due, or the timer is cancelled, or its group is closed.
// 2. *Nothing is early*: the thread reads the clock, then removes the timers due at that time (crx_wheel.h, claim 2).
// 3. *Nothing is forgotten*: the thread decides to sleep under the lock, after it has found no due timer. Before it
//    releases the lock, it stores the end of its sleep in `planned`, and reads `wakes`. If `planned` is too late for a
//    new timer, the thread that starts the timer increments `wakes` under the same lock. Then the service's thread does
//    not sleep, or is woken. While the service's thread is awake or has been woken, it will check the wheel anyway, so
//    `planned` is 0.
// 4. *No lock in a call-out*: `fire` is called without the lock. The callers of cancel and close release the timer's
//    reference outside the lock.
// 5. *Nothing after a close*: a closed group starts no timer, and its pending timers have been removed. Timers that the
//    thread had removed before the close are in the current batch. The close waits for the batch's end. The wait is
//    short, because `fire` calls no user code.
// 6. *Bounded work under the lock*: the thread releases the lock after it has removed BATCH timers or made MOVES moves
//    between levels. (crx_timer.c defines these constants.) A close releases the lock after BATCH timers. Crowded slots
//    are prepared (crx_wheel.h, claim 6) only when no timer is due, up to MOVES timers per PAUSE. So a crowded slot
//    does not delay other slots.
// 7. *Bounded wake-ups*: after a check that found a due timer, the thread plans no check for RESTING (250 µs). So a
//    timer may be 250 µs late if another timer was due shortly before. It may be PAUSE (50 µs) late after a crowded
//    slot was prepared.
// 8. *The thread may be refused*: if the system cannot create the thread, timers stay pending, and each start of a
//    timer tries again. `refused` is called for the first failure only. The client then calls `crx_timers_ask_again`
//    until the thread has begun.

struct crx_timer_group {
    /// The pending timers, linked by `mates`.
    struct crx_link timers;
    bool isClosed;
};

struct crx_timers {
    struct crx_lock lock;
    unsigned wakes;
    unsigned batches;
    AO_t thread;
    /// Whether the thread has been created or is being created.
    bool isStarted;
    /// Whether an attempt to create the thread has ever failed.
    bool isRefused;
    /// The end of the thread's sleep (claim 3); `CRX_NEVER` if the thread sleeps until it is woken.
    uint64_t planned;
    /// The time before which the thread plans no check.
    uint64_t resting;
    size_t pending;
    void (*_Nonnull fire)(struct crx_timer *_Nonnull timer);
    void (*_Nonnull refused)(int failure);
    struct crx_wheel wheel;
};

/// Sets up the service, for the life of the process. Its thread begins with the first timer and does not keep the
/// process alive. If the system cannot create the thread, `crx_timer_start` calls `refused` with the system's error,
/// without a lock (claim 8).
void crx_timers_init(struct crx_timers *_Nonnull service, void (*_Nonnull fire)(struct crx_timer *_Nonnull timer),
                     void (*_Nonnull refused)(int failure));

/// Retries a failed creation of the thread (claim 8). Returns whether the thread has begun.
bool crx_timers_ask_again(struct crx_timers *_Nonnull service);

CRX_INLINE bool crx_timers_is_current(const struct crx_timers *_Nonnull service) {
    return AO_load(&service->thread) == crx_thread_self();
}

/// The time in nanoseconds of CLOCK_MONOTONIC.
uint64_t crx_timers_now(void);

void crx_timer_group_init(struct crx_timer_group *_Nonnull group);

/// Starts a timer that is not pending. Returns false, and does not start the timer, if the group is closed or the
/// deadline is after CRX_WHEEL_LAST.
bool crx_timer_start(
    struct crx_timers *_Nonnull service, struct crx_timer *_Nonnull timer, struct crx_timer_group *_Nullable group,
    uint64_t now, uint64_t deadline);

/// Cancels a timer. Returns false if it is not pending: not started, fired, or about to fire.
bool crx_timer_cancel(struct crx_timers *_Nonnull service, struct crx_timer *_Nonnull timer);

/// Returns whether no timer of the group is pending. If none is pending, first waits for the end of the current batch.
/// During the call, no other thread may start a timer of the group.
bool crx_timer_group_is_idle(struct crx_timers *_Nonnull service, struct crx_timer_group *_Nonnull group);

/// Closes the group, after which none of its timers fires. Returns the timers that were pending, linked by
/// `mates.next`. Must not be called from `fire`.
struct crx_timer *_Nullable crx_timer_group_close(
    struct crx_timers *_Nonnull service, struct crx_timer_group *_Nonnull group);

CRX_INLINE struct crx_timer *_Nullable crx_timer_next_closed(const struct crx_timer *_Nonnull timer) {
    struct crx_link *next = timer->mates.next;
    return next == NULL ? NULL : (struct crx_timer *)((char *)next - offsetof(struct crx_timer, mates));
}

size_t crx_timers_pending(struct crx_timers *_Nonnull service);

#ifdef __cplusplus
}
#endif

#endif
