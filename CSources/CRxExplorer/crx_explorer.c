#define _GNU_SOURCE
#include "CRxExplorer.h"
#include "crx_thread.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum crx_explore_state { IDLE, RUNNABLE, WAITING, WAITING_FOR_A_TIME, SETTLING };

struct crx_explore_thread {
    /// A futex: 1 while the thread has the baton.
    unsigned baton;
    unsigned number;
    struct crx_explore_pool *pool;
    enum crx_explore_state state;
    const char *place;
    const unsigned *awaits;
    /// The virtual time at which the wait times out.
    uint64_t until;
    /// The word on which the clock's thread waits for the next timer. On any other word, it waits like other threads.
    const unsigned *clock_word;
    bool is_parked;
    void (*body)(void *context, unsigned thread);
    void *context;
    uint32_t left;
    uint32_t priority;
    void *signal_stack;
};

/// The threads, which later runs reuse. If a run does not end, a new pool replaces this one.
struct crx_explore_pool {
    struct crx_explore_thread threads[CRX_EXPLORE_THREADS];
    unsigned made;
    /// A futex: 1 while the threads must stop.
    unsigned is_abandoned;
};

static struct crx_explore_pool *pool;
static __thread struct crx_explore_thread *me;

// The current run. Accessed only by the thread that has the baton.
static struct crx_explore_schedule *run;
/// The number of threads at the start of the run, and the maximum so far.
static unsigned run_first, run_threads;
static bool run_is_over;
static uint64_t run_number;
/// The number of jobs of Swift tasks that executors have accepted; atomic.
static uint64_t run_accepted;
static uint64_t run_random;
static uint64_t run_time;
/// The number of waits that have timed out since a thread was last woken.
static uint32_t run_timeouts;
static uint32_t run_next_switch, run_choices_made, run_lowest;
static uint32_t run_changes[CRX_EXPLORE_THREADS];
/// A futex: 1 while the caller of `crx_explore_run` waits.
static unsigned run_is_on;

static void crx_explore_sleep(unsigned *word, unsigned while_it_is) {
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == while_it_is) {
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, NULL, NULL, 0);
    }
}

