#ifndef CRX_GATE_H
#define CRX_GATE_H

#include "crx_thread.h"

#ifdef __cplusplus
extern "C" {
#endif

// The gate: one owner at a time delivers; a thread that comes meanwhile leaves its input with the owner.
//
// Terms. *Owner*: the thread that delivers now. *Input*: an event or a request on its way in. *Step*: the owner handles
// one input. *Depth 0*: the owner's outermost step, not one nested in an observer that it is calling.
//
// The word W:
//
// | bits | name | set by | cleared by | order |
// |---|---|---|---|---|
// | 63..4 | owner: address of the thread's record | G1 from 0; G2 from 0, G2 and G7 beside O, with Q | owner: G4, G5 | acquire in, release out |
// | 3 | T: something is to be tidied up | G9, only beside an owner | the owner: G5a, G5e | acq_rel set, acquire clear |
// | 2 | O: offered | the owner: G8 | the owner: G8; G2, G7, with the owner | acq_rel |
// | 1 | C: closed | G6, any thread | never | acq_rel |
// | 0 | Q: something waits | G2, only beside an owner | the owner: G5a | acq_rel set, acquire clear |
//
// | value | meaning | leaves by |
// |---|---|---|
// | 0 | free | G1 → o; G2 → o\|Q; G6 → C |
// | o, o\|Q | owned | G4, G5d, G5e: o → 0; G2: → o\|Q; G5a: → o; G6: → o\|C, o\|C\|Q |
// | o\|O | offered: the owner serves nobody | G2, G7: → t\|Q, who takes it; G8: → o; G6: → o\|O\|C |
// | o\|O\|C | closed while offered | G8: → o\|C |
// | o\|C, o\|C\|Q | closing: the owner still delivers | G5a: → o\|C; G5b: o\|C → C |
// | C | closed for ever | nothing |
//
// T stands beside any of these that has an owner. G9 sets it, G5a clears it, and every other step leaves it as it is;
// nobody leaves or closes the gate for ever beside a T, but for G5e, which has just tidied up.
//
// 1. *One owner.* W leaves 0 only by a CAS, and loses an owner only by that owner's own CAS, or while it bears O. An
//    owner sets O at depth 0, with no input in its hands, and then touches nothing of the gate until a CAS of its own
//    has cleared it.
// 2. *Nothing is forgotten.* An input is pushed before an RMW on W. Either that RMW comes before the owner's clear of
//    Q, whose acquire then makes the taking of the stack see the push; or after it, and then the CAS by which the owner
//    leaves fails and it drains again; or it found W at 0 or offered and made the pusher the owner, with Q. Therefore
//    the announcing RMW is done also when Q is set already: a load may pass the push before it, and see a Q that is
//    about to be cleared.
// 3. *Order.* While an input of a thread waits, W is not 0, so its next one waits too; the stack is taken whole and
//    turned round, and pending is first in, first out.
// 4. *Close.* Nothing leaves exactly C. The thread whose RMW makes it so frees what the gate guards, once, after that
//    RMW; an input is freed by the thread that took it off the stack, and an announcer that sees C takes the stack
//    itself, so a drain after close ends. The memory of the gate belongs to its users' reference counting, and the last
//    reference tears down when W is 0.
// 5. *Nesting.* An input that the owner's own code makes is a step at once, whatever waits, as with RxSwift's recursive
//    lock. Its price: an input that another thread left may be overtaken by one that the owner makes from inside its
//    observer. In RxSwift the other thread would still wait for the lock.
// 6. *Waiting is harmless.* Who holds a lock never waits; everyone else waits a bounded time, so nothing deadlocks, and
//    an owner that is stuck costs a pusher a fraction of that in the end (the credit of G7), also one that owns a gate
//    itself.
// 7. A thread that pushes from inside an observer and then blocks until another thread's input passes the same gate
//    waits for ever: it is the owner that would deliver it.
//    A thread that ends inside an observer (`pthread_exit`, `Thread.exit`) owns its gates for ever. Every later input
//    of another thread waits and is never delivered, unless a new thread happens to get the same address for its
//    record: the gate takes that thread for its owner. Nothing can release such a gate, because the frames of its step
//    are gone. A thread of the library reports such an end (`crx_thread_begin`).
// 8. *The burden goes round.* An owner that has served others for its turn offers the gate (O) before the next input.
//    The thread that announces an input then, or waits for room, takes gate, Q and pending by the CAS that a free gate
//    is taken by, and nobody waits for that but the owner, a bounded time. Where nobody comes it takes the gate back
//    and serves on, so nothing is forgotten for want of a taker. It offers again only if something has come since. A
//    pusher may hold a lock as it takes the gate, as when it finds it free; it drains after that.
// 9. *Tidying up.* Who sees an owner by the RMW of G9 has left T, and no owner leaves before a drain has cleared it, at
//    depth 0, and has had its client tidy up after that. Who sees none knows that the thread that acquires W next sees
//    what came before that RMW. Other threads may set T as fast as they can, and hold up neither what waits nor the
//    owner: between two inputs it is looked at once; and a client that sets T under a lock alone leaves under that
//    lock, once it has taken what there is to tidy up and nothing waits (G5e). A T that it finds then was set before
//    that.
//
// 10. *Re-entry needs no RMW.* It decides nothing. The owner bits are exact for the thread they name: it alone writes
//     itself there and, but for an offer, during which it asks nothing, it alone writes itself away. So a relaxed load
//     sees them: it never goes back behind a write of its own thread. It sees a C that this thread set or has heard of,
//     too; one that comes at the same moment might as well have come after. There is nothing to acquire: what the gate
//     guards was written last by this thread. Before a CAS that succeeds the load would be paid for in vain, so the
//     thread's record has the gate that it entered last. That is a hint: without it the CAS fails, and says the same.
//
// 11. *Asking again.* A thread that finds another owner asks once or twice more, some microseconds apart, before it
//     leaves an input: it might as well have come later. Two threads that push at once then take turns of many steps,
//     where each input left would cost both of them more than the wait. It has no input there, so claim 3 has nothing
//     to say. It does not ask again where inputs wait, for then the owner is busy, nor while it holds a lock.
//
// 12. *An owner that drains acts for other threads.* It may own gates that it entered before the one that it drains.
//    It enqueues the inputs that it brings to such a gate. If it stepped them at once, they would overtake earlier
//    inputs of the same thread. Each gate records its depth: the number of gates that the owner owned when it entered.
//    The thread's record has the depth of the innermost gate that it drains, and the owner compares the two.
// 13. *Nesting keeps the order of a source.* Before an owner steps an element nested, it steps the waiting inputs of
//    the same source, up to the last one that the owner enqueued itself or that a thread brought from a gate it
//    drained. Only inputs that other threads enqueued directly are overtaken (claim 5). Before it steps an end nested,
//    it steps all waiting inputs of that source (G10). Other inputs keep their order. Q does not change: the inputs
//    that G10 has moved to pending are served by the drain that Q causes, or by the drain in progress.
//
// Known gap: with four threads, the soak has seen an observer's element overtaken by the next element that the observer
// pushed into the same source. The model does not cover a hand-over (G8) of the second gate.
//
// 12 and 13 are modelled in Tests/Models/series.pml.
//
// Every other decision is an RMW on W. The "full" CAS orders as acquire and release, not sequentially consistent: no
// claim rests on "I store here, then load there".
#define CRX_GATE_QUEUED ((uintptr_t)1)
#define CRX_GATE_CLOSED ((uintptr_t)2)
#define CRX_GATE_OFFERED ((uintptr_t)4)
#define CRX_GATE_UNTIDY ((uintptr_t)8)
#define CRX_GATE_BITS ((uintptr_t)15)

static_assert((CRX_GATE_QUEUED | CRX_GATE_CLOSED | CRX_GATE_OFFERED | CRX_GATE_UNTIDY) == CRX_GATE_BITS, "four bits");
static_assert(alignof(struct crx_thread) > CRX_GATE_BITS, "they fit below the address of a record");

/// So many inputs may wait before their pushers are made to wait (G7).
#define CRX_GATE_WAITING_LIMIT 1024u

/// The header of an item that waits in a gate; what follows it is its maker's.
struct crx_input {
    struct crx_input *_Nullable next;
    /// The source that it is of, for `crx_gate_take_of_owner`; compared and never followed. Null for none.
    const void *_Nullable source;
    /// The thread that left it, or 0 if that thread brought it from a gate that it drained (claim 13). Set by
    /// `crx_gate_enqueue`.
    uintptr_t left_by;
};

/// A gate; all zero is free. Its memory must outlive every call on it.
struct crx_gate {
    /// W, the only word that decides.
    AO_t word;
    /// Inputs, last one first: pushed by any thread, taken whole.
    AO_t stack;
    /// The owner's alone: inputs in order. `pending_last` means something only while `pending` is not null.
    struct crx_input *_Nullable pending;
    struct crx_input *_Nullable pending_last;
    // Hints for G7, relaxed: a stale one costs a wait or spares one, never an input.
    /// How many inputs wait, on the stack or pending.
    unsigned waiting;
    /// How many inputs have been stepped; the owner's to write.
    unsigned progress;
    /// Bits 0..4: how many pushers may pass without a wait; 5..17: for how long they have waited in vain; 18..31: the
    /// low bits of `progress` at that time.
    unsigned credit;
    /// The owner's alone: how many gates it owned once it had entered this one (claim 12).
    unsigned depth;
};

static_assert(sizeof(struct crx_gate) == 4 * sizeof(void *) + 16, "the layout is the same in every build");

/// The turn of an owner that drains, for as long as it does; all zero is one that begins. Its own alone.
struct crx_turn {
    /// CLOCK_MONOTONIC in nanoseconds, 0 before the first look: when it began, and when the gate is offered to others.
    int64_t began;
    int64_t ends;
    /// How many inputs it has served.
    unsigned served;
    bool has_offered;
    /// Whether anything has come since it last offered the gate.
    bool has_news;
    /// Whether it was told to tidy up since it last served an input.
    bool has_tidied;
};

/// G1, what entering came to.
enum crx_entry {
    /// The gate was free and is the caller's: step, then leave.
    CRX_ENTERED,
    /// The caller's thread delivers already: step nested, do not leave.
    CRX_NESTED,
    /// Another thread delivers, or the caller acts for another thread (claim 12): leave an input with the owner.
    CRX_CONTENDED,
    /// Closed: drop the input.
    CRX_CLOSED,
};

/// G2, what leaving an input came to.
enum crx_enqueued {
    /// The owner will step it.
    CRX_ENQUEUED,
    /// The gate was free or offered and is the caller's: drain.
    CRX_ENQUEUED_AND_OWNED,
    /// Closed: drop what was taken.
    CRX_ENQUEUE_REFUSED,
};

/// G5, what the owner does next.
enum crx_drain {
    /// Step this input, then ask again.
    CRX_DRAIN_INPUT,
    /// Tidy up (G9), then ask again.
    CRX_DRAIN_TIDY,
    /// The gate is free again, or another thread's.
    CRX_DRAIN_EXITED,
    /// Closed for ever by this call: drop the list, then tear down.
    CRX_DRAIN_CLOSED,
};

/// G1 once more, for a thread that found another owner (claim 11).
enum crx_entry crx_gate_enter_late_acquire(struct crx_gate *_Nonnull gate, uintptr_t me);

/// G1 for the owner: nested, unless it acts for another thread in a gate that it entered later (claim 12).
CRX_INLINE enum crx_entry crx_gate_reentered_owner(
    const struct crx_gate *_Nonnull gate, const struct crx_thread *_Nonnull thread, AO_t word) {
    if (word & CRX_GATE_CLOSED) {
        return CRX_CLOSED;
    }
    return CRX_UNLIKELY(gate->depth < thread->serving) ? CRX_CONTENDED : CRX_NESTED;
}

/// G1: asks for the gate as `me`, the calling thread. C is asked for before the owner, so that a closing gate takes
/// nothing nested.
CRX_INLINE enum crx_entry crx_gate_enter_acquire(struct crx_gate *_Nonnull gate, uintptr_t me) {
    struct crx_thread *thread = (struct crx_thread *)me;
    if (thread->gate == gate) {
        AO_t word = AO_load(&gate->word);
        if ((word & ~CRX_GATE_BITS) == me) {
            return crx_gate_reentered_owner(gate, thread, word);
        }
    }
    AO_t seen = AO_fetch_compare_and_swap_acquire(&gate->word, 0, me);
    if (CRX_LIKELY(seen == 0)) {
        gate->depth = ++thread->gates;
        thread->gate = gate;
        return CRX_ENTERED;
    }
    if (seen & CRX_GATE_CLOSED) {
        return CRX_CLOSED;
    }
    if ((seen & ~CRX_GATE_BITS) != me) {
        return crx_gate_enter_late_acquire(gate, me);
    }
    thread->gate = gate;
    return crx_gate_reentered_owner(gate, thread, seen);
}

/// G4, the owner at depth 0: true when it has left; false when something waits or the gate closes: drain with
/// `crx_gate_next_owner`.
CRX_INLINE bool crx_gate_exit_release_owner(struct crx_gate *_Nonnull gate, uintptr_t me) {
    struct crx_thread *thread = (struct crx_thread *)me;
    if (CRX_LIKELY(AO_fetch_compare_and_swap_release(&gate->word, me, 0) == me)) {
        thread->gates--;
        thread->gate = NULL;
        return true;
    }
    return false;
}

/// G3: whether the gate is closed or closing, asked by the owner before each delivery but the first of a step just
/// entered.
CRX_INLINE bool crx_gate_is_closed_acquire(const struct crx_gate *_Nonnull gate) {
    return CRX_UNLIKELY((AO_load_acquire(&gate->word) & CRX_GATE_CLOSED) != 0);
}

/// Whether the calling thread delivers: exact for `me`, since only it makes itself the owner, and it asks nothing while
/// it offers the gate.
CRX_INLINE bool crx_gate_is_owned_by_relaxed(const struct crx_gate *_Nonnull gate, uintptr_t me) {
    return (AO_load(&gate->word) & ~CRX_GATE_BITS) == me;
}

/// G2 and G7: leaves an input, and is the caller's to give up. With `CRX_ENQUEUE_REFUSED`, `dropped` is the list to
/// drop, which may hold other threads' inputs and may be empty.
enum crx_enqueued crx_gate_enqueue(
    struct crx_gate *_Nonnull gate, uintptr_t me, struct crx_input *_Nonnull input,
    struct crx_input *_Nullable *_Nonnull dropped);

/// G7 by itself, for who held a lock while it left its input: a bounded wait where too many inputs wait. True when the
/// gate has become the caller's: drain.
bool crx_gate_make_room(struct crx_gate *_Nonnull gate, uintptr_t me);

/// G5 and G8, the owner at depth 0: what next.
/// `CRX_DRAIN_INPUT`: `input` is the one to step. `CRX_DRAIN_CLOSED`: `input` is the list to drop, in order.
enum crx_drain crx_gate_next_owner(
    struct crx_gate *_Nonnull gate, uintptr_t me, struct crx_turn *_Nonnull turn,
    struct crx_input *_Nullable *_Nonnull input);

/// The owner begins to act for other threads in this gate. Returns what `crx_gate_serve_end` restores.
CRX_INLINE uint32_t crx_gate_serve_begin_owner(const struct crx_gate *_Nonnull gate, uintptr_t me) {
    struct crx_thread *thread = (struct crx_thread *)me;
    uint32_t outer = thread->serving;
    thread->serving = gate->depth;
    return outer;
}

CRX_INLINE void crx_gate_serve_end(uintptr_t me, uint32_t outer) {
    ((struct crx_thread *)me)->serving = outer;
}

/// Whether inputs wait: asked by the owner before a nested step.
CRX_INLINE bool crx_gate_is_waited_for_owner(const struct crx_gate *_Nonnull gate) {
    return CRX_UNLIKELY((AO_load(&gate->word) & CRX_GATE_QUEUED) != 0 || gate->pending != NULL);
}

/// G10, the owner in a nested step: takes inputs of `source` that wait, in order, for the caller to step (claim 13): up
/// to the last one that a nested element must not overtake, or all.
struct crx_input *_Nullable crx_gate_take_of_owner(
    struct crx_gate *_Nonnull gate, uintptr_t me, const void *_Nonnull source, bool takes_all);

/// G5e, the owner after `CRX_DRAIN_TIDY`, under the lock under which alone its client calls `crx_gate_tell_owner`, once
/// it has taken what there is to tidy up: true when nothing waits and it has left; false: ask again.
bool crx_gate_exit_tidied_owner(struct crx_gate *_Nonnull gate, uintptr_t me);

/// G6, any thread: closes the gate. True when nobody owned it: the caller tears down now. False when it was closed
/// already, or when its owner will tear down as it leaves its outermost step.
bool crx_gate_close(struct crx_gate *_Nonnull gate);

/// G9, any thread: has the owner tidy up before it leaves, if there is one. Whether there is one; an RMW on W in either
/// case (claim 9).
CRX_INLINE bool crx_gate_tell_owner(struct crx_gate *_Nonnull gate) {
    AO_t word = AO_load(&gate->word);
    for (;;) {
        bool is_owned = (word & ~CRX_GATE_BITS) != 0;
        AO_t seen = AO_fetch_compare_and_swap_full(&gate->word, word, is_owned ? word | CRX_GATE_UNTIDY : word);
        if (seen == word) {
            return is_owned;
        }
        word = seen;
    }
}

#ifdef __cplusplus
}
#endif

#endif
