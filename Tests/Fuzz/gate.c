// Compares the gate's word (crx_gate.h) with a simple queue that has an owner. Simulated threads enter the gate, enter
// it again inside a step, enqueue inputs, drain, offer and take the gate, close it and tear it down. One real thread
// runs all simulated threads. They take turns between two calls, or when a call waits. Functions of this file replace
// the clock and the kernel's calls.

#define _GNU_SOURCE
#include "CRxCore.h"
#include "fuzz.h"

#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int fuzz_clock(clockid_t clock, struct timespec *moment);
static int fuzz_yield(void);
static long fuzz_syscall(long number, ...);

// A small limit, which the fuzzer's inputs can exceed.
#undef CRX_GATE_WAITING_LIMIT
#define CRX_GATE_WAITING_LIMIT 4u
#define clock_gettime fuzz_clock
#define sched_yield fuzz_yield
#define syscall fuzz_syscall
#include "crx_gate.c"

enum { THREADS = 4, INPUTS = 256, NESTED_MOST = 6 };

static struct crx_thread records[THREADS];

static struct thread {
    /// The number of nested steps in progress.
    int depth;
    /// Whether the thread owns the gate and serves other threads' inputs. If `depth` is above 0, the thread is handling
    /// an input.
    bool drains;
    /// Whether the thread has found the gate owned by another thread. It then enqueues an input.
    bool comes;
    /// Whether the thread waits inside a call of the core.
    bool is_inside;
    /// Whether the thread has tidied up since its last input.
    bool has_tidied;
    struct crx_turn turn;
} threads[THREADS];

static struct crx_input inputs[INPUTS];
static unsigned made, ended;

static struct crx_gate gate;
static int64_t now;
static struct bytes *input;
/// `turns`: the number of operations that ran while a call waited. `credited`: the gate's credit after the last of
/// these operations.
static unsigned turns, credited;
/// `told`: the number of wakes of the offering thread. `offered_at`: when the offer began.
static unsigned told;
static int64_t offered_at;

/// A queue of inputs, oldest first, as indices into `inputs`.
struct list {
    unsigned ids[INPUTS];
    unsigned first, end;
};

static struct {
    int owner;
    bool closed, queued, untidy, offered, torn_down;
    struct list stack, pending;
    unsigned waiting, progress;
} model;

static unsigned list_count(const struct list *list) {
    return list->end - list->first;
}

static uintptr_t identity(int thread) {
    return (uintptr_t)&records[thread];
}

static void gate_agrees(void) {
    AO_t word = model.owner < 0 ? 0 : identity(model.owner);
    word |= model.closed ? CRX_GATE_CLOSED : 0;
    word |= model.queued ? CRX_GATE_QUEUED : 0;
    word |= model.untidy ? CRX_GATE_UNTIDY : 0;
    word |= model.offered ? CRX_GATE_OFFERED : 0;
    CHECK_EQUAL(AO_load(&gate.word), word);
    CHECK_EQUAL(gate.waiting, model.waiting);
    CHECK_EQUAL(gate.progress, model.progress);
    CHECK_EQUAL(crx_gate_is_closed_acquire(&gate), model.closed);
    const struct crx_input *each = gate.pending;
    for (unsigned index = model.pending.first; index < model.pending.end; index++, each = each->next) {
        CHECK(each == &inputs[model.pending.ids[index]]);
    }
    CHECK(each == NULL);
    each = (const struct crx_input *)AO_load(&gate.stack);
    for (unsigned index = model.stack.end; index-- > model.stack.first; each = each->next) {
        CHECK(each == &inputs[model.stack.ids[index]]);
    }
    CHECK(each == NULL);
    for (int thread = 0; thread < THREADS; thread++) {
        bool owns = model.owner == thread;
        CHECK_EQUAL(crx_gate_is_owned_by_relaxed(&gate, identity(thread)), owns);
        if (!threads[thread].is_inside) {
            CHECK_EQUAL(records[thread].gates, owns);
        }
    }
}

