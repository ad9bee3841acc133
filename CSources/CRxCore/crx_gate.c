// crx_gate.h describes W, its bits Q, C, O and T, and the operations G1 to G10.
#define _GNU_SOURCE
#include "crx_gate.h"
#include "crx_futex.h"

#include <sched.h>
#include <time.h>

static struct crx_thread *crx_gate_thread(uintptr_t me) {
    return (struct crx_thread *)me;
}

static int64_t crx_gate_now(void) {
    CRX_EXPLORE_NOW();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// MARK: Entering (G1)

/// A thread tries to enter up to ASKS more times, unless BUSY or more inputs wait (crx_gate.h, claim 11).
enum { ASKS = 2, BUSY = 2 };

enum crx_entry crx_gate_enter_late_acquire(struct crx_gate *gate, uintptr_t me) {
    struct crx_thread *thread = crx_gate_thread(me);
    for (int ask = 0; ask < ASKS && thread->locks == 0 && AO_int_load(&gate->waiting) < BUSY; ask++) {
        crx_thread_linger();
        AO_t seen = AO_fetch_compare_and_swap_acquire(&gate->word, 0, me);
        if (seen == 0) {
            gate->depth = ++thread->gates;
            thread->gate = gate;
            return CRX_ENTERED;
        }
        if (seen & CRX_GATE_CLOSED) {
            return CRX_CLOSED;
        }
    }
    return CRX_CONTENDED;
}

// MARK: Sleeping

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first half of W has its bits");

/// The threads that sleep on W. PUSHERS wait for room (G7). The OFFERER is the owner while it offers the gate (G8).
enum { PUSHERS = 1, OFFERER = 2 };

/// The half of W that the kernel compares before a thread sleeps.
static unsigned *crx_gate_sleepers(struct crx_gate *gate) {
    return (unsigned *)&gate->word;
}

static void crx_gate_sleep_until(struct crx_gate *gate, AO_t seen, int64_t moment, unsigned as) {
    crx_futex_wait_until_as(crx_gate_sleepers(gate), (unsigned)seen, (uint64_t)moment, as);
}

static void crx_gate_wake(struct crx_gate *gate, unsigned as) {
    crx_futex_wake_as(crx_gate_sleepers(gate), 1, as);
}

// MARK: Offering (G8)

/// TURN: the nanoseconds that an owner drains before it offers the gate. OFFER_MOST: the longest offer in nanoseconds.
enum { TURN = 1500000, OFFER_MOST = 50000000 };
/// Before its first offer, an owner reads the clock once per LOOK inputs. The turn begins with the first reading.
enum { LOOK = 8 };
/// An offer lasts for the turn's length divided by OFFER_PART. Slow deliveries make the turn and the offer longer, so
/// even a pusher that waits for the delivery of its previous input finds an offer. If no thread takes the gate, the
/// owner drains for the turn's length divided by REPEAT_PART before the next offer.
enum { OFFER_PART = 3, REPEAT_PART = 2 };

/// Whether a thread that has enqueued an input may become the owner. The gate must not be closed.
static bool crx_gate_may_take(AO_t word) {
    return word == 0 || (word & CRX_GATE_OFFERED) != 0;
}

/// Returns the value of W that makes `me` the owner. Preserves T, because the new owner must tidy up.
static AO_t crx_gate_taken_by(AO_t word, uintptr_t me) {
    return me | (word & CRX_GATE_UNTIDY);
}

static void crx_gate_taken_owner(struct crx_gate *gate, uintptr_t me, AO_t word) {
    gate->depth = ++crx_gate_thread(me)->gates;
    if (word & CRX_GATE_OFFERED) {
        crx_gate_wake(gate, OFFERER);
    }
}

static bool crx_turn_is_up(struct crx_turn *turn) {
    if (!turn->has_news || (!turn->has_offered && (turn->served + 1) % LOOK != 0)) {
        return false;
    }
    int64_t now = crx_gate_now();
    if (turn->began == 0) {
        turn->began = now;
        turn->ends = now + TURN;
    }
    return now >= turn->ends;
}

/// Returns true if another thread has taken the gate. Otherwise, this thread owns the gate and must reload W.
static bool crx_gate_offer_owner(struct crx_gate *gate, uintptr_t me, struct crx_turn *turn) {
    AO_t offered = AO_load(&gate->word);
    if ((offered & ~CRX_GATE_UNTIDY) != me ||
        AO_fetch_compare_and_swap_full(&gate->word, offered, offered | CRX_GATE_OFFERED) != offered) {
        return false;
    }
    crx_gate_wake(gate, PUSHERS);
    int64_t now = crx_gate_now();
    int64_t span = (now - turn->began) / OFFER_PART;
    int64_t end = now + (span < OFFER_MOST ? span : OFFER_MOST);
    for (;;) {
        AO_t word = AO_load(&gate->word);
        if ((word & ~CRX_GATE_BITS) != me) {
            crx_gate_thread(me)->gates--;
            return true;
        }
        now = crx_gate_now();
        if ((word & CRX_GATE_CLOSED) == 0 && now < end) {
            crx_gate_sleep_until(gate, word, end, OFFERER);
        } else if (AO_fetch_compare_and_swap_full(&gate->word, word, word & ~CRX_GATE_OFFERED) == word) {
            turn->ends = now + (now - turn->began) / REPEAT_PART;
            turn->has_offered = true;
            turn->has_news = false;
            return false;
        }
    }
}

// MARK: Waiting for room (G7)

/// Spans in nanoseconds. WAIT: the longest wait of a pusher for room. WAIT_AS_OWNER: the longest wait if the pusher
/// owns another gate. NAP: one sleep.
enum { WAIT = 1000000, WAIT_AS_OWNER = 50000, NAP = 50000 };
/// The number of yields before the first sleep.
enum { YIELDS = 8 };
/// A pass permits one pusher to enqueue without waiting. While the owner makes no progress, the waiting times of all
/// pushers are added up. A wait that ends without room sets the number of passes to that sum divided by
/// WAIT_FOR_A_PASS, at most PASSES_MOST. If the owner is stuck, a push eventually waits 60 µs on average.
enum { WAIT_FOR_A_PASS = 16 * WAIT, PASSES_MOST = 16 };
enum { WAIT_UNIT = WAIT_AS_OWNER, UNITS_FOR_A_PASS = WAIT_FOR_A_PASS / WAIT_UNIT };

enum { PASSES_MASK = 0x1f, WAITS_SHIFT = 5, WAITS_MASK = 0x1fff, STALL_SHIFT = 18, STALL_MASK = 0x3fff };

_Static_assert(PASSES_MOST <= PASSES_MASK, "passes fit their part of the word");
_Static_assert(UNITS_FOR_A_PASS * PASSES_MOST <= WAITS_MASK, "waits fit their part of the word");

enum crx_wait { WAITED_FOR_ROOM, WAITED_IN_VAIN, WAITED_AND_OWNS };

static bool crx_gate_is_full_of_work(const struct crx_gate *gate, AO_t word) {
    return crx_gate_is_crowded_relaxed(gate) && (word & ~CRX_GATE_BITS) != 0 &&
        (word & CRX_GATE_CLOSED) == 0;
}

static enum crx_wait crx_gate_wait_for_room(struct crx_gate *gate, uintptr_t me, int64_t span) {
    int64_t end = crx_gate_now() + span;
    for (int tries = 0;; tries++) {
        AO_t word = AO_load(&gate->word);
        if (!crx_gate_is_full_of_work(gate, word)) {
            return WAITED_FOR_ROOM;
        }
        if (crx_gate_may_take(word)) {
            if (AO_fetch_compare_and_swap_full(&gate->word, word,
                crx_gate_taken_by(word, me) | CRX_GATE_QUEUED) == word) {
                crx_gate_taken_owner(gate, me, word);
                return WAITED_AND_OWNS;
            }
            continue;
        }
        int64_t now = crx_gate_now();
        if (now >= end) {
            return WAITED_IN_VAIN;
        }
        if (tries < YIELDS) {
            sched_yield();
        } else {
            crx_gate_sleep_until(gate, word, now + NAP < end ? now + NAP : end, PUSHERS);
        }
    }
}

/// Waits for room for a bounded time, unless the thread holds a lock. Returns whether the caller has become the owner.
static bool crx_gate_wait(struct crx_gate *gate, uintptr_t me) {
    if (crx_gate_thread(me)->locks > 0) {
        return false;
    }
    unsigned progress = AO_int_load(&gate->progress);
    unsigned credit = AO_int_load(&gate->credit);
    bool stalled = credit >> STALL_SHIFT == (progress & STALL_MASK);
    if (stalled && (credit & PASSES_MASK) > 0) {
        AO_int_store(&gate->credit, credit - 1);
        return false;
    }
    int64_t span = crx_gate_thread(me)->gates > 0 ? WAIT_AS_OWNER : WAIT;
    enum crx_wait wait = crx_gate_wait_for_room(gate, me, span);
    if (wait == WAITED_IN_VAIN && AO_int_load(&gate->progress) == progress) {
        unsigned waits = (stalled ? credit >> WAITS_SHIFT & WAITS_MASK : 0) + (unsigned)(span / WAIT_UNIT);
        waits = waits > UNITS_FOR_A_PASS * PASSES_MOST ? UNITS_FOR_A_PASS * PASSES_MOST : waits;
        AO_int_store(&gate->credit,
            (progress & STALL_MASK) << STALL_SHIFT | waits << WAITS_SHIFT | waits / UNITS_FOR_A_PASS);
    }
    return wait == WAITED_AND_OWNS;
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

/// Removes and returns the whole stack, last input first. If the top input is removed and pushed again before the CAS,
/// the CAS succeeds. That does no harm, because the CAS takes the whole stack.
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

// MARK: Enqueuing, draining, closing (G2, G5, G6, G10)

enum crx_enqueued crx_gate_enqueue(
    struct crx_gate *gate, uintptr_t me, struct crx_input *input, struct crx_input **dropped) {
    *dropped = NULL;
    CRX_EXPLORE_ENQUEUES();
    struct crx_thread *thread = crx_gate_thread(me);
    input->left_by = thread->serving > 0 || thread->gates > input->left_by ? 0 : me;
    unsigned before = AO_int_fetch_and_add(&gate->waiting, 1);
    crx_gate_push_release(gate, input);
    AO_t word = AO_load(&gate->word);
    for (;;) {
        if (word & CRX_GATE_CLOSED) {
            *dropped = crx_gate_take_acquire(gate);
            return CRX_ENQUEUE_REFUSED;
        }
        bool takes = crx_gate_may_take(word);
        AO_t seen = AO_fetch_compare_and_swap_full(&gate->word, word,
            (takes ? crx_gate_taken_by(word, me) : word) | CRX_GATE_QUEUED);
        if (seen == word) {
            if (takes) {
                crx_gate_taken_owner(gate, me, word);
                return CRX_ENQUEUED_AND_OWNED;
            }
            bool is_owner = (word & ~CRX_GATE_BITS) == me;
            if (CRX_UNLIKELY(before >= CRX_GATE_WAITING_LIMIT) && !is_owner && crx_gate_wait(gate, me)) {
                return CRX_ENQUEUED_AND_OWNED;
            }
            return CRX_ENQUEUED;
        }
        word = seen;
    }
}

bool crx_gate_make_room(struct crx_gate *gate, uintptr_t me) {
    return CRX_UNLIKELY(AO_int_load(&gate->waiting) > CRX_GATE_WAITING_LIMIT) && crx_gate_wait(gate, me);
}

/// Clears the bits `asked` of W: Q and possibly T. Then moves the waiting inputs to `pending`. Returns whether the
/// owner must tidy up now.
static bool crx_gate_take_what_waits_owner(struct crx_gate *gate, AO_t word, AO_t asked, struct crx_turn *turn) {
    for (AO_t seen; (seen = AO_fetch_compare_and_swap_acquire(&gate->word, word, word & ~asked)) != word;) {
        word = seen;
    }
    if (word & CRX_GATE_QUEUED) {
        crx_gate_take_to_pending_owner(gate);
        // Set even if the stack was empty, because G10 may have moved the new inputs to `pending`.
        turn->has_news = true;
    }
    return (word & asked & CRX_GATE_UNTIDY) != 0;
}

static void crx_gate_counts_step_owner(struct crx_gate *gate) {
    AO_int_fetch_and_sub1(&gate->waiting);
    AO_int_store(&gate->progress, AO_int_load(&gate->progress) + 1);
}

/// The bits of W that the owner checks (G5a).
static AO_t crx_gate_asked_owner(const struct crx_gate *gate, AO_t word, const struct crx_turn *turn) {
    bool puts_off = turn->has_tidied && gate->pending != NULL && (word & CRX_GATE_CLOSED) == 0;
    return puts_off ? CRX_GATE_QUEUED : CRX_GATE_QUEUED | CRX_GATE_UNTIDY;
}

enum crx_drain crx_gate_next_owner(
    struct crx_gate *gate, uintptr_t me, struct crx_turn *turn, struct crx_input **input) {
    *input = NULL;
    for (;;) {
        AO_t word = AO_load(&gate->word);
        AO_t asked = crx_gate_asked_owner(gate, word, turn);
        if (word & asked) {
            if (crx_gate_take_what_waits_owner(gate, word, asked, turn)) {
                turn->has_tidied = true;
                return CRX_DRAIN_TIDY;
            }
            continue;
        }
        if (word & CRX_GATE_CLOSED) {
            if (AO_fetch_compare_and_swap_full(&gate->word, me | CRX_GATE_CLOSED,
                CRX_GATE_CLOSED) != (me | CRX_GATE_CLOSED)) {
                continue;
            }
            // A closed gate gets no other owner, so this thread may still access `pending`.
            crx_gate_thread(me)->gates--;
            *input = gate->pending;
            gate->pending = NULL;
            return CRX_DRAIN_CLOSED;
        }
        struct crx_input *next = gate->pending;
        if (next != NULL) {
            if (CRX_UNLIKELY(crx_turn_is_up(turn))) {
                if (crx_gate_offer_owner(gate, me, turn)) {
                    return CRX_DRAIN_EXITED;
                }
                continue;
            }
            turn->served++;
            turn->has_tidied = false;
            gate->pending = next->next;
            next->next = NULL;
            crx_gate_counts_step_owner(gate);
            *input = next;
            return CRX_DRAIN_INPUT;
        }
        if (crx_gate_exit_release_owner(gate, me)) {
            return CRX_DRAIN_EXITED;
        }
    }
}

bool crx_gate_nested_waits_behind_owner(
    struct crx_gate *gate, uintptr_t me, const void *source, bool is_end) {
    if (AO_load_acquire(&gate->word) & CRX_GATE_QUEUED) {
        crx_gate_take_to_pending_owner(gate);
    }
    for (struct crx_input *each = gate->pending; each != NULL; each = each->next) {
        if (each->source == source && (is_end || each->left_by == 0 || each->left_by == me)) {
            return true;
        }
    }
    return false;
}

bool crx_gate_exit_tidied_owner(struct crx_gate *gate, uintptr_t me) {
    AO_t word = AO_load(&gate->word);
    if (gate->pending != NULL || (word & ~CRX_GATE_UNTIDY) != me ||
        AO_fetch_compare_and_swap_release(&gate->word, word, 0) != word) {
        return false;
    }
    crx_gate_thread(me)->gates--;
    crx_gate_thread(me)->gate = NULL;
    return true;
}

bool crx_gate_close(struct crx_gate *gate) {
    AO_t word = AO_load_acquire(&gate->word);
    while ((word & CRX_GATE_CLOSED) == 0) {
        AO_t seen = AO_fetch_compare_and_swap_full(&gate->word, word, word | CRX_GATE_CLOSED);
        if (seen == word) {
            if (word & CRX_GATE_OFFERED) {
                crx_gate_wake(gate, OFFERER);
            }
            return word == 0;
        }
        word = seen;
    }
    return false;
}
