#include "CRxCore.h"
#include "check.h"
#include "tests.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

/// Another thread's identity, as seen in a word; never run.
static struct crx_thread other_thread;

static uintptr_t other(void) {
    return (uintptr_t)&other_thread;
}

static uintptr_t queued_by(uintptr_t owner) {
    return owner | CRX_GATE_QUEUED;
}

static uintptr_t closing_by(uintptr_t owner) {
    return owner | CRX_GATE_CLOSED;
}

static uintptr_t offered_by(uintptr_t owner) {
    return owner | CRX_GATE_OFFERED;
}

static uintptr_t untidy_of(uintptr_t owner) {
    return owner | CRX_GATE_UNTIDY;
}

/// G1 on every kind of word: what comes of it, and the word afterwards.
static void entering_is_decided_by_the_word(void) {
    uintptr_t me = crx_thread_self();
    const struct {
        uintptr_t word;
        enum crx_entry entry;
        uintptr_t after;
    } rows[] = {
        {0, CRX_ENTERED, me},
        {me, CRX_NESTED, me},
        {queued_by(me), CRX_NESTED, queued_by(me)},
        {other(), CRX_CONTENDED, other()},
        {queued_by(other()), CRX_CONTENDED, queued_by(other())},
        {offered_by(other()), CRX_CONTENDED, offered_by(other())},
        {untidy_of(me), CRX_NESTED, untidy_of(me)},
        {untidy_of(other()), CRX_CONTENDED, untidy_of(other())},
        // C is asked for before the owner.
        {closing_by(me), CRX_CLOSED, closing_by(me)},
        {queued_by(closing_by(me)), CRX_CLOSED, queued_by(closing_by(me))},
        {closing_by(other()), CRX_CLOSED, closing_by(other())},
        {offered_by(closing_by(other())), CRX_CLOSED, offered_by(closing_by(other()))},
        {CRX_GATE_CLOSED, CRX_CLOSED, CRX_GATE_CLOSED},
    };
    // Whatever the thread's record says of the gate it entered last: that is a hint.
    for (size_t each = 0; each < 2 * (sizeof rows / sizeof *rows); each++) {
        size_t row = each / 2;
        struct crx_gate gate = {.word = rows[row].word};
        crx_thread_get()->gate = each % 2 == 0 ? NULL : &gate;
        CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), rows[row].entry);
        CHECK_EQUAL(gate.word, rows[row].after);
        CHECK_EQUAL(crx_gate_is_closed_acquire(&gate), (rows[row].word & CRX_GATE_CLOSED) != 0);
        CHECK_EQUAL(crx_thread_gates_owned(), rows[row].entry == CRX_ENTERED);
        if (rows[row].entry == CRX_ENTERED) {
            CHECK(crx_gate_is_owned_by_relaxed(&gate, me));
            CHECK(crx_gate_exit_release_owner(&gate, me));
            CHECK_EQUAL(gate.word, 0);
            CHECK_EQUAL(crx_thread_gates_owned(), 0);
        }
    }
}

/// G1 and G4: the record names the gate that the thread entered last and has not left, and re-entry puts it right.
static void the_record_names_the_gate_entered_last(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate outer = {0}, inner = {0};
    CHECK_EQUAL(crx_gate_enter_acquire(&outer, me), CRX_ENTERED);
    CHECK(crx_thread_get()->gate == &outer);
    CHECK_EQUAL(crx_gate_enter_acquire(&inner, me), CRX_ENTERED);
    CHECK(crx_thread_get()->gate == &inner);
    CHECK(crx_gate_exit_release_owner(&inner, me));
    CHECK(crx_thread_get()->gate == NULL);
    CHECK_EQUAL(crx_gate_enter_acquire(&outer, me), CRX_NESTED);
    CHECK(crx_thread_get()->gate == &outer);
    CHECK_EQUAL(crx_gate_enter_acquire(&outer, me), CRX_NESTED);
    CHECK(crx_gate_exit_release_owner(&outer, me));
    CHECK(crx_thread_get()->gate == NULL);
}

/// G1 once more, on what the gate has become meanwhile: what comes of it, the word afterwards, and what the thread's
/// record says.
static void entering_late_is_decided_by_the_word(void) {
    uintptr_t me = crx_thread_self();
    const struct {
        uintptr_t word;
        enum crx_entry entry;
        uintptr_t after;
    } rows[] = {
        {0, CRX_ENTERED, me},
        {other(), CRX_CONTENDED, other()},
        {queued_by(other()), CRX_CONTENDED, queued_by(other())},
        {untidy_of(other()), CRX_CONTENDED, untidy_of(other())},
        // It is offered to who has left an input.
        {offered_by(other()), CRX_CONTENDED, offered_by(other())},
        {CRX_GATE_CLOSED, CRX_CLOSED, CRX_GATE_CLOSED},
        {closing_by(other()), CRX_CLOSED, closing_by(other())},
        {queued_by(closing_by(other())), CRX_CLOSED, queued_by(closing_by(other()))},
        {offered_by(closing_by(other())), CRX_CLOSED, offered_by(closing_by(other()))},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct crx_gate gate = {.word = rows[row].word}, before = {0};
        bool enters = rows[row].entry == CRX_ENTERED;
        crx_thread_get()->gate = &before;
        CHECK_EQUAL(crx_gate_enter_late_acquire(&gate, me), rows[row].entry);
        CHECK_EQUAL(gate.word, rows[row].after);
        CHECK_EQUAL(crx_thread_gates_owned(), enters);
        CHECK(crx_thread_get()->gate == (enters ? &gate : &before));
        if (enters) {
            CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_NESTED);
            CHECK(crx_gate_exit_release_owner(&gate, me));
            CHECK_EQUAL(gate.word, 0);
        }
        CHECK_EQUAL(crx_thread_gates_owned(), 0);
    }
    crx_thread_get()->gate = NULL;
}