static void dropped(const struct crx_input *first, const struct list *list, bool is_reversed) {
    for (unsigned left = list_count(list), index = 0; left > 0; left--, index++, first = first->next) {
        CHECK(first == &inputs[list->ids[is_reversed ? list->end - 1 - index : list->first + index]]);
        ended++;
    }
    CHECK(first == NULL);
}

// MARK: Actions of a thread

static void enter(int id) {
    struct thread *thread = &threads[id];
    if (thread->comes || thread->depth == NESTED_MOST || (thread->drains && thread->depth == 0)) {
        return;
    }
    enum crx_entry expected = CRX_CONTENDED;
    if (model.closed) {
        expected = CRX_CLOSED;
    } else if (model.owner < 0) {
        expected = CRX_ENTERED;
    } else if (model.owner == id) {
        expected = CRX_NESTED;
    }
    CHECK_EQUAL(crx_gate_enter_acquire(&gate, identity(id)), expected);
    if (expected == CRX_ENTERED) {
        model.owner = id;
    }
    thread->depth += expected == CRX_ENTERED || expected == CRX_NESTED;
    thread->comes = expected == CRX_CONTENDED;
}

static void own(int id) {
    model.owner = id;
    model.offered = false;
    model.queued = true;
    threads[id].drains = true;
    threads[id].turn = (struct crx_turn){0};
    threads[id].has_tidied = false;
}

/// Checks that a wait is bounded, and that no thread waits while it holds a lock.
static void waited(int id, int64_t began, unsigned turns_before) {
    if (turns == turns_before) {
        int64_t most = records[id].locks > 0 ? 0 : records[id].gates > 0 ? WAIT_AS_OWNER : WAIT;
        CHECK(now - began <= most + (most > 0 ? YIELDS * 1000 : 0));
    }
}

static void enqueue(int id) {
    struct thread *thread = &threads[id];
    if (!thread->comes || made == INPUTS) {
        return;
    }
    thread->comes = false;
    unsigned number = made++;
    model.waiting++;
    model.stack.ids[model.stack.end++] = number;
    struct crx_input *list;
    if (model.closed) {
        CHECK_EQUAL(crx_gate_enqueue(&gate, identity(id), &inputs[number], &list), CRX_ENQUEUE_REFUSED);
        dropped(list, &model.stack, true);
        model.stack.first = model.stack.end;
        return;
    }
    if (model.owner < 0 || model.offered) {
        unsigned told_before = told;
        bool was_offered = model.offered;
        own(id);
        CHECK_EQUAL(crx_gate_enqueue(&gate, identity(id), &inputs[number], &list), CRX_ENQUEUED_AND_OWNED);
        CHECK(list == NULL);
        // The owner sleeps during its offer, so the thread that takes the gate must wake the owner.
        CHECK_EQUAL(told - told_before, was_offered);
        return;
    }
    model.queued = true;
    int64_t began = now;
    unsigned before = turns, progress = model.progress;
    credited = gate.credit;
    thread->is_inside = true;
    CHECK_EQUAL(crx_gate_enqueue(&gate, identity(id), &inputs[number], &list), CRX_ENQUEUED);
    thread->is_inside = false;
    CHECK(list == NULL);
    waited(id, began, before);
    // The owner has served an input, so it is not stuck, and the wait gives no credit.
    if (model.progress != progress) {
        CHECK_EQUAL(gate.credit, credited);
    }
}

static void make_room(int id) {
    struct thread *thread = &threads[id];
    if (thread->comes || thread->depth > 0 || thread->drains) {
        return;
    }
    int64_t began = now;
    unsigned before = turns;
    thread->is_inside = true;
    bool owns = crx_gate_make_room(&gate, identity(id));
    thread->is_inside = false;
    if (owns) {
        CHECK(model.offered && !model.closed && model.waiting > CRX_GATE_WAITING_LIMIT);
        own(id);
    }
    waited(id, began, before);
}

static void leave(int id) {
    struct thread *thread = &threads[id];
    if (thread->depth == 0) {
        return;
    }
    if (thread->depth == 1 && !thread->drains) {
        bool leaves = !model.queued && !model.untidy && !model.closed;
        CHECK_EQUAL(crx_gate_exit_release_owner(&gate, identity(id)), leaves);
        if (leaves) {
            model.owner = -1;
        } else {
            thread->drains = true;
            thread->turn = (struct crx_turn){0};
            thread->has_tidied = false;
        }
    }
    thread->depth--;
}

