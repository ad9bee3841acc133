#ifndef CRX_EXPLORE_H
#define CRX_EXPLORE_H

// The explorer, in the target CRxExplorer, runs a program on controlled threads. At each control point, a strategy
// decides which thread runs next. Control points do not affect threads that are not controlled.
//
// With `RX_EXPLORE`, every atomic operation of the core and every wait is a control point. Otherwise, the only control
// points are those of RxTest and, in debug builds, the public calls of RxSwift.
//
// 1. *One baton*: a controlled thread runs only while it has the baton. Only that thread accesses the explorer's state;
//    the futex that passes the baton orders these accesses.
// 2. *A wait is a state*: a controlled thread that waits for a change of a word does not sleep in the kernel. It waits
//    until another controlled thread calls `crx_explore_wake` for the word. A wait with a time limit times out only if
//    no thread can run; virtual time then jumps to the limit. The wait of the clock (the thread that fires timers) may
//    time out at any step. A run may end while some threads, such as those of a pool, wait for their next job.
// 3. *Sequential consistency*: a thread sees all stores of the threads that ran before, so memory-ordering bugs are not
//    found.

#include "crx_atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

// A step has at most one switch.
enum { CRX_EXPLORE_THREADS = 16, CRX_EXPLORE_STEPS = 16384, CRX_EXPLORE_SWITCHES = CRX_EXPLORE_STEPS };

enum crx_explore_kind {
    /// Switches with the probability 1 / `spread` at each step, to any thread that can run.
    CRX_EXPLORE_RANDOM,
    /// Runs the thread with the highest priority. At `depth` - 1 random steps, first gives that thread the lowest
    /// priority.
    CRX_EXPLORE_PCT,
    /// Switches exactly at the steps in `switches`.
    CRX_EXPLORE_LIST,
    /// Switches only at marks (`crx_explore_mark`) and where a thread waits or ends. `choices` prescribes the next
    /// thread. After the last choice, the next thread is the first that can run.
    CRX_EXPLORE_MARKS,
};

/// A switch that differs from the default schedule. By default, a thread runs until it ends or waits. Then the
/// lowest-numbered thread that can run continues.
struct crx_explore_switch {
    uint32_t step;
    uint32_t thread;
};

/// A choice of a run with CRX_EXPLORE_MARKS: `taken` is below `options`.
struct crx_explore_choice {
    uint32_t options;
    uint32_t taken;
};

/// A step at which several threads could run. `enabled`: those threads, as bits. `chosen`: the thread that ran.
/// `preempts`: whether the previous thread could have continued.
struct crx_explore_step {
    uint32_t step;
    uint16_t enabled;
    uint8_t chosen;
    bool preempts;
};

enum crx_explore_outcome {
    CRX_EXPLORE_ENDED,
    CRX_EXPLORE_DEADLOCK,
    /// The run took more than CRX_EXPLORE_STEPS steps.
    CRX_EXPLORE_ENDLESS,
    /// No thread reached a control point within `patience`.
    CRX_EXPLORE_STUCK,
};

struct crx_explore_schedule {
    enum crx_explore_kind kind;
    uint64_t seed;
    /// For CRX_EXPLORE_PCT: the `depth` - 1 random steps are among the first `expected` steps.
    uint32_t depth;
    uint32_t expected;
    /// For CRX_EXPLORE_RANDOM: the inverse of a switch's probability.
    uint32_t spread;
    /// The virtual nanoseconds that a step takes.
    uint32_t pace;
    /// The milliseconds without a control point after which the outcome is CRX_EXPLORE_STUCK; 0 is no limit.
    uint32_t patience;
    /// Called at each `crx_explore_call`, on the calling thread, with `call_context`; may be null.
    void (*_Nullable called)(void *_Nullable context, unsigned thread, const char *_Nonnull place);
    void *_Nullable call_context;

    enum crx_explore_outcome outcome;
    /// The number of steps, and one hash over the threads and places of all steps.
    uint32_t steps;
    uint64_t trace;
    /// Whether a thread has found a gate or a lock owned by another thread, and the number of choices before that.
    bool is_contended;
    uint32_t choices_before;
    /// For CRX_EXPLORE_LIST: the switches to make. After a random or PCT run: the switches that repeat the run.
    uint32_t switch_count;
    struct crx_explore_switch *_Nonnull switches;
    /// For CRX_EXPLORE_MARKS: the first choices to make. After the run: all choices made.
    uint32_t choice_count;
    struct crx_explore_choice *_Nonnull choices;
    /// After the run: the steps at which another thread could have run.
    uint32_t fork_count;
    struct crx_explore_step *_Nonnull forks;
};