/// Where two wait already nobody looks once more, whatever the gate has become.
static void at_a_busy_gate_nobody_enters_late(void) {
    uintptr_t me = crx_thread_self();
    for (unsigned waiting = 0; waiting < 5; waiting++) {
        struct crx_gate gate = {.waiting = waiting};
        CHECK_EQUAL(crx_gate_enter_late_acquire(&gate, me), waiting < 2 ? CRX_ENTERED : CRX_CONTENDED);
        CHECK_EQUAL(gate.word, waiting < 2 ? me : 0);
        CHECK_EQUAL(gate.waiting, waiting);
        CHECK_EQUAL(crx_thread_gates_owned(), waiting < 2);
        CHECK(waiting >= 2 || crx_gate_exit_release_owner(&gate, me));
    }
}

/// It does not wait, also not for a microsecond.
static void who_holds_a_lock_does_not_enter_late(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {0};
    struct crx_lock lock = {0};
    crx_lock_acquire(&lock);
    CHECK_EQUAL(crx_gate_enter_late_acquire(&gate, me), CRX_CONTENDED);
    CHECK_EQUAL(gate.word, 0);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
    // Nor is it told that the gate is closed: leaving its input tells it that.
    gate.word = CRX_GATE_CLOSED;
    CHECK_EQUAL(crx_gate_enter_late_acquire(&gate, me), CRX_CONTENDED);
    crx_lock_release(&lock);
    CHECK_EQUAL(crx_gate_enter_late_acquire(&gate, me), CRX_CLOSED);
}

/// Who owns other gates enters late as well, and owns one more.
static void who_owns_a_gate_may_enter_another_late(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate outer = {0}, inner = {0};
    CHECK_EQUAL(crx_gate_enter_acquire(&outer, me), CRX_ENTERED);
    CHECK_EQUAL(crx_gate_enter_late_acquire(&inner, me), CRX_ENTERED);
    CHECK_EQUAL(crx_thread_gates_owned(), 2);
    CHECK(crx_gate_exit_release_owner(&inner, me));
    CHECK(crx_gate_exit_release_owner(&outer, me));
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
}

static int64_t nanoseconds_now(void) {
    struct timespec now;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// The shortest of many: a busy machine makes some longer, and none shorter.
static void who_finds_another_owner_looks_for_some_microseconds(void) {
    enum { TRIES = 50, MOST = 200000 };
    struct crx_gate gate = {.word = other()};
    int64_t shortest = INT64_MAX;
    for (int tries = 0; tries < TRIES; tries++) {
        int64_t began = nanoseconds_now();
        CHECK_EQUAL(crx_gate_enter_acquire(&gate, crx_thread_self()), CRX_CONTENDED);
        int64_t span = nanoseconds_now() - began;
        shortest = span < shortest ? span : shortest;
    }
    CHECK(shortest < MOST);
}

/// Enters and leaves a gate many times; every other time it finds the gate taken, if the other thread is as fast.
static void *take_turns(void *argument) {
    enum { TURNS = 20000 };
    struct crx_gate *gate = argument;
    uintptr_t me = crx_thread_self();
    for (int turn = 0; turn < TURNS; turn++) {
        while (crx_gate_enter_acquire(gate, me) != CRX_ENTERED) {
        }
        CHECK(crx_gate_is_owned_by_relaxed(gate, me));
        CHECK_EQUAL(crx_thread_gates_owned(), 1);
        gate->progress++;
        CHECK(crx_gate_exit_release_owner(gate, me));
    }
    return (void *)(uintptr_t)TURNS;
}

static void one_of_two_that_enter_late_is_the_owner(void) {
    struct crx_gate gate = {0};
    pthread_t thread;
    void *turns;
    CHECK(pthread_create(&thread, NULL, take_turns, &gate) == 0);
    uintptr_t mine = (uintptr_t)take_turns(&gate);
    CHECK(pthread_join(thread, &turns) == 0);
    CHECK_EQUAL(gate.progress, mine + (uintptr_t)turns);
    CHECK_EQUAL(gate.word, 0);
}

/// G4: only a word that is the owner's alone lets it go.
static void leaving_fails_when_something_waits_or_closes(void) {
    uintptr_t me = crx_thread_self();
    const uintptr_t words[] = {queued_by(me), untidy_of(me), closing_by(me), queued_by(closing_by(me))};
    for (size_t row = 0; row < sizeof words / sizeof *words; row++) {
        struct crx_gate gate = {.word = words[row]};
        CHECK(!crx_gate_exit_release_owner(&gate, me));
        CHECK_EQUAL(gate.word, words[row]);
    }
}

/// G5e: also beside a T, which was set before what there was to tidy up was taken.
static void who_has_tidied_up_leaves_beside_what_was_told_before(void) {
    uintptr_t me = crx_thread_self();
    const struct {
        uintptr_t word;
        bool leaves;
    } rows[] = {
        {me, true}, {untidy_of(me), true}, {queued_by(me), false}, {untidy_of(queued_by(me)), false},
        {closing_by(me), false}, {untidy_of(closing_by(me)), false},
    };
    struct crx_thread *record = crx_thread_get();
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct crx_gate gate = {.word = rows[row].word};
        record->gates++;
        record->gate = &gate;
        CHECK_EQUAL(crx_gate_exit_tidied_owner(&gate, me), rows[row].leaves);
        CHECK_EQUAL(gate.word, rows[row].leaves ? 0 : rows[row].word);
        CHECK(record->gate == (rows[row].leaves ? NULL : &gate));
        CHECK_EQUAL(record->gates, rows[row].leaves ? 0 : 1);
        record->gates = 0;
        record->gate = NULL;
    }
    struct crx_input input = {0};
    struct crx_gate gate = {.word = me, .pending = &input, .pending_last = &input};
    CHECK(!crx_gate_exit_tidied_owner(&gate, me));
    CHECK_EQUAL(gate.word, me);
}