/// Takes the waiting inputs for the owner. Returns whether the owner must tidy up. While an input is pending, the owner
/// tidies up at most once before it serves the input, unless the gate is closed.
static bool take(struct thread *thread) {
    bool looks = !thread->has_tidied || model.closed || list_count(&model.pending) == 0;
    bool tidies = model.untidy && looks;
    if (model.queued) {
        for (; model.stack.first < model.stack.end; model.stack.first++) {
            model.pending.ids[model.pending.end++] = model.stack.ids[model.stack.first];
        }
    }
    model.queued = false;
    model.untidy &= !looks;
    thread->has_tidied |= tidies;
    return tidies;
}

/// After tidying up, the owner usually tries to leave. It leaves if no input waits and the gate is open.
static void has_tidied(int id) {
    if (bytes_below(input, 4) == 0) {
        return;
    }
    bool leaves = list_count(&model.pending) == 0 && !model.queued && !model.closed;
    CHECK_EQUAL(crx_gate_exit_tidied_owner(&gate, identity(id)), leaves);
    if (leaves) {
        CHECK(records[id].gate == NULL);
        model.untidy = false;
        model.owner = -1;
        threads[id].drains = false;
    }
}

static void drain(int id) {
    struct thread *thread = &threads[id];
    if (!thread->drains || thread->depth > 0) {
        return;
    }
    struct crx_input *next;
    if (take(thread)) {
        CHECK_EQUAL(crx_gate_next_owner(&gate, identity(id), &thread->turn, &next), CRX_DRAIN_TIDY);
        has_tidied(id);
        return;
    }
    thread->is_inside = true;
    enum crx_drain done = crx_gate_next_owner(&gate, identity(id), &thread->turn, &next);
    thread->is_inside = false;
    if (model.owner != id) {
        CHECK_EQUAL(done, CRX_DRAIN_EXITED);
        thread->drains = false;
        return;
    }
    if (model.offered) {
        // The offer was withdrawn. Before the next offer, the owner serves for half as long as its last turn.
        CHECK_EQUAL(thread->turn.ends, now + (now - thread->turn.began) / 2);
        model.offered = false;
    }
    if (take(thread)) {
        CHECK_EQUAL(done, CRX_DRAIN_TIDY);
        has_tidied(id);
    } else if (model.closed) {
        CHECK_EQUAL(done, CRX_DRAIN_CLOSED);
        dropped(next, &model.pending, false);
        model.pending.first = model.pending.end;
        model.owner = -1;
        CHECK(!model.torn_down);
        model.torn_down = true;
        thread->drains = false;
    } else if (list_count(&model.pending) > 0) {
        CHECK_EQUAL(done, CRX_DRAIN_INPUT);
        CHECK(next == &inputs[model.pending.ids[model.pending.first++]]);
        CHECK(next->next == NULL);
        model.waiting--;
        model.progress++;
        ended++;
        thread->has_tidied = false;
        thread->depth = 1;
    } else {
        CHECK_EQUAL(done, CRX_DRAIN_EXITED);
        CHECK(next == NULL);
        model.owner = -1;
        thread->drains = false;
    }
}

static void close_gate(void) {
    bool tears_down = !model.closed && model.owner < 0;
    bool tells = !model.closed && model.offered;
    unsigned told_before = told;
    model.closed = true;
    CHECK_EQUAL(crx_gate_close(&gate), tears_down);
    CHECK_EQUAL(told - told_before, tells);
    if (tears_down) {
        CHECK(!model.torn_down);
        model.torn_down = true;
    }
}

static void tell(void) {
    CHECK_EQUAL(crx_gate_tell_owner(&gate), model.owner >= 0);
    model.untidy |= model.owner >= 0;
}