static void crx_explore_set(unsigned *word, unsigned value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/// Returns a random number (splitmix64).
static uint64_t crx_explore_random(void) {
    uint64_t mixed = run_random += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

/// After this number of timeouts without a wake, the threads count as deadlocked. A waiter of a lock sleeps again and
/// again for a limited time, so without this limit a deadlock would never be found.
enum { TIMEOUTS_OF_A_DEADLOCK = 64 };

static bool crx_explore_awaits_timer(const struct crx_explore_thread *thread) {
    return thread->clock_word != NULL && thread->awaits == thread->clock_word;
}

/// The threads that can run, as bits.
static unsigned crx_explore_enabled(void) {
    unsigned enabled = 0, timed = 0, settling = 0, servants = 0, others = 0;
    for (unsigned each = 0; each < run_threads; each++) {
        const struct crx_explore_thread *thread = &pool->threads[each];
        bool is_timed = thread->state == WAITING_FOR_A_TIME;
        enabled |= (unsigned)(thread->state == RUNNABLE || (is_timed && crx_explore_awaits_timer(thread))) << each;
        timed |= (unsigned)is_timed << each;
        settling |= (unsigned)(thread->state == SETTLING) << each;
        bool serves = thread->clock_word != NULL || thread->is_parked;
        servants |= (unsigned)(thread->state != IDLE && serves) << each;
        others |= (unsigned)(thread->state != IDLE && !serves) << each;
    }
    if (enabled != 0) {
        return enabled;
    }
    if (timed != 0 && run_timeouts < TIMEOUTS_OF_A_DEADLOCK) {
        return timed;
    }
    if (settling != 0) {
        return settling & -settling;
    }
    // Only the clock and threads that wait for jobs are left. They run once more to return.
    if (others == 0 && servants != 0 && !run_is_over) {
        run_is_over = true;
        for (unsigned each = 0; each < run_threads; each++) {
            pool->threads[each].state = (servants >> each & 1) != 0 ? RUNNABLE : IDLE;
        }
        return servants;
    }
    return 0;
}

static unsigned crx_explore_nth(unsigned enabled, unsigned index) {
    for (; index > 0; index--) {
        enabled &= enabled - 1;
    }
    return (unsigned)__builtin_ctz(enabled);
}

static unsigned crx_explore_highest(unsigned enabled) {
    unsigned best = (unsigned)__builtin_ctz(enabled);
    for (unsigned each = best + 1; each < run_threads; each++) {
        if ((enabled >> each & 1) != 0 && pool->threads[each].priority > pool->threads[best].priority) {
            best = each;
        }
    }
    return best;
}

static uint32_t crx_explore_choice(uint32_t options) {
    uint32_t made = run_choices_made++;
    if (made >= CRX_EXPLORE_SWITCHES) {
        return 0;
    }
    if (made >= run->choice_count) {
        run->choice_count = made + 1;
        run->choices[made].taken = 0;
    }
    run->choices[made].options = options;
    return run->choices[made].taken < options ? run->choices[made].taken : 0;
}

/// Returns the thread that takes the next step, by default `usual`.
static unsigned crx_explore_pick(unsigned enabled, unsigned usual, bool continues) {
    unsigned picked = usual;
    uint32_t step = run->steps;
    switch (run->kind) {
    case CRX_EXPLORE_RANDOM:
        if (!continues || crx_explore_random() % run->spread == 0) {
            unsigned count = (unsigned)__builtin_popcount(enabled);
            picked = crx_explore_nth(enabled, (unsigned)(crx_explore_random() % count));
        }
        break;
    case CRX_EXPLORE_PCT:
        for (uint32_t change = 0; change + 1 < run->depth && change < CRX_EXPLORE_THREADS; change++) {
            if (run_changes[change] == step) {
                pool->threads[crx_explore_highest(enabled)].priority = run_lowest--;
            }
        }
        picked = crx_explore_highest(enabled);
        break;
    case CRX_EXPLORE_LIST:
        while (run_next_switch < run->switch_count && run->switches[run_next_switch].step < step) {
            run_next_switch++;
        }
        if (run_next_switch < run->switch_count && run->switches[run_next_switch].step == step) {
            uint32_t thread = run->switches[run_next_switch++].thread;
            picked = thread < run_threads && (enabled >> thread & 1) != 0 ? thread : usual;
        }
        break;
    case CRX_EXPLORE_MARKS:
        picked = crx_explore_nth(enabled, crx_explore_choice((uint32_t)__builtin_popcount(enabled)));
        break;
    }
    if (picked != usual && run->kind < CRX_EXPLORE_LIST && run->switch_count < CRX_EXPLORE_SWITCHES) {
        run->switches[run->switch_count++] = (struct crx_explore_switch){step, picked};
    }
    if ((enabled & (enabled - 1)) != 0 && run->fork_count < CRX_EXPLORE_STEPS) {
        run->forks[run->fork_count++] =
            (struct crx_explore_step){step, (uint16_t)enabled, (uint8_t)picked, continues};
    }
    return picked;
}

static void crx_explore_pass(unsigned next) {
    struct crx_explore_thread *thread = &pool->threads[next];
    if (thread->state == WAITING_FOR_A_TIME) {
        run_time = thread->until > run_time ? thread->until : run_time;
        run_timeouts += crx_explore_awaits_timer(thread) ? 0 : 1;
    }
    thread->state = RUNNABLE;
    if (thread != me) {
        // This thread's `baton` is cleared first. Otherwise, the next thread could end the run, begin another one and
        // set `baton` again before this thread clears it.
        struct crx_explore_thread *self = me;
        if (self != NULL) {
            __atomic_store_n(&self->baton, 0, __ATOMIC_RELAXED);
        }
        crx_explore_set(&thread->baton, 1);
        if (self != NULL) {
            crx_explore_sleep(&self->baton, 0);
        }
    }
}

static void crx_explore_stop_if_abandoned(void) {
    while (__atomic_load_n(&me->pool->is_abandoned, __ATOMIC_ACQUIRE) != 0) {
        crx_explore_sleep(&me->pool->is_abandoned, 1);
    }
}

static void crx_explore_abandon(enum crx_explore_outcome outcome) {
    run->outcome = outcome;
    __atomic_store_n(&pool->is_abandoned, 1, __ATOMIC_RELAXED);
    struct crx_explore_thread *self = me;
    if (self != NULL) {
        __atomic_store_n(&self->baton, 0, __ATOMIC_RELAXED);
    }
    crx_explore_set(&run_is_on, 0);
    crx_explore_sleep(&self->baton, 0);
}

static void crx_explore_step(const char *place, bool is_choice) {
    crx_explore_stop_if_abandoned();
    me->place = place;
    run->trace = (run->trace ^ ((uintptr_t)place + me->number)) * 0x100000001b3;
    run_time += run->pace;
    __atomic_store_n(&run->steps, run->steps + 1, __ATOMIC_RELAXED);
    if (run->steps >= CRX_EXPLORE_STEPS) {
        crx_explore_abandon(CRX_EXPLORE_ENDLESS);
    }
    unsigned enabled = crx_explore_enabled();
    if (enabled == 0) {
        crx_explore_abandon(CRX_EXPLORE_DEADLOCK);
    }
    bool continues = me->state == RUNNABLE;
    unsigned usual = continues ? me->number : (unsigned)__builtin_ctz(enabled);
    if ((is_choice || !continues) && (enabled & (enabled - 1)) != 0) {
        crx_explore_pass(crx_explore_pick(enabled, usual, continues));
    } else if (!continues) {
        crx_explore_pass(usual);
    }
}

void crx_explore_point(const char *place) {
    if (me != NULL && me->state != IDLE) {
        crx_explore_step(place, run->kind != CRX_EXPLORE_MARKS);
    }
}

static void crx_explore_calls(const char *place) {
    if (me != NULL && me->state != IDLE) {
        crx_explore_step(place, run->kind != CRX_EXPLORE_MARKS);
        if (run->called != NULL) {
            run->called(run->call_context, me->number, place);
        }
    }
}

void crx_explore_mark(const char *place) {
    if (me != NULL && me->state != IDLE) {
        crx_explore_step(place, true);
    }
}

uint32_t crx_explore_choose(uint32_t options) {
    return me == NULL || me->state == IDLE || run->kind != CRX_EXPLORE_MARKS || options < 2 ? 0
        : crx_explore_choice(options);
}

uint32_t crx_explore_choices(void) {
    return run_choices_made;
}

static void crx_explore_contends(void) {
    if (!run->is_contended) {
        run->is_contended = true;
        run->choices_before = run_choices_made;
    }
}

uint32_t crx_explore_left(void) {
    return me == NULL ? 0 : me->left;
}

int crx_explore_current(void) {
    return me == NULL || me->state == IDLE ? -1 : (int)me->number;
}

uint32_t crx_explore_steps(void) {
    return run->steps;
}

uint64_t crx_explore_moment(uint64_t span) {
    if (me == NULL || me->state == IDLE) {
        return 1;
    }
    return run_time + span < span ? 0 : run_time + span;
}

void crx_explore_become_clock(const unsigned *word) {
    if (me != NULL) {
        me->clock_word = word;
    }
}

uint64_t crx_explore_run_number(void) {
    return run_number;
}

bool crx_explore_is_active(void) {
    return __atomic_load_n(&run_is_on, __ATOMIC_ACQUIRE) == 1;
}

void crx_explore_accept(void) {
    __atomic_fetch_add(&run_accepted, 1, __ATOMIC_RELAXED);
}

uint64_t crx_explore_accepted(void) {
    return __atomic_load_n(&run_accepted, __ATOMIC_RELAXED);
}

bool crx_explore_is_over(void) {
    return me != NULL && run_is_over;
}

void crx_explore_settle(void) {
    if (me != NULL && me->state != IDLE) {
        me->state = SETTLING;
        crx_explore_step("settle", true);
    }
}

bool crx_explore_wait(unsigned *word, unsigned seen, uint64_t moment) {
    if (me == NULL || me->state == IDLE) {
        return false;
    }
    crx_explore_stop_if_abandoned();
    if (me->clock_word != word) {
        crx_explore_contends();
    }
    // There is no control point between check and wait: a futex does both in one step.
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == seen) {
        me->awaits = word;
        me->until = moment;
        me->state = moment != 0 ? WAITING_FOR_A_TIME : WAITING;
    }
    crx_explore_step(me->place, true);
    return true;
}

bool crx_explore_park(unsigned *word, unsigned seen) {
    if (me == NULL || me->state == IDLE) {
        return false;
    }
    crx_explore_stop_if_abandoned();
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == seen) {
        me->awaits = word;
        me->state = WAITING;
        me->is_parked = true;
    }
    crx_explore_step(me->place, true);
    me->is_parked = false;
    return true;
}