/// G6 on every kind of word.
static void closing_tells_who_tears_down(void) {
    uintptr_t me = crx_thread_self();
    const struct {
        uintptr_t word;
        bool tears_down;
        uintptr_t after;
    } rows[] = {
        {0, true, CRX_GATE_CLOSED},
        {CRX_GATE_CLOSED, false, CRX_GATE_CLOSED},
        {me, false, closing_by(me)},
        {other(), false, closing_by(other())},
        {queued_by(other()), false, queued_by(closing_by(other()))},
        {closing_by(other()), false, closing_by(other())},
        {offered_by(other()), false, offered_by(closing_by(other()))},
        {untidy_of(other()), false, untidy_of(closing_by(other()))},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct crx_gate gate = {.word = rows[row].word};
        CHECK_EQUAL(crx_gate_close(&gate), rows[row].tears_down);
        CHECK_EQUAL(gate.word, rows[row].after);
    }
}

/// G9 on every kind of word.
static void telling_the_owner_is_decided_by_the_word(void) {
    const struct {
        uintptr_t word;
        bool owned;
    } rows[] = {
        {0, false}, {CRX_GATE_CLOSED, false}, {other(), true}, {queued_by(other()), true}, {untidy_of(other()), true},
        {closing_by(other()), true}, {offered_by(other()), true}, {offered_by(closing_by(other())), true},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct crx_gate gate = {.word = rows[row].word};
        CHECK_EQUAL(crx_gate_tell_owner(&gate), rows[row].owned);
        CHECK_EQUAL(gate.word, rows[row].owned ? untidy_of(rows[row].word) : rows[row].word);
    }
}

/// G2 on every kind of word but the caller's own.
static void leaving_an_input_is_decided_by_the_word(void) {
    uintptr_t me = crx_thread_self();
    const struct {
        uintptr_t word;
        enum crx_enqueued left;
        uintptr_t after;
    } rows[] = {
        {0, CRX_ENQUEUED_AND_OWNED, queued_by(me)},
        {other(), CRX_ENQUEUED, queued_by(other())},
        {queued_by(other()), CRX_ENQUEUED, queued_by(other())},
        {offered_by(other()), CRX_ENQUEUED_AND_OWNED, queued_by(me)},
        // What is to be tidied up falls to the taker.
        {untidy_of(offered_by(other())), CRX_ENQUEUED_AND_OWNED, untidy_of(queued_by(me))},
        {untidy_of(other()), CRX_ENQUEUED, untidy_of(queued_by(other()))},
        // What is offered and closed stays closed.
        {offered_by(closing_by(other())), CRX_ENQUEUE_REFUSED, offered_by(closing_by(other()))},
        {closing_by(other()), CRX_ENQUEUE_REFUSED, closing_by(other())},
        {queued_by(closing_by(other())), CRX_ENQUEUE_REFUSED, queued_by(closing_by(other()))},
        {CRX_GATE_CLOSED, CRX_ENQUEUE_REFUSED, CRX_GATE_CLOSED},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct crx_gate gate = {.word = rows[row].word};
        struct crx_input earlier = {0}, input = {0}, *dropped = &input;
        gate.stack = (AO_t)&earlier;
        CHECK_EQUAL(crx_gate_enqueue(&gate, me, &input, &dropped), rows[row].left);
        CHECK_EQUAL(gate.word, rows[row].after);
        CHECK(input.next == &earlier);
        // Closed: the announcer takes everything. Not closed: it stays.
        CHECK(dropped == (rows[row].left == CRX_ENQUEUE_REFUSED ? &input : NULL));
        CHECK_EQUAL(gate.stack, rows[row].left == CRX_ENQUEUE_REFUSED ? 0 : (AO_t)&input);
        CHECK_EQUAL(crx_thread_gates_owned(), rows[row].left == CRX_ENQUEUED_AND_OWNED);
        crx_thread_get()->gates = 0;
    }
}

static void enqueue_as(struct crx_gate *gate, struct crx_thread *thread, struct crx_input *input) {
    struct crx_input *dropped;
    CHECK_EQUAL(crx_gate_enqueue(gate, (uintptr_t)thread, input, &dropped), CRX_ENQUEUED);
}