static void operate(void) {
    unsigned byte = bytes_take(input);
    int id = (int)(byte % THREADS);
    if (threads[id].is_inside) {
        return;
    }
    switch (byte / THREADS % 16) {
    case 0:
    case 1:
    case 2: enter(id); break;
    case 3:
    case 4: enqueue(id); break;
    case 5:
    case 6: leave(id); break;
    case 7:
    case 8: drain(id); break;
    case 9: make_room(id); break;
    case 10:
        if (bytes_below(input, 4) == 0) {
            close_gate();
        }
        break;
    case 11: tell(); break;
    case 12: now += (int64_t)(bytes_wide(input) % 100000000); break;
    case 13: records[id].locks ^= 1; break;
    case 14:
        for (int count = (int)bytes_below(input, 8); count > 0; count--) {
            enter(id);
            enqueue(id);
        }
        break;
    default:
        for (int count = (int)bytes_below(input, 32); count > 0; count--) {
            drain(id);
            leave(id);
        }
    }
    gate_agrees();
}

// MARK: The system

static int fuzz_clock(clockid_t clock, struct timespec *moment) {
    CHECK_EQUAL(clock, CLOCK_MONOTONIC);
    moment->tv_sec = now / 1000000000;
    moment->tv_nsec = now % 1000000000;
    return 0;
}

static void others(void) {
    for (unsigned count = bytes_below(input, 5); count > 0; count--) {
        turns++;
        operate();
        credited = gate.credit;
    }
}

static int fuzz_yield(void) {
    now += 1000;
    others();
    return 0;
}

static long fuzz_syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    unsigned *word = va_arg(arguments, unsigned *);
    int operation = va_arg(arguments, int);
    unsigned value = va_arg(arguments, unsigned);
    const struct timespec *until = va_arg(arguments, const struct timespec *);
    va_arg(arguments, void *);
    unsigned as = va_arg(arguments, unsigned);
    va_end(arguments);
    CHECK_EQUAL(number, SYS_futex);
    CHECK(word == (unsigned *)&gate.word);
    bool is_offered = (AO_load(&gate.word) & CRX_GATE_OFFERED) != 0;
    if (operation == FUTEX_WAKE_BITSET_PRIVATE) {
        told += as == OFFERER;
        if (as == PUSHERS && !model.offered) {
            // The owner wakes the pushers when it begins an offer.
            CHECK(is_offered && model.owner >= 0 && threads[model.owner].is_inside);
            CHECK(!model.closed && !model.queued && list_count(&model.pending) > 0);
            CHECK(threads[model.owner].turn.served >= LOOK);
            model.offered = true;
            offered_at = now;
        }
        return 0;
    }
    CHECK_EQUAL(operation, FUTEX_WAIT_BITSET_PRIVATE);
    if (value != *word) {
        return -1;
    }
    int64_t moment = (int64_t)until->tv_sec * 1000000000 + until->tv_nsec;
    if (as == OFFERER) {
        // An offer lasts a third of the time that the owner has served, at most 50 ms.
        int64_t span = (offered_at - threads[model.owner].turn.began) / 3;
        CHECK_EQUAL(moment - offered_at, span < 50000000 ? span : 50000000);
    } else {
        // A pusher is not woken when there is room: it sleeps for at most 50 µs and checks again.
        CHECK(moment - now <= 50000);
    }
    if (bytes_left(input)) {
        others();
    }
    // The wait ends by a timeout or a spurious wake.
    if (!bytes_left(input) || bytes_below(input, 3) != 0) {
        now = moment > now ? moment : now;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, data + size};
    input = &bytes;
    memset(&gate, 0, sizeof gate);
    memset(records, 0, sizeof records);
    memset(threads, 0, sizeof threads);
    memset(&model, 0, sizeof model);
    model.owner = -1;
    now = 1000000000;
    made = ended = turns = credited = told = 0;
    while (bytes_left(&bytes)) {
        operate();
    }
    // Each thread enqueues its input, if it has one, and finishes.
    for (int rounds = 0; rounds < 3; rounds++) {
        for (int id = 0; id < THREADS; id++) {
            for (enqueue(id); threads[id].depth > 0 || threads[id].drains;) {
                drain(id);
                leave(id);
                gate_agrees();
            }
        }
    }
    CHECK_EQUAL(model.owner, -1);
    CHECK_EQUAL(ended, made);
    close_gate();
    CHECK(model.torn_down);
    gate_agrees();
    return 0;
}