void crx_explore_wake(unsigned *word) {
    if (me == NULL || me->state == IDLE) {
        return;
    }
    crx_explore_stop_if_abandoned();
    for (unsigned each = 0; each < run_threads; each++) {
        struct crx_explore_thread *thread = &pool->threads[each];
        if ((thread->state == WAITING || thread->state == WAITING_FOR_A_TIME) && thread->awaits == word) {
            thread->state = RUNNABLE;
            thread->is_parked = false;
            run_timeouts = 0;
        }
    }
}

void crx_explore_enqueues(void) {
    if (me != NULL && me->state != IDLE) {
        crx_explore_contends();
        me->left++;
    }
}

bool crx_explore_now(int64_t *now) {
    if (me == NULL || me->state == IDLE) {
        return false;
    }
    *now = (int64_t)run_time;
    return true;
}

static void *crx_explore_array(size_t count, size_t size) {
    void *array = calloc(count, size);
    if (array == NULL) abort();
    return array;
}

enum { CRX_EXPLORE_SIGNAL_STACK = 1 << 16 };

static void *crx_explore_main(void *argument) {
    struct crx_explore_thread *self = argument;
    me = self;
    // A signal handler needs another stack to report an overflow of the thread's stack.
    self->signal_stack = crx_explore_array(1, CRX_EXPLORE_SIGNAL_STACK);
    sigaltstack(&(stack_t){.ss_sp = self->signal_stack, .ss_size = CRX_EXPLORE_SIGNAL_STACK}, NULL);
    for (;;) {
        crx_explore_sleep(&self->baton, 0);
        self->body(self->context, self->number);
        crx_explore_stop_if_abandoned();
        self->state = IDLE;
        self->clock_word = NULL;
        self->is_parked = false;
        self->place = NULL;
        __atomic_store_n(&self->baton, 0, __ATOMIC_RELAXED);
        bool is_over = true;
        for (unsigned each = 0; each < run_threads; each++) {
            is_over = is_over && pool->threads[each].state == IDLE;
        }
        unsigned enabled = crx_explore_enabled();
        if (is_over || enabled == 0) {
            run->outcome = is_over ? CRX_EXPLORE_ENDED : CRX_EXPLORE_DEADLOCK;
            __atomic_store_n(&pool->is_abandoned, is_over ? 0 : 1, __ATOMIC_RELAXED);
            crx_explore_set(&run_is_on, 0);
            continue;
        }
        __atomic_store_n(&run->steps, run->steps + 1, __ATOMIC_RELAXED);
        unsigned next = crx_explore_pick(enabled, (unsigned)__builtin_ctz(enabled), false);
        // With `me` null, `crx_explore_pass` does not sleep; the loop does.
        me = NULL;
        crx_explore_pass(next);
        me = self;
    }
    return NULL;
}