/// G5: inputs come oldest first, those that come meanwhile behind them, and then the gate is free.
static void draining_keeps_the_order(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {0};
    struct crx_input inputs[5] = {{0}}, *next;
    struct crx_turn turn = {0};
    CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_ENTERED);
    for (int index = 0; index < 3; index++) {
        enqueue_as(&gate, &other_thread, &inputs[index]);
    }
    CHECK(!crx_gate_exit_release_owner(&gate, me));
    for (int index = 0; index < 5; index++) {
        CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
        CHECK(next == &inputs[index]);
        CHECK(next->next == NULL);
        if (index == 1) {
            enqueue_as(&gate, &other_thread, &inputs[3]);
            enqueue_as(&gate, &other_thread, &inputs[4]);
        }
        CHECK_EQUAL(gate.waiting, (index == 0 ? 3 : 5) - index - 1);
    }
    CHECK_EQUAL(gate.progress, 5);
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_EXITED);
    CHECK_EQUAL(gate.word, 0);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
}

/// G5a: the owner tidies up where it was told to, and only there; also where the gate closes.
static void draining_tidies_up_where_it_was_told_to(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {0};
    struct crx_input input = {0}, *next;
    struct crx_turn turn = {0};
    CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_ENTERED);
    enqueue_as(&gate, &other_thread, &input);
    CHECK(crx_gate_tell_owner(&gate));
    CHECK(!crx_gate_exit_release_owner(&gate, me));
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_TIDY);
    CHECK(next == NULL);
    CHECK_EQUAL(gate.word, me);
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
    CHECK(next == &input);
    CHECK(crx_gate_tell_owner(&gate));
    CHECK(!crx_gate_close(&gate));
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_TIDY);
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_CLOSED);
    CHECK(!crx_gate_tell_owner(&gate));
}

/// Claim 9: it may be told to again and again, and serves what waits all the same.
static void draining_tidies_up_once_between_two_inputs(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {0};
    struct crx_input inputs[3] = {{0}}, *next;
    struct crx_turn turn = {0};
    CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_ENTERED);
    enqueue_as(&gate, &other_thread, &inputs[0]);
    enqueue_as(&gate, &other_thread, &inputs[1]);
    for (int index = 0; index < 3; index++) {
        CHECK(crx_gate_tell_owner(&gate));
        CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_TIDY);
        CHECK(crx_gate_tell_owner(&gate));
        if (index == 1) {
            // What has come since is looked for nevertheless.
            enqueue_as(&gate, &other_thread, &inputs[2]);
        }
        CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
        CHECK(next == &inputs[index]);
        CHECK_EQUAL(gate.word, untidy_of(me));
    }
    // Nothing waits any more, so it is asked as often as it is told to.
    for (int index = 0; index < 2; index++) {
        CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_TIDY);
        CHECK(crx_gate_tell_owner(&gate));
    }
    CHECK(crx_gate_exit_tidied_owner(&gate, me));
    CHECK_EQUAL(gate.word, 0);
}

/// G5a: in a gate that closes it tidies up again, however many inputs are left.
static void draining_a_closed_gate_tidies_up_though_it_just_has(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {0};
    struct crx_input input = {0}, *next;
    struct crx_turn turn = {0};
    CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_ENTERED);
    enqueue_as(&gate, &other_thread, &input);
    CHECK(crx_gate_tell_owner(&gate));
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_TIDY);
    CHECK(crx_gate_tell_owner(&gate));
    CHECK(!crx_gate_close(&gate));
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_TIDY);
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_CLOSED);
    CHECK(next == &input);
}

/// G5b: what waits when the gate closes comes back as one list, in order, and the gate is closed for ever.
static void draining_a_closed_gate_gives_everything_back(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {0};
    struct crx_input inputs[3] = {{0}}, *next;
    struct crx_turn turn = {0};
    CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_ENTERED);
    for (int index = 0; index < 3; index++) {
        enqueue_as(&gate, &other_thread, &inputs[index]);
    }
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
    CHECK(next == &inputs[0]);
    CHECK(!crx_gate_close(&gate));
    CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_CLOSED);
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_CLOSED);
    CHECK(next == &inputs[1] && next->next == &inputs[2] && inputs[2].next == NULL);
    CHECK_EQUAL(gate.word, CRX_GATE_CLOSED);
    CHECK(gate.pending == NULL);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
    CHECK(!crx_gate_close(&gate));
}

/// What `credit` counts in, as G7 waits: 50 µs, as long as a pusher waits that owns a gate; others wait for twenty
/// times that.
enum { WAIT_UNITS = 20, UNITS_FOR_A_PASS = 16 * WAIT_UNITS };

/// The parts of a gate's credit.
static unsigned passes_of(const struct crx_gate *gate) {
    return gate->credit & 0x1f;
}

static unsigned waits_of(const struct crx_gate *gate) {
    return gate->credit >> 5 & 0x1fff;
}

/// G7's credit: the thread that finds an owner stuck waits; after many have, some pass.
static void a_stuck_owner_soon_costs_little(void) {
    struct crx_gate gate = {.word = other(), .waiting = CRX_GATE_WAITING_LIMIT};
    struct crx_input inputs[51] = {{0}};
    const unsigned passes[] = {0, 1, 0, 1};
    const unsigned waits[] = {15, 16, 16, 17};
    for (int index = 0; index < 14; index++) {
        enqueue_as(&gate, crx_thread_get(), &inputs[index]);
    }
    for (int index = 0; index < 4; index++) {
        enqueue_as(&gate, crx_thread_get(), &inputs[14 + index]);
        CHECK_EQUAL(passes_of(&gate), passes[index]);
        CHECK_EQUAL(waits_of(&gate), waits[index] * WAIT_UNITS);
    }
    for (int index = 18; index < 50; index++) {
        enqueue_as(&gate, crx_thread_get(), &inputs[index]);
    }
    CHECK(waits_of(&gate) >= 2 * UNITS_FOR_A_PASS);
    gate.progress++;
    enqueue_as(&gate, crx_thread_get(), &inputs[50]);
    CHECK_EQUAL(gate.credit, 1u << 18 | WAIT_UNITS << 5);
}

