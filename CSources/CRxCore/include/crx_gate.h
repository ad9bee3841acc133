#ifndef CRX_GATE_H
#define CRX_GATE_H

#include "crx_thread.h"

#ifdef __cplusplus
extern "C" {
#endif

// The gate: one thread at a time delivers. A thread that finds the gate owned enqueues its input for the owner.
//
// Terms. *Owner*: the thread that delivers now. *Pusher*: a thread that sends an input. *Input*: an event or a request.
// *Step*: the owner's handling of one input. *Depth 0*: outside of any step of this gate. *CAS*: an atomic
// compare-and-swap. *RMW*: an atomic read-modify-write.
//
// W is the word of the gate: the address of the owner's record (`struct crx_thread`) and the bits Q, C, O and T.
//
// | bits | name | set by | cleared by | order |
// |---|---|---|---|---|
// | 63..4 | owner: address of its record | enter, enqueue, wait | leave, drain | acquire to set, release to clear |
// | 3 | T: tidying up is due | notify, if there is an owner | drain, leave | acq_rel to set, acquire to clear |
// | 2 | O: the owner offers the gate | offer | offer; enqueue or wait, by the new owner | acq_rel |
// | 1 | C: the gate is closed | close | never | acq_rel |
// | 0 | Q: inputs are queued | enqueue, wait (W then has an owner) | drain | acq_rel to set, acquire to clear |
//
// The operations on W:
//
// - G1 *enter*, any thread: if W is 0, the caller becomes the owner. If C is set, the caller drops its input. If the
//   caller owns the gate already, it steps its input at once (claim 5) or enqueues it (claims 12, 13). If another
//   thread owns the gate, the caller may try again (claim 11) before it enqueues the input.
// - G2 *enqueue*, any thread: push the input onto the stack, then set Q by an RMW. If W was 0 or O was set, this RMW
//   also makes the caller the owner. If C is set, do not set Q, but take the stack and drop its inputs.
// - G3 *look*, the owner before each delivery except the first: read C.
// - G4 *leave*, the owner at depth 0: change W to 0 if no bit is set. Otherwise drain.
// - G5 *drain*, the owner at depth 0, repeatedly. (a) If Q or T is set, clear them, then take the stack (Q) and tidy up
//   (T). Exception: if C is not set, the owner tidies up at most once before it steps a pending input. If T is set
//   again before that step, the owner leaves it set. (b) Otherwise, if C is set, change W to C, drop the inputs and
//   tear down. (c) Otherwise step the next input. (d) If no input is pending, leave. (e) After tidying up, leave at
//   once if nothing waits.
// - G6 *close*, any thread: set C. If W was 0, tear down.
// - G7 *wait*, a pusher that holds no lock, after G2: while too many inputs wait, wait for a bounded time. If the owner
//   offers the gate (G8), take the gate.
// - G8 *offer*, the owner at depth 0, after draining for some time: set O for a bounded time. If no thread takes the
//   gate, clear O and drain.
// - G9 *notify*, any thread: make an RMW on W. If W has an owner, the RMW sets T.
// - G10 *keep order*, the owner before it steps a nested event: look for waiting inputs of the same source (claim 13).
//
// The values of W, where o is the owner's record and t the record of another thread:
//
// | value | meaning | changed by |
// |---|---|---|
// | 0 | free | G1 → o; G2 → o\|Q; G6 → C |
// | o, o\|Q | owned | G4, G5d, G5e: o → 0; G2: → o\|Q; G5a: → o; G6: → o\|C, o\|C\|Q |
// | o\|O | offered: the owner steps nothing | G2, G7 of the thread t: → t\|Q; G8: → o; G6: → o\|O\|C |
// | o\|O\|C | closed while offered | G8: → o\|C |
// | o\|C, o\|C\|Q | closing: the owner still delivers | G5a: → o\|C; G5b: o\|C → C |
// | C | closed for ever | nothing |
//
// In any value with an owner, T may also be set. G9 sets T, G5a and G5e clear T, and all other operations preserve T.
// While T is set, the owner neither leaves nor closes the gate, except by G5e.
//
// 1. *One owner.* W changes from 0 only by a CAS. An owner is removed from W only by its own CAS or, while O is set, by
//    another thread's CAS. The owner sets O only at depth 0, when it holds no input. Until its own CAS has cleared O,
//    it accesses only W.
// 2. *Nothing is lost.* A pusher pushes its input and then makes an RMW on W. If the RMW precedes the owner's CAS that
//    clears Q, the owner finds the input when it takes the stack, because that CAS acquires. If the RMW comes after
//    that CAS, the owner's CAS to leave fails, and the owner drains again. If W was 0 or O was set, the RMW makes the
//    pusher the owner, with Q set. The RMW is needed even if Q is already set. A plain load of Q could be reordered
//    before the push, and the owner could clear Q between the load and the push.
// 3. *Order.* While an input of a thread waits, W is not 0, so the thread's next input waits as well. The owner takes
//    the whole stack, reverses it and appends it to its own list, `pending`. That list is first in, first out.
// 4. *Close.* When W is exactly C, it never changes again. The thread whose RMW sets W to C then frees the state that
//    the gate guards. The thread that takes an input off the stack frees the input. After a close, G2 does not set Q,
//    so pushers cannot prolong the owner's drain. If the last reference to the gate's memory is released while W is 0,
//    the releasing thread tears down the state.
// 5. *Nesting.* An input that the owner pushes from inside an observer is stepped at once, as with RxSwift's recursive
//    lock. So the nested input may overtake an input of another thread, within the limits of claim 13.
// 6. *Waiting is harmless.* A thread that holds a lock never waits. Any other thread waits for a bounded time, so there
//    is no deadlock.
// 7. *Blocking.* An owner must not wait inside an observer until another thread's input passes the same gate. The owner
//    would wait for ever, because only the owner could deliver the input. A thread that ends inside an observer
//    (`pthread_exit`, `Thread.exit`) owns its gates for ever, and inputs of other threads are not delivered.
// 8. *Handing over.* A thread takes an offered gate (G2, G7) by the same CAS as a free gate. The list `pending` belongs
//    to the owner, so the thread also takes the pending inputs. If no thread took an offer, the owner makes the next
//    offer only after a new input. If a pusher takes the gate while it holds a lock, it releases the lock before it
//    drains.
// 9. *Tidying up.* If the RMW of G9 finds an owner, it sets T. Then no owner leaves before its drain has cleared T and
//    the gate's client (such as a bag) has tidied up. A thread that takes an offered gate inherits T. If the RMW finds
//    no owner, the next thread that acquires W sees everything that came before the RMW. While an input is pending, the
//    owner tidies up at most once before it steps that input. So threads that set T repeatedly do not delay the inputs.
//    If a client sets T only under a lock, the owner may tidy up and leave under that lock (G5e). Then T cannot be set
//    in between.
// 10. *Re-entry needs no RMW.* A thread sees by a relaxed load of W whether it owns the gate, because only that thread
//    stores its address in W or removes it. (During an offer, another thread may remove the address, but the owner does
//    not enter its gate then.) The load sees any C that this thread has set or read before. If another thread sets C at
//    the same time, C counts as set after the load. The load need not acquire, because this thread was the last to
//    write the guarded state. The thread makes the load only if the field `gate` of its record names this gate.
//    Otherwise, the thread tries the CAS of G1. If the thread owns the gate, that CAS fails and returns a W that names
//    the thread.
// 11. *Trying again.* A thread that finds the gate owned by another thread tries to enter up to twice more, a
//    microsecond or two apart. Enqueuing the input would cost both threads more time than this wait. Two threads that
//    push concurrently therefore own the gate in turn, each for many steps. Order is kept, because the thread has no
//    input in the gate. The thread does not try again while it holds a lock, or while several inputs wait.
// 12. *An owner that drains acts for other threads.* While an owner drains one gate, it may push an input into another
//    gate that it entered earlier. It then enqueues the input. If it stepped the input at once, the input could
//    overtake earlier inputs of the thread for which the owner acts. A gate's `depth` is the number of gates that the
//    owner owned after it entered the gate. The field `serving` of the owner's record is the depth of the innermost
//    gate that the owner drains. Gates with a smaller depth were entered earlier.
// 13. *Nesting keeps the order of a source.* If a nested event must not overtake a waiting input of its source (G10),
//    the event is enqueued behind that input. The owner steps both later. If it stepped them at once, an observer that
//    has not yet received the current event would receive them first. A terminal event overtakes no input of its
//    source. An element overtakes an input of its source only if that input was enqueued by another thread that drained
//    no gate then and owned none (`left_by`). Exception: if several sources share the gate, that thread may
//    have owned one gate, the gate of the subject into which it pushed. A thread that owned more gates may have pushed
//    from inside an observer, so its input must precede the event. G10 moves inputs from the stack to `pending` and
//    leaves Q set. The drain that Q causes, or the drain in progress, steps these inputs.
//
// In Tests/Models, series.pml and answers.pml model claims 5, 8, 12 and 13. gate.pml models the other claims.
//
// Every decision is an RMW on W, except for the loads of claim 10. A CAS with acquire and release (`_full`) suffices,
// because no claim depends on the order of a store and a later load of another word.
#define CRX_GATE_QUEUED ((uintptr_t)1)
#define CRX_GATE_CLOSED ((uintptr_t)2)
#define CRX_GATE_OFFERED ((uintptr_t)4)
#define CRX_GATE_UNTIDY ((uintptr_t)8)
#define CRX_GATE_BITS ((uintptr_t)15)

static_assert((CRX_GATE_QUEUED | CRX_GATE_CLOSED | CRX_GATE_OFFERED | CRX_GATE_UNTIDY) == CRX_GATE_BITS, "four bits");
static_assert(alignof(struct crx_thread) > CRX_GATE_BITS, "they fit below the address of a record");

/// If at least this number of inputs wait, a pusher waits for room (G7).
#define CRX_GATE_WAITING_LIMIT 1024u

/// The header of a waiting input. The rest of its memory belongs to the client.
struct crx_input {
    struct crx_input *_Nullable next;
    /// The address of the input's source, or null; only compared (claim 13).
    const void *_Nullable source;
    /// Before `crx_gate_enqueue`: the number of gates that the pusher may own (claim 13). Afterwards: the thread that
    /// enqueued the input, or 0 if no nested event may overtake it.
    uintptr_t left_by;
};

/// An all-zero gate is free. The memory must outlive every call on the gate.
struct crx_gate {
    /// The word W.
    AO_t word;
    /// The stack of inputs, the newest first. The owner takes all of them at once.
    AO_t stack;
    /// The inputs taken from the stack, in order. Accessed only by the owner. `pending_last` is valid only while
    /// `pending` is not null.
    struct crx_input *_Nullable pending;
    struct crx_input *_Nullable pending_last;
    // The next three fields are hints for G7. A stale value only causes or avoids a wait, so they are accessed without
    // order.
    /// The number of waiting inputs.
    unsigned waiting;
    /// The number of handled inputs. Written by the owner.
    unsigned progress;
    /// Bits 0..4: the number of pushers that may enqueue without a wait. Bits 5..17: the time that pushers have waited
    /// without progress, in units of 50 µs. Bits 18..31: the low bits of `progress` at the last wait.
    unsigned credit;
    /// The number of gates that the owner owned after it entered this gate (claim 12). Used only by the owner.
    unsigned depth;
};

static_assert(sizeof(struct crx_gate) == 4 * sizeof(void *) + 16, "the layout is the same in every build");

/// The state of one drain, accessed only by the owner. All zero when the drain begins.
struct crx_turn {
    /// The times (CLOCK_MONOTONIC, ns) at which the turn began and at which the owner offers the gate. Both are 0 until
    /// the owner first reads the clock.
    int64_t began;
    int64_t ends;
    /// The number of handled inputs.
    unsigned served;
    bool has_offered;
    /// Whether an input has arrived since the last offer.
    bool has_news;
    /// Whether the owner has tidied up since the last input.
    bool has_tidied;
};

/// The result of entering a gate (G1).
enum crx_entry {
    /// The caller now owns the gate. Handle the input, then leave.
    CRX_ENTERED,
    /// The thread already owned the gate. Handle the input at once, and do not leave.
    CRX_NESTED,
    /// Another thread delivers, or the caller acts for another thread (claim 12). Enqueue an input.
    CRX_CONTENDED,
    /// The gate is closed. Drop the input.
    CRX_CLOSED,
};

/// The result of enqueuing an input (G2).
enum crx_enqueued {
    /// The owner will handle the input.
    CRX_ENQUEUED,
    /// The caller now owns the gate. Drain.
    CRX_ENQUEUED_AND_OWNED,
    /// The gate is closed. Drop the inputs in `dropped`.
    CRX_ENQUEUE_REFUSED,
};

/// The owner's next action (G5).
enum crx_drain {
    /// Handle `input`, then call again.
    CRX_DRAIN_INPUT,
    /// Tidy up (G9), then call again.
    CRX_DRAIN_TIDY,
    /// The gate is free again, or another thread owns it.
    CRX_DRAIN_EXITED,
    /// The gate is closed for ever. Drop the list in `input`, then tear down.
    CRX_DRAIN_CLOSED,
};

/// Tries again to enter a gate that another thread owns (G1, claim 11).
enum crx_entry crx_gate_enter_late_acquire(struct crx_gate *_Nonnull gate, uintptr_t me);

/// The result for an owner that enters its gate again (G1, claim 12).
CRX_INLINE enum crx_entry crx_gate_reentered_owner(
    const struct crx_gate *_Nonnull gate, const struct crx_thread *_Nonnull thread, AO_t word) {
    if (word & CRX_GATE_CLOSED) {
        return CRX_CLOSED;
    }
    return CRX_UNLIKELY(gate->depth < thread->serving) ? CRX_CONTENDED : CRX_NESTED;
}

/// Tries to enter the gate as `me`, the calling thread (G1).
CRX_INLINE enum crx_entry crx_gate_enter_acquire(struct crx_gate *_Nonnull gate, uintptr_t me) {
    struct crx_thread *thread = (struct crx_thread *)me;
    if (CRX_EXPLORE_TRUSTS_HINTS && thread->gate == gate) {
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

/// Leaves the gate (G4). Called by the owner at depth 0. If the result is false, the caller drains with
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

/// Whether the gate is closed or closing (G3).
CRX_INLINE bool crx_gate_is_closed_acquire(const struct crx_gate *_Nonnull gate) {
    return CRX_UNLIKELY((AO_load_acquire(&gate->word) & CRX_GATE_CLOSED) != 0);
}

/// Whether the calling thread owns the gate. A relaxed load is exact here (claim 10).
CRX_INLINE bool crx_gate_is_owned_by_relaxed(const struct crx_gate *_Nonnull gate, uintptr_t me) {
    return (AO_load(&gate->word) & ~CRX_GATE_BITS) == me;
}

/// Whether a pusher must wait for room; may be out of date.
CRX_INLINE bool crx_gate_is_crowded_relaxed(const struct crx_gate *_Nonnull gate) {
    return AO_int_load(&gate->waiting) >= CRX_GATE_WAITING_LIMIT;
}

/// Enqueues an input (G2), which then belongs to the gate. If too many inputs wait, waits for room (G7). If the result
/// is `CRX_ENQUEUE_REFUSED`, `dropped` receives the inputs to drop: possibly none, and possibly inputs of other
/// threads.
enum crx_enqueued crx_gate_enqueue(
    struct crx_gate *_Nonnull gate, uintptr_t me, struct crx_input *_Nonnull input,
    struct crx_input *_Nullable *_Nonnull dropped);

/// Waits if too many inputs wait (G7). Called by a thread that held a lock when it enqueued, and has released the lock.
/// If the result is true, the caller owns the gate, and must drain.
bool crx_gate_make_room(struct crx_gate *_Nonnull gate, uintptr_t me);

/// Returns the next action of a drain (G5, G8). Called by the owner at depth 0. `input` receives the input to handle,
/// or the list to drop, in order.
enum crx_drain crx_gate_next_owner(
    struct crx_gate *_Nonnull gate, uintptr_t me, struct crx_turn *_Nonnull turn,
    struct crx_input *_Nullable *_Nonnull input);

/// Records that the owner drains this gate (claim 12). Returns the previous depth, for `crx_gate_serve_end`.
CRX_INLINE uint32_t crx_gate_serve_begin_owner(const struct crx_gate *_Nonnull gate, uintptr_t me) {
    struct crx_thread *thread = (struct crx_thread *)me;
    uint32_t outer = thread->serving;
    thread->serving = gate->depth;
    return outer;
}

CRX_INLINE void crx_gate_serve_end(uintptr_t me, uint32_t outer) {
    ((struct crx_thread *)me)->serving = outer;
}

/// The slow path of `crx_gate_nested_waits_owner`.
bool crx_gate_nested_waits_behind_owner(
    struct crx_gate *_Nonnull gate, uintptr_t me, const void *_Nonnull source, bool is_end);

/// Whether a nested event must wait behind inputs of its source (G10, claim 13). Called by the owner.
CRX_INLINE bool crx_gate_nested_waits_owner(
    struct crx_gate *_Nonnull gate, uintptr_t me, const void *_Nonnull source, bool is_end) {
    return CRX_UNLIKELY((AO_load(&gate->word) & CRX_GATE_QUEUED) != 0 || gate->pending != NULL) &&
        crx_gate_nested_waits_behind_owner(gate, me, source, is_end);
}

/// Leaves the gate if nothing waits (G5e). Called by the owner after it has tidied up, under the client's lock. The
/// client must call `crx_gate_tell_owner` only under the same lock. If the result is false, the owner must call
/// `crx_gate_next_owner` again.
bool crx_gate_exit_tidied_owner(struct crx_gate *_Nonnull gate, uintptr_t me);

/// Closes the gate (G6). Called by any thread. Returns true if the gate was free; the caller then tears down.
bool crx_gate_close(struct crx_gate *_Nonnull gate);

/// Makes the owner tidy up before it leaves (G9). Called by any thread. Returns whether there is an owner. Makes an RMW
/// on W even if W does not change (claim 9).
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