static void crx_explore_make(unsigned threads) {
    if (pool == NULL || pool->is_abandoned != 0) {
        pool = crx_explore_array(1, sizeof *pool);
    }
    if (threads > CRX_EXPLORE_THREADS) {
        fprintf(stderr, "explorer: more than %d threads at once, which it does not support\n", CRX_EXPLORE_THREADS);
        abort();
    }
    for (; pool->made < threads; pool->made++) {
        struct crx_explore_thread *thread = &pool->threads[pool->made];
        thread->number = pool->made;
        thread->pool = pool;
        pthread_t made;
        if (pthread_create(&made, NULL, crx_explore_main, thread) != 0) {
            fprintf(stderr, "explorer: the system refused a thread\n");
            abort();
        }
        pthread_detach(made);
    }
}

static void crx_explore_ready(
    struct crx_explore_thread *thread, void (*body)(void *context, unsigned thread), void *context) {
    thread->body = body;
    thread->context = context;
    thread->state = RUNNABLE;
    thread->place = "start";
    thread->left = 0;
    thread->priority = run->kind == CRX_EXPLORE_PCT ? 1001 + (uint32_t)(crx_explore_random() >> 33) : 0;
}

int crx_explore_spawn(void (*body)(void *context, unsigned thread), void *context) {
    if (me == NULL || me->state == IDLE) {
        return -1;
    }
    unsigned number = run_first;
    while (number < run_threads && pool->threads[number].state != IDLE) {
        number++;
    }
    if (number == run_threads) {
        crx_explore_make(number + 1);
        run_threads = number + 1;
    }
    crx_explore_ready(&pool->threads[number], body, context);
    return (int)number;
}