/// The same for a pusher that owns a gate of its own: its shorter waits count for less, and grant passes in the end.
static void it_soon_costs_little_also_who_owns_a_gate(void) {
    struct crx_gate gate = {.word = other(), .waiting = CRX_GATE_WAITING_LIMIT};
    static struct crx_input inputs[UNITS_FOR_A_PASS + 2];
    crx_thread_get()->gates = 1;
    for (int index = 0; index < UNITS_FOR_A_PASS; index++) {
        CHECK_EQUAL(gate.credit, (unsigned)index << 5);
        enqueue_as(&gate, crx_thread_get(), &inputs[index]);
    }
    CHECK_EQUAL(gate.credit, UNITS_FOR_A_PASS << 5 | 1);
    enqueue_as(&gate, crx_thread_get(), &inputs[UNITS_FOR_A_PASS]);
    CHECK_EQUAL(gate.credit, UNITS_FOR_A_PASS << 5);
    enqueue_as(&gate, crx_thread_get(), &inputs[UNITS_FOR_A_PASS + 1]);
    CHECK_EQUAL(gate.credit, (UNITS_FOR_A_PASS + 1) << 5 | 1);
    crx_thread_get()->gates = 0;
}

/// However long it is stuck: one in so many pushers still looks.
static void a_stuck_owner_grants_sixteen_passes_at_most(void) {
    enum { PASSES = 16 };
    struct crx_gate gate = {
        .word = other(), .waiting = CRX_GATE_WAITING_LIMIT, .credit = PASSES * UNITS_FOR_A_PASS << 5};
    struct crx_input inputs[PASSES + 1] = {{0}};
    for (int index = 0; index <= PASSES; index++) {
        enqueue_as(&gate, crx_thread_get(), &inputs[index]);
        CHECK_EQUAL(waits_of(&gate), PASSES * UNITS_FOR_A_PASS);
        CHECK_EQUAL(passes_of(&gate), PASSES - index);
    }
}

/// Passes are for the stall that they were granted in: when the owner has gone on since, one waits again.
static void an_owner_that_has_gone_on_is_waited_for(void) {
    struct crx_gate gate = {
        .word = other(), .waiting = CRX_GATE_WAITING_LIMIT, .progress = 5,
        .credit = 4u << 18 | 2 * UNITS_FOR_A_PASS << 5 | 2};
    struct crx_input input = {0};
    enqueue_as(&gate, crx_thread_get(), &input);
    CHECK_EQUAL(gate.credit, 5u << 18 | WAIT_UNITS << 5);
}

/// A push may stand between a call of the program's and its look at what became of that.
static void a_wait_leaves_errno_as_it_was(void) {
    enum { WAITS = 8 };
    struct crx_gate gate = {.word = other(), .waiting = CRX_GATE_WAITING_LIMIT};
    struct crx_input inputs[WAITS] = {{0}};
    for (int index = 0; index < WAITS; index++) {
        errno = ERANGE;
        enqueue_as(&gate, crx_thread_get(), &inputs[index]);
        CHECK_EQUAL(errno, ERANGE);
    }
}

static void who_holds_a_lock_never_waits(void) {
    struct crx_gate gate = {.word = other(), .waiting = CRX_GATE_WAITING_LIMIT};
    struct crx_input input = {0};
    struct crx_lock lock = {0};
    crx_lock_acquire(&lock);
    enqueue_as(&gate, crx_thread_get(), &input);
    crx_lock_release(&lock);
    CHECK_EQUAL(gate.credit, 0);
}

static void below_the_limit_nobody_waits(void) {
    struct crx_gate gate = {.word = other(), .waiting = CRX_GATE_WAITING_LIMIT - 1};
    struct crx_input input = {0};
    enqueue_as(&gate, crx_thread_get(), &input);
    CHECK_EQUAL(gate.credit, 0);
    CHECK_EQUAL(gate.waiting, CRX_GATE_WAITING_LIMIT);
}

/// Its own input is among those that wait.
static void at_the_limit_nobody_who_has_left_an_input_waits(void) {
    struct crx_gate gate = {.word = other(), .waiting = CRX_GATE_WAITING_LIMIT};
    CHECK(!crx_gate_make_room(&gate, crx_thread_self()));
    CHECK_EQUAL(gate.credit, 0);
    gate.waiting++;
    CHECK(!crx_gate_make_room(&gate, crx_thread_self()));
    CHECK(gate.credit != 0);
}

/// Who waits is served by the gate's owner; where there is none any more there is nothing to wait for, and nothing to
/// take.
static void where_the_owner_has_gone_nobody_waits(void) {
    struct crx_gate gate = {.waiting = CRX_GATE_WAITING_LIMIT + 1};
    CHECK(!crx_gate_make_room(&gate, crx_thread_self()));
    CHECK_EQUAL(gate.word, 0);
    CHECK_EQUAL(gate.credit, 0);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
}

// MARK: G8