/// Allocates a schedule, which is never freed.
struct crx_explore_schedule *_Nonnull crx_explore_schedule_make(void);

/// Restricts the process to one processor, so that passing the baton wakes no other processor.
void crx_explore_use_one_processor(void);

/// Runs `body` on `threads` controlled threads. Returns when all threads, including spawned ones, have ended. Threads
/// that cannot end are abandoned (see `crx_explore_outcome`).
///
/// The process must have at most one run at a time.
void crx_explore_run(
    struct crx_explore_schedule *_Nonnull schedule, unsigned threads,
    void (*_Nonnull body)(void *_Nullable context, unsigned thread), void *_Nullable context);

/// Runs `body` on another controlled thread. Returns that thread's number, or -1 if the caller is not controlled.
/// Aborts if CRX_EXPLORE_THREADS threads are already running.
int crx_explore_spawn(void (*_Nonnull body)(void *_Nullable context, unsigned thread), void *_Nullable context);

/// Makes the calling thread the clock: its wait for `word` may end at any step. The thread must return when all other
/// threads have ended.
void crx_explore_become_clock(const unsigned *_Nonnull word);

uint64_t crx_explore_run_number(void);

bool crx_explore_is_active(void);

/// Whether all other threads have ended, so that the clock and the threads that wait for jobs must return.
bool crx_explore_is_over(void);

/// Counts a job of a Swift task that an executor with controlled threads has accepted.
void crx_explore_accept(void);

uint64_t crx_explore_accepted(void);

/// Waits until no other thread can run and no timer is left.
void crx_explore_settle(void);

/// After a deadlock, returns the function in which the thread waits or was stopped; null for a thread that has ended.
const char *_Nullable crx_explore_place(unsigned thread);

/// The number of the calling thread, or -1 if it is not controlled.
int crx_explore_current(void);

void crx_explore_point(const char *_Nonnull place);

/// A control point at a public call of RxSwift. Calls the function in `crx_explore_handler`, if there is one. That
/// function calls the schedule's function `called`. Returns true, for use inside an `assert`.
bool crx_explore_call(const char *_Nonnull place);

/// The function that `crx_explore_call` calls; 0 until the process explores.
extern AO_t crx_explore_handler;

/// A mark: a control point of the program under test, at which CRX_EXPLORE_MARKS may switch.
void crx_explore_mark(const char *_Nonnull place);

/// Returns a number below `options` to the program under test. With CRX_EXPLORE_MARKS, `choices` prescribes the number;
/// otherwise it is 0.
uint32_t crx_explore_choose(uint32_t options);

uint32_t crx_explore_choices(void);

/// The number of events that the calling thread has enqueued for other threads during the run.
uint32_t crx_explore_left(void);

uint32_t crx_explore_steps(void);

/// Waits while the word is `seen`, at most until the virtual time `moment`; 0 is no limit. Returns false for a thread
/// that is not controlled.
bool crx_explore_wait(unsigned *_Nonnull word, unsigned seen, uint64_t moment);
void crx_explore_wake(unsigned *_Nonnull word);
/// Like `crx_explore_wait` without a limit, for a thread that waits for its next job. The wait ends with the run.
bool crx_explore_park(unsigned *_Nonnull word, unsigned seen);
/// Counts an enqueued event (`crx_explore_left`).
void crx_explore_enqueues(void);
/// Stores the virtual time in `now`. Returns false for a thread that is not controlled.
bool crx_explore_now(int64_t *_Nonnull now);
/// Returns the virtual time `span` nanoseconds from now. Returns 0 (no limit) if that time exceeds 64 bits, and 1 for a
/// thread that is not controlled.
uint64_t crx_explore_moment(uint64_t span);

#ifdef __cplusplus
}
#endif

#ifdef RX_EXPLORE