/// Waits for the end of the run. If the running thread reaches no control point in time, abandons the threads.
static void crx_explore_attend(void) {
    struct timespec patience = {run->patience / 1000, run->patience % 1000 * 1000000L};
    while (__atomic_load_n(&run_is_on, __ATOMIC_ACQUIRE) == 1) {
        uint32_t steps = __atomic_load_n(&run->steps, __ATOMIC_RELAXED);
        if (syscall(SYS_futex, &run_is_on, FUTEX_WAIT_PRIVATE, 1, run->patience == 0 ? NULL : &patience, NULL, 0) == 0
            || errno != ETIMEDOUT || __atomic_load_n(&run->steps, __ATOMIC_RELAXED) != steps) {
            continue;
        }
        __atomic_store_n(&pool->is_abandoned, 1, __ATOMIC_RELEASE);
        // If the thread is between two control points, it stops at the next one.
        struct timespec moment = {0, 20000000};
        nanosleep(&moment, NULL);
        if (__atomic_load_n(&run_is_on, __ATOMIC_ACQUIRE) == 1) {
            run->outcome = CRX_EXPLORE_STUCK;
            __atomic_store_n(&run_is_on, 0, __ATOMIC_RELEASE);
        }
        return;
    }
}

void crx_explore_use_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    int current = sched_getcpu();
    CPU_SET(current < 0 ? 0 : current, &one);
    sched_setaffinity(0, sizeof one, &one);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

struct crx_explore_schedule *crx_explore_schedule_make(void) {
    AO_store(&crx_explore_handler, (AO_t)crx_explore_calls);
    struct crx_explore_schedule *schedule = crx_explore_array(1, sizeof *schedule);
    schedule->spread = 4;
    schedule->pace = 1000;
    schedule->switches = crx_explore_array(CRX_EXPLORE_SWITCHES, sizeof *schedule->switches);
    schedule->choices = crx_explore_array(CRX_EXPLORE_SWITCHES, sizeof *schedule->choices);
    schedule->forks = crx_explore_array(CRX_EXPLORE_STEPS, sizeof *schedule->forks);
    return schedule;
}

void crx_explore_run(struct crx_explore_schedule *schedule, unsigned threads,
                     void (*body)(void *context, unsigned thread), void *context) {
    run = schedule;
    crx_explore_make(threads);
    run_first = run_threads = threads;
    run_is_over = false;
    run_number++;
    run_random = schedule->seed;
    run_time = 1;
    run_next_switch = run_choices_made = run_timeouts = 0;
    schedule->outcome = CRX_EXPLORE_ENDED;
    schedule->steps = schedule->fork_count = 0;
    schedule->trace = 0xcbf29ce484222325;
    schedule->is_contended = false;
    if (schedule->kind < CRX_EXPLORE_LIST) {
        schedule->switch_count = 0;
    }
    run_lowest = 1000;
    for (unsigned each = 0; each < threads; each++) {
        crx_explore_ready(&pool->threads[each], body, context);
    }
    if (schedule->kind == CRX_EXPLORE_PCT) {
        for (unsigned each = 0; each < CRX_EXPLORE_THREADS; each++) {
            uint32_t steps = schedule->expected > 0 ? schedule->expected : 1;
            run_changes[each] = 1 + (uint32_t)(crx_explore_random() % steps);
        }
    }
    __atomic_store_n(&run_is_on, 1, __ATOMIC_RELAXED);
    unsigned enabled = crx_explore_enabled();
    crx_explore_pass((enabled & (enabled - 1)) != 0 ? crx_explore_pick(enabled, 0, false) : 0);
    crx_explore_attend();
}

const char *crx_explore_place(unsigned thread) {
    return thread < CRX_EXPLORE_THREADS && pool != NULL ? pool->threads[thread].place : NULL;
}