/// The clock is looked at once in eight inputs, first to note that the turn has begun; it lasts for 1.5 ms.
static void a_turn_is_timed_from_its_eighth_input(void) {
    enum { SERVED = 9 };
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {0};
    struct crx_input inputs[SERVED] = {{0}}, *next;
    struct crx_turn turn = {0};
    CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_ENTERED);
    for (int index = 0; index < SERVED; index++) {
        enqueue_as(&gate, &other_thread, &inputs[index]);
    }
    for (int index = 0; index < SERVED; index++) {
        CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
        CHECK_EQUAL(turn.began != 0, index >= 7);
        CHECK_EQUAL(turn.ends - turn.began, index >= 7 ? 1500000 : 0);
    }
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_EXITED);
}

/// A turn that was up long ago: its owner offers the gate before the next input, for 50 ms at most.
static struct crx_turn turn_that_is_up(void) {
    return (struct crx_turn){.began = 1, .ends = 1, .served = 100, .has_offered = true, .has_news = true};
}

/// Where nobody takes it, the owner serves on, and offers the gate no more before something has come.
static void an_offer_that_nobody_takes_costs_nothing_but_time(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {0};
    struct crx_input inputs[3] = {{0}}, *next;
    struct crx_turn turn = turn_that_is_up();
    CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_ENTERED);
    enqueue_as(&gate, &other_thread, &inputs[0]);
    enqueue_as(&gate, &other_thread, &inputs[1]);
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
    CHECK(next == &inputs[0]);
    CHECK_EQUAL(gate.word, me);
    CHECK(!turn.has_news);
    turn.ends = 1;
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
    CHECK_EQUAL(turn.ends, 1);
    enqueue_as(&gate, &other_thread, &inputs[2]);
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
    CHECK(turn.ends > 1);
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_EXITED);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
}

/// An offer is made beside a T as without it: who takes the gate takes that, too.
static void an_owner_that_is_told_to_tidy_up_offers_the_gate_nevertheless(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {.word = untidy_of(me)};
    struct crx_input input = {0}, *next;
    gate.pending = gate.pending_last = &input;
    gate.waiting = 1;
    struct crx_turn turn = turn_that_is_up();
    turn.has_tidied = true;
    turn.has_offered = false;
    turn.served = 15;
    CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
    CHECK(turn.has_offered && !turn.has_news);
    CHECK_EQUAL(gate.word, untidy_of(me));
}

/// How long an offer lasts of a turn that began so long ago, and which nobody takes: the shortest of some.
static int64_t shortest_offer(int64_t turn_lasts) {
    enum { TRIES = 10 };
    uintptr_t me = crx_thread_self();
    int64_t shortest = INT64_MAX;
    for (int tries = 0; tries < TRIES; tries++) {
        struct crx_gate gate = {0};
        struct crx_input input = {0}, *next;
        CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_ENTERED);
        enqueue_as(&gate, &other_thread, &input);
        int64_t began = nanoseconds_now();
        struct crx_turn turn = {.began = began - turn_lasts, .ends = began, .served = 7, .has_news = true};
        CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
        int64_t ended = nanoseconds_now(), span = ended - began;
        CHECK(span >= (turn_lasts < 150000000 ? turn_lasts / 3 : 50000000));
        // It serves for half as long as the turn has lasted before it offers the gate again.
        CHECK(turn.ends >= began + span / 3 + turn_lasts / 2);
        CHECK(turn.ends <= ended + (ended - turn.began) / 2);
        CHECK(turn.has_offered && !turn.has_news);
        shortest = span < shortest ? span : shortest;
        CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_EXITED);
        CHECK(next == NULL);
    }
    return shortest;
}

static void an_offer_lasts_for_a_third_of_the_turn(void) {
    CHECK(shortest_offer(3000000) < 25000000);
}

static void an_offer_lasts_for_fifty_milliseconds_at_most(void) {
    CHECK(shortest_offer(10000000000) < 1000000000);
}

/// Who waits for room takes the gate where it is offered, closed ones excepted.
static void who_waits_for_room_takes_what_is_offered(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate gate = {.word = offered_by(other()), .waiting = CRX_GATE_WAITING_LIMIT + 1};
    CHECK(crx_gate_make_room(&gate, me));
    CHECK_EQUAL(gate.word, queued_by(me));
    gate.word = untidy_of(offered_by(other()));
    CHECK(crx_gate_make_room(&gate, me));
    CHECK_EQUAL(gate.word, untidy_of(queued_by(me)));
    crx_thread_get()->gates--;
    CHECK_EQUAL(crx_thread_gates_owned(), 1);
    crx_thread_get()->gates = 0;
    gate.word = offered_by(closing_by(other()));
    CHECK(!crx_gate_make_room(&gate, me));
    CHECK_EQUAL(gate.word, offered_by(closing_by(other())));
}

/// An offer is made before each input: so many times 50 ms is the patience with a thread that comes late. Fewer than
/// may wait.
enum { OFFERS = 1000 };

struct offering {
    struct crx_gate gate;
    struct crx_input inputs[OFFERS];
    /// The other thread's: those that it left too late, and last the one with which it took the gate.
    struct crx_input others[OFFERS];
    int left;
    bool closes;
    /// How many have been served, by either thread.
    int served;
    /// How long the last offer took.
    int64_t took;
};

static struct crx_input *in_order(struct offering *offering, int place) {
    return place < OFFERS ? &offering->inputs[place] : &offering->others[place - OFFERS];
}

