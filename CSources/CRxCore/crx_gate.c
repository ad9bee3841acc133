#define _GNU_SOURCE
#include "crx_gate.h"
#include "crx_bag.h"

#include <sched.h>
#include <time.h>

static struct crx_thread *crx_gate_thread(uintptr_t me) {
    return (struct crx_thread *)me;
}

// MARK: G7

/// G7's times, in nanoseconds: how long a pusher waits at most, how long if it owns a gate itself, how long it sleeps at a time.
enum { WAIT = 1000000, WAIT_AS_OWNER = 50000, NAP = 50000 };
/// It yields so often before it sleeps.
enum { YIELDS = 8 };
/// A wait in vain after so many others grants one pass more, up to the most. An owner that the kernel keeps off its processor for some tens of
/// milliseconds moves on before that is many; one that is stuck costs a pusher 60 µs in the end.
enum { WAITS_FOR_A_PASS = 16, PASSES_MOST = 16, CREDIT_BITS = 16, CREDIT_MASK = 0xffff };

_Static_assert(WAITS_FOR_A_PASS * PASSES_MOST <= CREDIT_MASK, "what counts fits its half of the word");

static int64_t crx_gate_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void crx_gate_nap(int tries) {
    if (tries < YIELDS) {
        sched_yield();
    } else {
        struct timespec nap = {0, NAP};
        nanosleep(&nap, NULL);
    }
}

static bool crx_gate_is_full_of_work(const struct crx_gate *gate) {
    AO_t seen = AO_load(&gate->word);
    return AO_int_load(&gate->waiting) >= CRX_GATE_WAITING_LIMIT && (seen & ~CRX_GATE_BITS) != 0
        && (seen & CRX_GATE_CLOSED) == 0;
}

/// True when the time ran out.
static bool crx_gate_wait_for_room(const struct crx_gate *gate, int64_t span) {
    int64_t end = crx_gate_now() + span;
    for (int tries = 0; crx_gate_is_full_of_work(gate); tries++) {
        crx_gate_nap(tries);
        if (crx_gate_now() >= end) {
            return true;
        }
    }
    return false;
}

/// G7: only a bounded wait, and none for a thread that holds a lock (claim 6).
static void crx_gate_wait(struct crx_gate *gate, uintptr_t me) {
    if (crx_gate_thread(me)->locks > 0) {
        return;
    }
    unsigned progress = AO_int_load(&gate->progress);
    unsigned credit = AO_int_load(&gate->credit);
    bool stalled = AO_int_load(&gate->stall) == progress;
    if (stalled && (credit & CREDIT_MASK) > 0) {
        AO_int_store(&gate->credit, credit - 1);
        return;
    }
    if (crx_gate_thread(me)->gates > 0) {
        crx_gate_wait_for_room(gate, WAIT_AS_OWNER);
    } else if (crx_gate_wait_for_room(gate, WAIT) && AO_int_load(&gate->progress) == progress) {
        unsigned waits = stalled ? (credit >> CREDIT_BITS) + 1 : 1;
        waits = waits > WAITS_FOR_A_PASS * PASSES_MOST ? WAITS_FOR_A_PASS * PASSES_MOST : waits;
        AO_int_store(&gate->credit, waits << CREDIT_BITS | waits / WAITS_FOR_A_PASS);
        AO_int_store(&gate->stall, progress);
    }
}

// MARK: The stack and pending

static void crx_gate_push_release(struct crx_gate *gate, struct crx_input *input) {
    AO_t top = AO_load(&gate->stack);
    for (;;) {
        input->next = (struct crx_input *)top;
        AO_t seen = AO_fetch_compare_and_swap_release(&gate->stack, top, (AO_t)input);
        if (seen == top) {
            return;
        }
        top = seen;
    }
}

/// The whole stack, last one first. Inputs come back to it only by a push, so an address that repeats does no harm.
static struct crx_input *crx_gate_take_acquire(struct crx_gate *gate) {
    AO_t top = AO_load(&gate->stack);
    while (top != 0) {
        AO_t seen = AO_fetch_compare_and_swap_acquire(&gate->stack, top, 0);
        if (seen == top) {
            break;
        }
        top = seen;
    }
    return (struct crx_input *)top;
}

