#define _GNU_SOURCE
#include "crx_timer.h"
#include "crx_futex.h"
#include "crx_thread.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

/// BATCH: the maximum number of timers removed before the lock is released. MOVES: the maximum number of moves between
/// levels by `crx_wheel_pop`, and again by `crx_wheel_prepare`, before the lock is released.
enum { BATCH = 128, MOVES = 256 };
/// The minimum nanoseconds between a check that found a due timer and the next planned check.
enum { RESTING = 250000 };
/// The nanoseconds between two calls of `crx_wheel_prepare` that move timers. In between, other threads can acquire the
/// lock.
enum { PAUSE = 50000 };

uint64_t crx_timers_now(void) {
    CRX_EXPLORE_NOW();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// MARK: The thread

static uint64_t crx_timers_rested_locked(const struct crx_timers *service, uint64_t look) {
    return look < service->resting ? service->resting : look;
}

/// Removes due timers, stores them in `batch` and returns their number. If none is due, moves timers out of crowded
/// slots, and stores the time of the next check in `planned`. Stores the value of `service->wakes` in `wakes`. The
/// thread may sleep only while that value is unchanged.
static unsigned crx_timers_take(
    struct crx_timers *service, struct crx_timer **batch, uint64_t *planned, unsigned *wakes) {
    unsigned count = 0, moves = MOVES;
    uint64_t now = crx_timers_now();
    crx_lock_acquire(&service->lock);
    service->planned = 0;
    while (count < BATCH) {
        struct crx_timer *timer = crx_wheel_pop(&service->wheel, now, &moves);
        if (timer == NULL) {
            break;
        }
        if (timer->mates.next != NULL) {
            crx_link_remove(&timer->mates);
        }
        service->pending--;
        batch[count++] = timer;
    }
    if (count > 0) {
        service->resting = now + RESTING;
        AO_int_store(&service->batches, AO_int_load(&service->batches) + 1);
    } else if (moves > 0) {
        moves = MOVES;
        crx_wheel_prepare(&service->wheel, &moves);
        if (moves < MOVES && service->resting < now + PAUSE) {
            service->resting = now + PAUSE;
        }
        service->planned = crx_timers_rested_locked(service, crx_wheel_next(&service->wheel));
    }
    *planned = service->planned;
    *wakes = AO_int_load(&service->wakes);
    crx_lock_release(&service->lock);
    return count;
}

static void *crx_timers_serve(void *argument) {
    struct crx_timers *service = argument;
    AO_store(&service->thread, crx_thread_self());
    if (!CRX_EXPLORE_IS_CONTROLLED()) {
        crx_thread_begin("rx.timers");
        // By default, the kernel may wake the thread 50 microseconds late.
        prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    }
    while (!CRX_EXPLORE_IS_OVER()) {
        struct crx_timer *batch[BATCH];
        uint64_t planned;
        unsigned wakes;
        unsigned count = crx_timers_take(service, batch, &planned, &wakes);
        for (unsigned index = 0; index < count; index++) {
            service->fire(batch[index]);
        }
        if (count > 0) {
            AO_int_fetch_and_add1_release(&service->batches);
            crx_futex_wake(&service->batches, INT_MAX);
        } else if (planned == CRX_NEVER) {
            crx_futex_wait(&service->wakes, wakes);
        } else if (planned > 0) {
            crx_futex_wait_until(&service->wakes, wakes, planned);
        }
    }
    return NULL;
}

#ifdef RX_EXPLORE
static void crx_timers_serve_explored(void *argument, unsigned thread) {
    struct crx_timers *service = argument;
    (void)thread;
    crx_explore_become_clock(&service->wakes);
    crx_timers_serve(service);
}
#endif

/// Creates the service's thread. Called only by the thread that has set `isStarted`. If the creation fails, `isStarted`
/// is cleared, and the next start of a timer tries again.
static void crx_timers_begin(struct crx_timers *service) {
#ifdef RX_EXPLORE
    if (crx_explore_spawn(crx_timers_serve_explored, service) >= 0) {
        return;
    }
#endif
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    int failure = crx_thread_create(&thread, &attributes, crx_timers_serve, service);
    pthread_attr_destroy(&attributes);
    if (failure == 0) {
        return;
    }
    crx_lock_acquire(&service->lock);
    bool isNew = !service->isRefused;
    service->isRefused = true;
    service->isStarted = false;
    crx_lock_release(&service->lock);
    if (isNew) {
        service->refused(failure);
    }
}

bool crx_timers_ask_again(struct crx_timers *service) {
    if (AO_load(&service->thread) != 0) {
        return true;
    }
    crx_lock_acquire(&service->lock);
    bool begins = !service->isStarted;
    service->isStarted = true;
    crx_lock_release(&service->lock);
    if (begins) {
        crx_timers_begin(service);
    }
    return false;
}

/// Whether the planned check is too late for a slot that must be checked at `look`. If so, increments `wakes`, and the
/// caller must wake the thread after releasing the lock.
static bool crx_timers_must_wake_locked(struct crx_timers *service, uint64_t look) {
    if (crx_timers_rested_locked(service, look) >= service->planned) {
        return false;
    }
    service->planned = 0;
    AO_int_store(&service->wakes, AO_int_load(&service->wakes) + 1);
    return true;
}

// MARK: Starting, ending

void crx_timers_init(struct crx_timers *service, void (*fire)(struct crx_timer *timer), void (*refused)(int failure)) {
    memset(service, 0, sizeof *service);
    service->fire = fire;
    service->refused = refused;
    crx_wheel_init(&service->wheel, crx_timers_now());
}

void crx_timer_group_init(struct crx_timer_group *group) {
    crx_link_init(&group->timers);
    group->isClosed = false;
}

bool crx_timer_start(
    struct crx_timers *service, struct crx_timer *timer, struct crx_timer_group *group, uint64_t now,
    uint64_t deadline) {
    if (deadline > CRX_WHEEL_LAST) {
        return false;
    }
    crx_lock_acquire(&service->lock);
    if (group != NULL) {
        if (group->isClosed) {
            crx_lock_release(&service->lock);
            return false;
        }
        crx_link_insert(&timer->mates, group->timers.prev);
    }
    crx_wheel_advance(&service->wheel, now);
    uint64_t look = crx_wheel_insert(&service->wheel, timer, deadline);
    service->pending++;
    bool begins = !service->isStarted;
    service->isStarted = true;
    bool wakes = crx_timers_must_wake_locked(service, look);
    crx_lock_release(&service->lock);
    if (CRX_UNLIKELY(begins)) {
        crx_timers_begin(service);
    } else if (CRX_UNLIKELY(wakes)) {
        crx_futex_wake(&service->wakes, 1);
    }
    return true;
}

static void crx_timer_remove_locked(struct crx_timers *service, struct crx_timer *timer) {
    crx_wheel_remove(&service->wheel, timer);
    if (timer->mates.next != NULL) {
        crx_link_remove(&timer->mates);
    }
    service->pending--;
}

bool crx_timer_cancel(struct crx_timers *service, struct crx_timer *timer) {
    crx_lock_acquire(&service->lock);
    bool ends = crx_timer_is_pending_locked(timer);
    if (ends) {
        crx_timer_remove_locked(service, timer);
    }
    crx_lock_release(&service->lock);
    return ends;
}

// MARK: Groups

/// Waits until the current batch has been passed to `fire`. `batches` was read under the lock, and is odd if a batch
/// was in progress.
static void crx_timers_settle(struct crx_timers *service, unsigned batches) {
    while (batches % 2 != 0 && AO_int_load_acquire(&service->batches) == batches) {
        crx_futex_wait(&service->batches, batches);
    }
}

bool crx_timer_group_is_idle(struct crx_timers *service, struct crx_timer_group *group) {
    crx_lock_acquire(&service->lock);
    unsigned batches = AO_int_load_acquire(&service->batches);
    bool isIdle = crx_link_is_empty(&group->timers);
    crx_lock_release(&service->lock);
    if (isIdle) {
        crx_timers_settle(service, batches);
    }
    return isIdle;
}

struct crx_timer *crx_timer_group_close(struct crx_timers *service, struct crx_timer_group *group) {
    struct crx_link *closed = NULL;
    bool isEmpty;
    unsigned batches;
    do {
        crx_lock_acquire(&service->lock);
        group->isClosed = true;
        for (int left = BATCH; left > 0 && !crx_link_is_empty(&group->timers); left--) {
            struct crx_link *mates = group->timers.next;
            crx_timer_remove_locked(service, (struct crx_timer *)((char *)mates - offsetof(struct crx_timer, mates)));
            mates->next = closed;
            closed = mates;
        }
        isEmpty = crx_link_is_empty(&group->timers);
        batches = AO_int_load_acquire(&service->batches);
        crx_lock_release(&service->lock);
    } while (!isEmpty);
    crx_timers_settle(service, batches);
    return closed == NULL ? NULL : (struct crx_timer *)((char *)closed - offsetof(struct crx_timer, mates));
}

size_t crx_timers_pending(struct crx_timers *service) {
    crx_lock_acquire(&service->lock);
    size_t pending = service->pending;
    crx_lock_release(&service->lock);
    return pending;
}