static void await_offer(struct crx_gate *gate) {
    while ((AO_load_acquire(&gate->word) & CRX_GATE_OFFERED) == 0) {
        sched_yield();
    }
}

/// Takes what another thread offers and serves the rest; or closes the gate, as often as that is offered.
static void *other_work(void *argument) {
    struct offering *offering = argument;
    struct crx_gate *gate = &offering->gate;
    uintptr_t me = crx_thread_self();
    struct crx_input *dropped, *next;
    struct crx_turn turn = {0};
    enum crx_enqueued outcome;
    if (offering->closes) {
        await_offer(gate);
        CHECK(!crx_gate_close(gate));
        return NULL;
    }
    do {
        // Again where the offer was over before this thread had taken it.
        CHECK(offering->left < OFFERS);
        await_offer(gate);
        outcome = crx_gate_enqueue(gate, me, &offering->others[offering->left++], &dropped);
    } while (outcome == CRX_ENQUEUED);
    CHECK_EQUAL(outcome, CRX_ENQUEUED_AND_OWNED);
    while (crx_gate_next_owner(gate, me, &turn, &next) == CRX_DRAIN_INPUT) {
        CHECK(next == in_order(offering, offering->served));
        offering->served++;
    }
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
    return NULL;
}

/// Offers the gate before each input; what became of that.
static enum crx_drain offer(struct offering *offering, struct crx_input **next) {
    uintptr_t me = crx_thread_self();
    pthread_t thread;
    CHECK_EQUAL(crx_gate_enter_acquire(&offering->gate, me), CRX_ENTERED);
    for (int index = 0; index < OFFERS; index++) {
        enqueue_as(&offering->gate, &other_thread, &offering->inputs[index]);
    }
    CHECK(pthread_create(&thread, NULL, other_work, offering) == 0);
    struct crx_turn turn = turn_that_is_up();
    enum crx_drain outcome;
    int64_t began = nanoseconds_now();
    while ((outcome = crx_gate_next_owner(&offering->gate, me, &turn, next)) == CRX_DRAIN_INPUT) {
        // The other thread was late for that.
        CHECK(*next == in_order(offering, offering->served));
        offering->served++;
        turn = turn_that_is_up();
        began = nanoseconds_now();
    }
    offering->took = nanoseconds_now() - began;
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
    return outcome;
}

static void who_takes_an_offered_gate_serves_what_waits_there(void) {
    struct offering offering = {.closes = false};
    struct crx_input *next;
    CHECK_EQUAL(offer(&offering, &next), CRX_DRAIN_EXITED);
    CHECK(next == NULL);
    CHECK_EQUAL(offering.served, OFFERS + offering.left);
    CHECK_EQUAL(offering.gate.word, 0);
    CHECK_EQUAL(offering.gate.waiting, 0);
}

static void a_gate_that_closes_while_it_is_offered_is_its_owners_to_end(void) {
    struct offering offering = {.closes = true};
    struct crx_input *next;
    CHECK_EQUAL(offer(&offering, &next), CRX_DRAIN_CLOSED);
    CHECK(next == &offering.inputs[offering.served]);
    CHECK_EQUAL(offering.gate.word, CRX_GATE_CLOSED);
}

/// It does not sleep on to the end of its offer, which is 50 ms. The shortest of some: a busy machine makes some
/// longer.
static void an_owner_wakes_when_what_it_offers_is_taken_or_closed(void) {
    enum { TRIES = 20, MOST = 25000000 };
    for (int closes = 0; closes < 2; closes++) {
        int64_t shortest = INT64_MAX;
        for (int tries = 0; tries < TRIES && shortest >= MOST; tries++) {
            struct offering offering = {.closes = closes != 0};
            struct crx_input *next;
            CHECK_EQUAL(offer(&offering, &next), closes ? CRX_DRAIN_CLOSED : CRX_DRAIN_EXITED);
            shortest = offering.took < shortest ? offering.took : shortest;
        }
        CHECK(shortest < MOST);
    }
}

/// Claim 12: what an owner brings from an inner gate that it drains does not nest in a gate that it entered before.
static void input_brought_by_a_drain_does_not_nest_in_an_outer_gate(void) {
    uintptr_t me = crx_thread_self();
    struct crx_gate outer = {0}, inner = {0}, later = {0};
    struct crx_input inputs[2] = {{0}}, *next, *dropped;
    struct crx_turn turn = {0};
    CHECK_EQUAL(crx_gate_enter_acquire(&outer, me), CRX_ENTERED);
    CHECK_EQUAL(crx_gate_enter_acquire(&inner, me), CRX_ENTERED);
    CHECK_EQUAL(crx_gate_enter_acquire(&outer, me), CRX_NESTED);
    enqueue_as(&inner, &other_thread, &inputs[0]);
    CHECK(!crx_gate_exit_release_owner(&inner, me));
    uint32_t before = crx_gate_serve_begin_owner(&inner, me, false);
    CHECK_EQUAL(crx_gate_next_owner(&inner, me, &turn, &next), CRX_DRAIN_INPUT);
    CHECK_EQUAL(crx_gate_enter_acquire(&outer, me), CRX_CONTENDED);
    CHECK_EQUAL(crx_gate_enter_acquire(&inner, me), CRX_NESTED);
    CHECK_EQUAL(crx_gate_enter_acquire(&later, me), CRX_ENTERED);
    CHECK_EQUAL(crx_gate_enter_acquire(&later, me), CRX_NESTED);
    CHECK(crx_gate_exit_release_owner(&later, me));
    CHECK_EQUAL(crx_gate_enqueue(&outer, me, &inputs[1], &dropped), CRX_ENQUEUED);
    CHECK_EQUAL(inputs[0].left_by, other());
    CHECK_EQUAL(inputs[1].left_by, 0);
    CHECK_EQUAL(crx_gate_next_owner(&inner, me, &turn, &next), CRX_DRAIN_EXITED);
    crx_gate_serve_end(me, before);
    CHECK_EQUAL(crx_gate_enter_acquire(&outer, me), CRX_NESTED);
    CHECK_EQUAL(crx_gate_next_owner(&outer, me, &turn, &next), CRX_DRAIN_INPUT);
    CHECK_EQUAL(crx_gate_next_owner(&outer, me, &turn, &next), CRX_DRAIN_EXITED);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
}