static void crx_gate_take_to_pending_owner(struct crx_gate *gate) {
    struct crx_input *last = crx_gate_take_acquire(gate);
    struct crx_input *first = NULL;
    for (struct crx_input *each = last; each != NULL;) {
        struct crx_input *before = each->next;
        each->next = first;
        first = each;
        each = before;
    }
    if (first == NULL) {
        return;
    }
    if (gate->pending == NULL) {
        gate->pending = first;
    } else {
        gate->pending_last->next = first;
    }
    gate->pending_last = last;
}

// MARK: G2, G5, G6

enum crx_left crx_gate_leave_input(struct crx_gate *gate, uintptr_t me, struct crx_input *input, struct crx_input **dropped) {
    *dropped = NULL;
    unsigned before = AO_int_fetch_and_add(&gate->waiting, 1);
    crx_gate_push_release(gate, input);
    AO_t word = AO_load(&gate->word);
    for (;;) {
        if (word & CRX_GATE_CLOSED) {
            *dropped = crx_gate_take_acquire(gate);
            return CRX_LEFT_CLOSED;
        }
        bool owned = word != 0;
        AO_t seen = AO_fetch_compare_and_swap_full(&gate->word, word, owned ? word | CRX_GATE_QUEUED : me | CRX_GATE_QUEUED);
        if (seen == word) {
            if (!owned) {
                crx_gate_thread(me)->gates++;
                return CRX_LEFT_AND_OWNED;
            }
            if (CRX_UNLIKELY(before >= CRX_GATE_WAITING_LIMIT)) {
                crx_gate_wait(gate, me);
            }
            return CRX_LEFT_TO_OWNER;
        }
        word = seen;
    }
}

void crx_gate_make_room(struct crx_gate *gate, uintptr_t me) {
    if (CRX_UNLIKELY(AO_int_load(&gate->waiting) > CRX_GATE_WAITING_LIMIT)) {
        crx_gate_wait(gate, me);
    }
}

/// G5a. The clear comes first: what is pushed after it announces itself by a new Q (claim 2).
static void crx_gate_take_what_waits_owner(struct crx_gate *gate, AO_t word, struct crx_bag *bag) {
    while (word & CRX_GATE_QUEUED) {
        AO_t seen = AO_fetch_compare_and_swap_acquire(&gate->word, word, word & ~CRX_GATE_QUEUED);
        if (seen == word) {
            break;
        }
        word = seen;
    }
    crx_gate_take_to_pending_owner(gate);
    if (bag != NULL) {
        crx_bag_free_retired_owner(bag);
    }
}

enum crx_drain crx_gate_next_owner(struct crx_gate *gate, uintptr_t me, struct crx_bag *bag, struct crx_input **input) {
    for (;;) {
        AO_t word = AO_load(&gate->word);
        if (word & CRX_GATE_QUEUED) {
            crx_gate_take_what_waits_owner(gate, word, bag);
            continue;
        }
        if (word & CRX_GATE_CLOSED) {
            if (AO_fetch_compare_and_swap_full(&gate->word, me | CRX_GATE_CLOSED, CRX_GATE_CLOSED) != (me | CRX_GATE_CLOSED)) {
                continue;
            }
            // Nobody becomes the owner of a gate that is closed for ever, so pending is still this thread's.
            crx_gate_thread(me)->gates--;
            *input = gate->pending;
            gate->pending = NULL;
            return CRX_DRAIN_CLOSED;
        }
        struct crx_input *next = gate->pending;
        if (next != NULL) {
            gate->pending = next->next;
            next->next = NULL;
            AO_int_fetch_and_sub1(&gate->waiting);
            AO_int_store(&gate->progress, AO_int_load(&gate->progress) + 1);
            *input = next;
            return CRX_DRAIN_INPUT;
        }
        if (crx_gate_leave_release_owner(gate, me)) {
            *input = NULL;
            return CRX_DRAIN_LEFT;
        }
    }
}

bool crx_gate_close(struct crx_gate *gate) {
    AO_t word = AO_load_acquire(&gate->word);
    while ((word & CRX_GATE_CLOSED) == 0) {
        AO_t seen = AO_fetch_compare_and_swap_full(&gate->word, word, word | CRX_GATE_CLOSED);
        if (seen == word) {
            return word == 0;
        }
        word = seen;
    }
    return false;
}