#ifdef __cplusplus
extern "C" {
#endif

/// Waits until the count in `word` is above 0, and decrements it. Waits at most `span` nanoseconds; UINT64_MAX is no
/// limit. A signal from a thread that is not controlled wakes no controlled thread.
bool crx_explore_semaphore_wait(unsigned *_Nonnull word, uint64_t span);
/// Like `crx_explore_semaphore_wait` without a limit. Returns false if the run is over.
bool crx_explore_semaphore_park(unsigned *_Nonnull word);
void crx_explore_semaphore_signal(unsigned *_Nonnull word);

#ifdef __cplusplus
}
#endif

#define CRX_EXPLORE_WAIT(word, seen, moment) \
    do { \
        if (crx_explore_wait(word, seen, moment)) return; \
    } while (0)
#define CRX_EXPLORE_WAKE(word) crx_explore_wake(word)
#define CRX_EXPLORE_ENQUEUES() crx_explore_enqueues()
#define CRX_EXPLORE_LINGER() \
    do { \
        if (crx_explore_current() >= 0) return; \
    } while (0)
#define CRX_EXPLORE_NOW() \
    do { \
        int64_t virtual_now; \
        if (crx_explore_now(&virtual_now)) return virtual_now; \
    } while (0)

// The field `gate` of a thread's record is ignored. It may still have the address of a freed gate. If a new gate had
// that address in one run but not in its replay, the two runs would have different steps.
#define CRX_EXPLORE_TRUSTS_HINTS false
#define CRX_EXPLORE_IS_CONTROLLED() (crx_explore_current() >= 0)
#define CRX_EXPLORE_IS_OVER() crx_explore_is_over()

#define AO_load(address) (crx_explore_point(__func__), AO_load(address))
#define AO_load_acquire(address) (crx_explore_point(__func__), AO_load_acquire(address))
#define AO_int_load(address) (crx_explore_point(__func__), AO_int_load(address))
#define AO_int_load_acquire(address) (crx_explore_point(__func__), AO_int_load_acquire(address))
#define AO_store(address, value) (crx_explore_point(__func__), AO_store(address, value))
#define AO_store_release(address, value) (crx_explore_point(__func__), AO_store_release(address, value))
#define AO_int_store(address, value) (crx_explore_point(__func__), AO_int_store(address, value))
#define AO_int_store_release(address, value) (crx_explore_point(__func__), AO_int_store_release(address, value))
#define AO_fetch_compare_and_swap_acquire(address, old, new_) \
    (crx_explore_point(__func__), AO_fetch_compare_and_swap_acquire(address, old, new_))
#define AO_fetch_compare_and_swap_release(address, old, new_) \
    (crx_explore_point(__func__), AO_fetch_compare_and_swap_release(address, old, new_))
#define AO_fetch_compare_and_swap_full(address, old, new_) \
    (crx_explore_point(__func__), AO_fetch_compare_and_swap_full(address, old, new_))
#define AO_int_fetch_compare_and_swap(address, old, new_) \
    (crx_explore_point(__func__), AO_int_fetch_compare_and_swap(address, old, new_))
#define AO_int_fetch_compare_and_swap_acquire(address, old, new_) \
    (crx_explore_point(__func__), AO_int_fetch_compare_and_swap_acquire(address, old, new_))
#define AO_int_fetch_compare_and_swap_full(address, old, new_) \
    (crx_explore_point(__func__), AO_int_fetch_compare_and_swap_full(address, old, new_))
#define AO_fetch_and_add_full(address, value) (crx_explore_point(__func__), AO_fetch_and_add_full(address, value))
#define AO_int_fetch_and_add(address, value) (crx_explore_point(__func__), AO_int_fetch_and_add(address, value))
#define AO_int_fetch_and_sub1(address) (crx_explore_point(__func__), AO_int_fetch_and_sub1(address))
#define AO_int_fetch_and_sub1_full(address) (crx_explore_point(__func__), AO_int_fetch_and_sub1_full(address))

#else

#define CRX_EXPLORE_WAIT(word, seen, moment) ((void)0)
#define CRX_EXPLORE_WAKE(word) ((void)0)
#define CRX_EXPLORE_ENQUEUES() ((void)0)
#define CRX_EXPLORE_LINGER() ((void)0)
#define CRX_EXPLORE_NOW() ((void)0)
#define CRX_EXPLORE_TRUSTS_HINTS true
#define CRX_EXPLORE_IS_CONTROLLED() false
#define CRX_EXPLORE_IS_OVER() false

#endif
#endif