/// G10: the inputs of one source up to the last that the caller left, or all; the others keep their order.
static void waiting_inputs_of_a_source_are_taken_in_order(void) {
    uintptr_t me = crx_thread_self();
    for (int all = 0; all <= 1; all++) {
        struct crx_gate gate = {0};
        struct crx_input inputs[6] = {{0}}, *next, *dropped;
        struct crx_turn turn = {0};
        int sources[2];
        CHECK_EQUAL(crx_gate_enter_acquire(&gate, me), CRX_ENTERED);
        CHECK(!crx_gate_is_waited_for_owner(&gate));
        for (int index = 0; index < 6; index++) {
            inputs[index].source = &sources[index % 2];
            if (index == 2) {
                CHECK_EQUAL(crx_gate_enqueue(&gate, me, &inputs[index], &dropped), CRX_ENQUEUED);
            } else {
                enqueue_as(&gate, &other_thread, &inputs[index]);
            }
        }
        CHECK(crx_gate_is_waited_for_owner(&gate));
        struct crx_input *taken = crx_gate_take_of_owner(&gate, me, &sources[0], all != 0);
        for (int index = 0; index <= (all ? 4 : 2); index += 2) {
            CHECK(taken == &inputs[index]);
            taken = taken->next;
        }
        CHECK(taken == NULL);
        CHECK(all || crx_gate_take_of_owner(&gate, me, &sources[0], false) == NULL);
        CHECK_EQUAL(gate.waiting, all ? 3 : 4);
        for (int index = 1; index < 6; index += index == 3 && !all ? 1 : index == 4 ? 1 : 2) {
            CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_INPUT);
            CHECK(next == &inputs[index]);
        }
        CHECK_EQUAL(crx_gate_next_owner(&gate, me, &turn, &next), CRX_DRAIN_EXITED);
        CHECK_EQUAL(gate.word, 0);
    }
}

void gate_tests(void) {
    RUN(input_brought_by_a_drain_does_not_nest_in_an_outer_gate);
    RUN(waiting_inputs_of_a_source_are_taken_in_order);
    RUN(entering_is_decided_by_the_word);
    RUN(the_record_names_the_gate_entered_last);
    RUN(entering_late_is_decided_by_the_word);
    RUN(at_a_busy_gate_nobody_enters_late);
    RUN(who_holds_a_lock_does_not_enter_late);
    RUN(who_owns_a_gate_may_enter_another_late);
    RUN(who_finds_another_owner_looks_for_some_microseconds);
    RUN(one_of_two_that_enter_late_is_the_owner);
    RUN(leaving_fails_when_something_waits_or_closes);
    RUN(who_has_tidied_up_leaves_beside_what_was_told_before);
    RUN(closing_tells_who_tears_down);
    RUN(leaving_an_input_is_decided_by_the_word);
    RUN(telling_the_owner_is_decided_by_the_word);
    RUN(draining_keeps_the_order);
    RUN(draining_tidies_up_where_it_was_told_to);
    RUN(draining_tidies_up_once_between_two_inputs);
    RUN(draining_a_closed_gate_tidies_up_though_it_just_has);
    RUN(draining_a_closed_gate_gives_everything_back);
    RUN(a_stuck_owner_soon_costs_little);
    RUN(it_soon_costs_little_also_who_owns_a_gate);
    RUN(a_stuck_owner_grants_sixteen_passes_at_most);
    RUN(an_owner_that_has_gone_on_is_waited_for);
    RUN(a_wait_leaves_errno_as_it_was);
    RUN(who_holds_a_lock_never_waits);
    RUN(below_the_limit_nobody_waits);
    RUN(at_the_limit_nobody_who_has_left_an_input_waits);
    RUN(where_the_owner_has_gone_nobody_waits);
    RUN(a_turn_is_timed_from_its_eighth_input);
    RUN(an_offer_that_nobody_takes_costs_nothing_but_time);
    RUN(an_owner_that_is_told_to_tidy_up_offers_the_gate_nevertheless);
    RUN(an_offer_lasts_for_a_third_of_the_turn);
    RUN(an_offer_lasts_for_fifty_milliseconds_at_most);
    RUN(who_waits_for_room_takes_what_is_offered);
    RUN(who_takes_an_offered_gate_serves_what_waits_there);
    RUN(a_gate_that_closes_while_it_is_offered_is_its_owners_to_end);
    RUN(an_owner_wakes_when_what_it_offers_is_taken_or_closed);
}
