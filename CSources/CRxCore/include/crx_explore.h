#ifndef CRX_EXPLORE_H
#define CRX_EXPLORE_H

// Control points of the explorer (Tests/Explore). Without `RX_EXPLORE`, this header declares nothing and its macros are
// empty, so the object code is that of a build without it.
//
// With `RX_EXPLORE`, every atomic operation of the core and every wait passes `crx_explore_point`. Of the threads that
// `crx_explore_run` controls, exactly one runs at a time. At each control point a strategy decides which thread runs
// next. Other threads pass without effect.
//
// 1. *One baton*: a controlled thread runs only between receiving the baton and passing it on. Only its holder touches
//    the explorer's state, and the futex that passes it orders the accesses.
// 2. *A wait is a state*: a controlled thread never sleeps in the kernel for a word of the library. It waits until a
//    controlled thread wakes that word. A wait with a limit of time ends by itself only if no thread can run.
// 3. *Sequential consistency*: a thread sees all stores of the thread that ran before. Faults of the memory order are
//    out of reach; ThreadSanitizer and the models look for those.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef RX_EXPLORE

#ifdef __cplusplus
extern "C" {
#endif

enum { CRX_EXPLORE_THREADS = 8, CRX_EXPLORE_STEPS = 16384, CRX_EXPLORE_SWITCHES = 1024 };

enum crx_explore_kind {
    /// Switches with the probability 1 / `spread` at each step, to any thread that can run.
    CRX_EXPLORE_RANDOM,
    /// Runs the thread of the highest priority; `depth` - 1 times, the running thread's priority becomes the lowest.
    CRX_EXPLORE_PCT,
    /// Switches exactly at the steps in `switches`.
    CRX_EXPLORE_LIST,
    /// Switches only at marks, first by the prefix of `choices` and then to the first thread.
    CRX_EXPLORE_MARKS,
};

/// Where the schedule departs from the default, by which a thread runs until it ends or waits, and then the first
/// thread that can run continues.
struct crx_explore_switch {
    uint32_t step;
    uint32_t thread;
};

/// A choice at a mark: `taken` of `options`.
struct crx_explore_choice {
    uint32_t options;
    uint32_t taken;
};

/// A step at which another thread could have run: its number, the threads that could run as bits, the thread that did,
/// and whether the thread that ran before could have continued.
struct crx_explore_step {
    uint32_t step;
    uint8_t enabled;
    uint8_t chosen;
    bool preempts;
};

enum crx_explore_outcome {
    CRX_EXPLORE_ENDED,
    /// Every thread waits.
    CRX_EXPLORE_DEADLOCK,
    /// More than CRX_EXPLORE_STEPS steps.
    CRX_EXPLORE_ENDLESS,
};

/// One run: the strategy, and what has happened.
struct crx_explore_schedule {
    enum crx_explore_kind kind;
    uint64_t seed;
    /// For PCT: the depth, and the number of steps among which it chooses.
    uint32_t depth;
    uint32_t expected;
    /// For random walks.
    uint32_t spread;
    /// The nanoseconds of virtual time that a step takes.
    uint32_t pace;

    enum crx_explore_outcome outcome;
    /// The number of steps, and a hash of the thread and the place of each.
    uint32_t steps;
    uint64_t trace;
    /// Whether a thread has found a gate or a lock taken, and the number of choices before that.
    bool is_contended;
    uint32_t choices_before;
    /// In: for LIST. Out: how to repeat this run.
    uint32_t switch_count;
    struct crx_explore_switch *_Nonnull switches;
    /// In: the prefix for MARKS. Out: all choices.
    uint32_t choice_count;
    struct crx_explore_choice *_Nonnull choices;
    /// Out: the steps with a choice.
    uint32_t fork_count;
    struct crx_explore_step *_Nonnull forks;
};

/// Makes a schedule, which lasts for ever.
struct crx_explore_schedule *_Nonnull crx_explore_schedule_make(void);

/// Restricts the process to one processor, so that passing the baton wakes no other one.
void crx_explore_use_one_processor(void);

/// Runs `body` on `threads` controlled threads, to the end of all. After a deadlock, the threads are left behind.
void crx_explore_run(
    struct crx_explore_schedule *_Nonnull schedule, unsigned threads,
    void (*_Nonnull body)(void *_Nullable context, unsigned thread), void *_Nullable context);

/// After a deadlock: the function in which a thread waits or was stopped; null for a thread that has ended.
const char *_Nullable crx_explore_place(unsigned thread);

/// The number of the controlled thread that calls, or -1.
int crx_explore_current(void);

/// A control point, in the function `place`.
void crx_explore_point(const char *_Nonnull place);

/// A control point of the program under test, the only kind at which MARKS switches.
void crx_explore_mark(const char *_Nonnull place);

/// A choice of the program under test: with MARKS, all of 0 ..< `options` in turn; otherwise 0.
uint32_t crx_explore_choose(uint32_t options);

/// The number of choices that have been made in the run.
uint32_t crx_explore_choices(void);

/// The number of events that the calling thread has left to other threads during the run.
uint32_t crx_explore_left(void);

/// Waits while the word is `seen`. Returns false for a thread that is not controlled.
bool crx_explore_wait(unsigned *_Nonnull word, unsigned seen, bool is_timed);
void crx_explore_wake(unsigned *_Nonnull word);
/// The calling thread found a gate taken or a node opening, and leaves an event to another thread.
void crx_explore_enqueues(void);
/// Virtual time for a controlled thread. Returns false for any other.
bool crx_explore_now(int64_t *_Nonnull now);

#ifdef __cplusplus
}
#endif

#define CRX_EXPLORE_WAIT(word, seen, is_timed) \
    do { \
        if (crx_explore_wait(word, seen, is_timed)) return; \
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

// The functions of builtins.h, each behind a control point.
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

#define CRX_EXPLORE_WAIT(word, seen, is_timed) ((void)0)
#define CRX_EXPLORE_WAKE(word) ((void)0)
#define CRX_EXPLORE_ENQUEUES() ((void)0)
#define CRX_EXPLORE_LINGER() ((void)0)
#define CRX_EXPLORE_NOW() ((void)0)

#endif
#endif
