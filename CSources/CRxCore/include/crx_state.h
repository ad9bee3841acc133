#ifndef CRX_STATE_H
#define CRX_STATE_H

#include "crx_lock.h"

#ifdef __cplusplus
extern "C" {
#endif

// The word of a chain: the state of one subscription. To *halt* a chain is to stop it and the chains that feed it,
// without a teardown. The *feeder* is the thread that feeds the chain from a source. An *adopter* is a thread that adds
// a teardown to the chain. The *notifier* is the thread that has set NOTIFYING. It takes the source out of the chain,
// pauses or resumes the source, and puts it back. A *polling* source reads the word to see whether it must pause, and
// is notified only of a resume. A *listening* source is notified of pauses and resumes. CAS: compare-and-swap. RMW:
// atomic read-modify-write.
//
// | bit | name | set by | cleared by | read by |
// |---|---|---|---|---|
// | 0 | DISPOSED | the disposer, once | never | every stage before it calls a user's closure; the adopter |
// | 1 | SOURCE_SET | the subscriber, when it stores the source; the notifier, when it puts the source back | the notifier, when it takes the source out | the disposer, to find a source |
// | 2 | STOPPED | the terminal observer, at the terminal event; the halter | never | every stage before it calls a user's closure |
// | 3 | FULL | the boundary or operator that the chain feeds, under its lock, when it has no room | the same, when it has room again (a boundary: at its low mark) | polling sources, notifiers |
// | 4 | DISPOSAL_NOTIFIED | the thread that runs `onDisposed`; the chain's maker, if there is no `onDisposed` | never | a thread before it runs `onDisposed` |
// | 5 | ADOPTED | the adopter | never | the disposer, to find teardowns |
// | 6 | HANDED_OVER | the stage above the terminal observer, during subscription | never | the terminal observer: if set, the stage above disposes of the chain |
// | 7 | COUNTED | the chain's maker, if the chain is counted as a resource | never | the thread that frees the chain |
// | 8 | KEPT | the adopter of a teardown with an observable effect, possibly before it adopts | never | the top of the chain, when the source releases it: if set, the chain retains itself |
// | 9 | HALTED | the halter, once | never | the disposer, the feeder, the adopter, the notifier |
// | 10 | SUBSCRIBED | the chain's maker; for a source that may end during its subscription, the subscriber, after `subscribe` has returned | never | the thread that delivers the source's end; the thread that disposes of the source |
// | 11 | HELD | the list of inner chains, under its lock, or an `UpperChain`: the chain below is paused | the same, when the chain below resumes | polling sources, notifiers |
// | 12 | PARKED | a polling source that stops; the notifier, before it pauses the source | the notifier | the thread that clears the last reason to pause |
// | 13 | NOTIFYING | the notifier, when it takes the source out | the notifier, when it puts the source back | a thread before it takes the source out |
// | 14 | LISTENS | the feeder, for a listening source | never | a thread that sets or clears a reason to pause (bits 3, 11, 17) |
// | 15 | PAUSABLE | the feeder, for a source that can pause; a thread that reads a subject's `readiness` | never | a boundary, to choose its limit |
// | 16 | HALT_DONE | the halter, when it no longer reads source and teardowns | never | the thread that disposes of the source or runs teardowns |
// | 17 | CROWDED | the source, with the input that brings WAITING to the limit | the owner of the gate that the chain feeds, when WAITING is 0 | polling sources, notifiers |
// | 18..31 | WAITING: the number of the chain's inputs that wait in the gate that the chain feeds | the source adds 1 for each input | the gate's owner subtracts 1 for each | the source and the owner |
//
// Bits 3, 11 to 15 and 17 to 31 are flow control (Sources/RxSwift/Backpressure). Outside a `FlowScope`, none of these
// bits except PAUSABLE is set.
//
// 1. *Set once*: bits 0, 2, 4 to 10 and 14 to 16 are never cleared. An acq_rel RMW sets them and returns the previous
//    word. So exactly one caller finds a bit unset, and only that caller acts. The other bits change by a CAS whose new
//    value depends on the whole previous word. While no other thread can reach the chain, a plain store may set bits.
// 2. *Handing over*: a thread that sets SOURCE_SET and sees DISPOSED, or sets DISPOSED and sees SOURCE_SET, disposes of
//    the source. The later of the two RMWs sees the earlier one, and everything written before the earlier one. ADOPTED
//    hands over teardowns in the same way: an adopter that sees DISPOSED runs its teardown. A halt only reads the
//    source and the teardowns, to find chains to halt. If the RMW that sets HALTED sees SOURCE_SET or ADOPTED, but not
//    DISPOSED, the halter reads the source and the teardowns, and then sets HALT_DONE. A disposer may set DISPOSED
//    between HALTED and HALT_DONE. It then disposes of the source and runs the teardowns. The chain continues to retain
//    the objects that the halter may read.
// 3. *A check needs no order*: the load before a user's closure decides only whether to call the closure. "Nothing
//    after dispose" holds for the disposer, which sees its own RMW. It also holds for a thread whose load is ordered
//    after the disposal, for example by a lock.
// 4. *Disposing of a source that has ended*: the RMW that sets STOPPED returns whether SUBSCRIBED was set. If so, the
//    chain that the source feeds disposes of the source. If not, the source disposes of itself. So a disposer that sees
//    STOPPED with neither SUBSCRIBED nor HALTED leaves the source alone. If SUBSCRIBED is set after the RMW and before
//    the disposer's load, both the source and the disposer dispose of the source. The second disposal has no effect.
// 5. *Taking out*: the notifier clears SOURCE_SET in the RMW that sets NOTIFYING. Until it puts the source back, no
//    other thread accesses the source. A disposer that sees no SOURCE_SET leaves the source to the notifier, which sees
//    DISPOSED when it puts the source back.
// 6. *No lost resume*: a source must be resumed if and only if PARKED is set. The source sets PARKED by a CAS, and only
//    in a word that has a reason to pause (bits 3, 11, 17). The thread that clears the last reason sees PARKED in that
//    RMW and becomes the notifier. If the thread sees NOTIFYING instead, the notifier checks again when it puts the
//    source back. After DISPOSED, PARKED no longer changes.
// 7. *In order*: the notifications of one chain are serial. Each reports the pause state that the preceding RMW has
//    read. The RMW that puts the source back succeeds only if the pause state has not changed since. Otherwise the
//    notifier notifies the source again.
// 8. *CROWDED is cleared*: the RMW that may set CROWDED counts an input before the input is enqueued in the gate. After
//    the input has been handled or dropped, the owner subtracts 1. So while CROWDED is set, at least one input waits or
//    is about to wait. The RMW that reduces WAITING to 0 clears CROWDED. The count WAITING saturates at both ends, so a
//    source may resume early.
//
// Models of these claims in Tests/Models: halt.pml for 2 and 5, park.pml and inner.pml for 5 to 7, crowd.pml for 8.
#define CRX_CHAIN_DISPOSED ((uintptr_t)1)
#define CRX_CHAIN_SOURCE_SET ((uintptr_t)2)
#define CRX_CHAIN_STOPPED ((uintptr_t)4)
#define CRX_CHAIN_FULL ((uintptr_t)8)
#define CRX_CHAIN_DISPOSAL_NOTIFIED ((uintptr_t)16)
#define CRX_CHAIN_ADOPTED ((uintptr_t)32)
#define CRX_CHAIN_HANDED_OVER ((uintptr_t)64)
#define CRX_CHAIN_COUNTED ((uintptr_t)128)
#define CRX_CHAIN_KEPT ((uintptr_t)256)
#define CRX_CHAIN_HALTED ((uintptr_t)512)
#define CRX_CHAIN_SUBSCRIBED ((uintptr_t)1024)
#define CRX_CHAIN_HELD ((uintptr_t)2048)
#define CRX_CHAIN_PARKED ((uintptr_t)4096)
#define CRX_CHAIN_NOTIFYING ((uintptr_t)8192)
#define CRX_CHAIN_LISTENS ((uintptr_t)16384)
#define CRX_CHAIN_PAUSABLE ((uintptr_t)32768)
#define CRX_CHAIN_HALT_DONE ((uintptr_t)65536)
#define CRX_CHAIN_CROWDED ((uintptr_t)131072)
/// The unit of the count WAITING.
#define CRX_CHAIN_WAITING ((uintptr_t)262144)

static_assert((CRX_CHAIN_DISPOSED ^ CRX_CHAIN_SOURCE_SET ^ CRX_CHAIN_STOPPED ^ CRX_CHAIN_FULL ^
                CRX_CHAIN_DISPOSAL_NOTIFIED ^ CRX_CHAIN_ADOPTED ^ CRX_CHAIN_HANDED_OVER ^ CRX_CHAIN_COUNTED ^
                CRX_CHAIN_KEPT ^ CRX_CHAIN_HALTED ^ CRX_CHAIN_SUBSCRIBED ^ CRX_CHAIN_HELD ^ CRX_CHAIN_PARKED ^
                CRX_CHAIN_NOTIFYING ^ CRX_CHAIN_LISTENS ^ CRX_CHAIN_PAUSABLE ^ CRX_CHAIN_HALT_DONE ^ CRX_CHAIN_CROWDED) ==
                   CRX_CHAIN_WAITING - 1,
               "eighteen bits, none used twice, and the count above them");

/// A chain with any of these bits is paused. A literal, because Swift does not import a macro that combines three
/// macros.
#define CRX_CHAIN_REASONS ((uintptr_t)133128)
static_assert(CRX_CHAIN_REASONS == (CRX_CHAIN_FULL | CRX_CHAIN_HELD | CRX_CHAIN_CROWDED), "the three reasons");
/// A source that finds one of these bits sends nothing more.
#define CRX_CHAIN_OVER (CRX_CHAIN_DISPOSED | CRX_CHAIN_STOPPED)

/// An atomic word, initially zero. The Swift code that uses such a word documents the word's protocol.
struct crx_flag {
    AO_t word;
};

CRX_INLINE uintptr_t crx_flag_load_relaxed(const struct crx_flag *_Nonnull flag) {
    return AO_load(&flag->word);
}

CRX_INLINE uintptr_t crx_flag_load_acquire(const struct crx_flag *_Nonnull flag) {
    return AO_load_acquire(&flag->word);
}

CRX_INLINE void crx_flag_store_release(struct crx_flag *_Nonnull flag, uintptr_t value) {
    AO_store_release(&flag->word, value);
}

/// Replaces `expected` with `desired`. Returns the previous value: `expected` if the word was replaced.
CRX_INLINE uintptr_t crx_flag_compare_and_swap_acq_rel(
    struct crx_flag *_Nonnull flag, uintptr_t expected, uintptr_t desired) {
    return AO_fetch_compare_and_swap_full(&flag->word, expected, desired);
}

/// Adds `amount`, and returns the previous value. Wraps, so adding `UInt.max` subtracts one.
CRX_INLINE uintptr_t crx_flag_fetch_add_acq_rel(struct crx_flag *_Nonnull flag, uintptr_t amount) {
    return AO_fetch_and_add_full(&flag->word, amount);
}

/// Sets bits and returns the previous value. If all bits are set already, only loads the word, with acquire.
CRX_INLINE uintptr_t crx_flag_fetch_or_acq_rel(struct crx_flag *_Nonnull flag, uintptr_t bits) {
    AO_t old = AO_load_acquire(&flag->word);
    while ((old & bits) != bits) {
        AO_t seen = AO_fetch_compare_and_swap_full(&flag->word, old, old | bits);
        if (CRX_LIKELY(seen == old)) {
            break;
        }
        old = seen;
    }
    return old;
}

/// The word of a chain, and the lock that protects the fields of its ChainLifetime.
struct crx_chain {
    unsigned bits;
    struct crx_lock lock;
};

static_assert(sizeof(struct crx_chain) == 8, "bits and lock side by side");

CRX_INLINE struct crx_lock *_Nonnull crx_state_lock(struct crx_chain *_Nonnull chain) {
    return &chain->lock;
}

CRX_INLINE uintptr_t crx_state_load_acquire(const struct crx_chain *_Nonnull chain) {
    return AO_int_load_acquire(&chain->bits);
}

CRX_INLINE uintptr_t crx_state_load_relaxed(const struct crx_chain *_Nonnull chain) {
    return AO_int_load(&chain->bits);
}

/// Like `crx_flag_fetch_or_acq_rel`.
CRX_INLINE uintptr_t crx_state_fetch_or_acq_rel(struct crx_chain *_Nonnull chain, uintptr_t bits) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    while ((old & bits) != bits) {
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, old | (unsigned)bits);
        if (CRX_LIKELY(seen == old)) {
            break;
        }
        old = seen;
    }
    return old;
}

/// Sets bits of a chain that no other thread can reach yet.
CRX_INLINE void crx_state_set_unshared(struct crx_chain *_Nonnull chain, uintptr_t bits) {
    AO_int_store(&chain->bits, AO_int_load(&chain->bits) | (unsigned)bits);
}

// MARK: The lifetime
//
// Functions that set a bit return the previous word or nothing. Functions with a parameter `word` test its bits.

/// Sets up the word of a new chain. No other thread can reach the chain yet.
///
/// - `is_subscribed`: false if the source may end during its subscription and dispose of itself.
/// - `has_notice`: whether the chain has an `onDisposed`.
CRX_INLINE void crx_lifetime_begin(
    struct crx_chain *_Nonnull chain, bool is_counted, bool is_subscribed, bool has_notice) {
    crx_state_set_unshared(chain, (is_counted ? CRX_CHAIN_COUNTED : 0) | (is_subscribed ? CRX_CHAIN_SUBSCRIBED : 0) |
                                      (has_notice ? 0 : CRX_CHAIN_DISPOSAL_NOTIFIED));
}

/// Sets COUNTED. No other thread can reach the chain yet.
CRX_INLINE void crx_lifetime_set_counted(struct crx_chain *_Nonnull chain) {
    crx_state_set_unshared(chain, CRX_CHAIN_COUNTED);
}

CRX_INLINE uintptr_t crx_lifetime_word(const struct crx_chain *_Nonnull chain) {
    return crx_state_load_acquire(chain);
}

/// Loads the word without ordering (claim 3).
CRX_INLINE uintptr_t crx_lifetime_word_relaxed(const struct crx_chain *_Nonnull chain) {
    return crx_state_load_relaxed(chain);
}

CRX_INLINE uintptr_t crx_lifetime_dispose(struct crx_chain *_Nonnull chain) {
    return crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_DISPOSED);
}

CRX_INLINE uintptr_t crx_lifetime_stop(struct crx_chain *_Nonnull chain) {
    return crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_STOPPED);
}

CRX_INLINE uintptr_t crx_lifetime_halt(struct crx_chain *_Nonnull chain) {
    return crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_STOPPED | CRX_CHAIN_HALTED);
}

/// Called by the halter when it no longer reads the source and the teardowns.
CRX_INLINE void crx_lifetime_end_halt(struct crx_chain *_Nonnull chain) {
    crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_HALT_DONE);
}

CRX_INLINE uintptr_t crx_lifetime_set_source(struct crx_chain *_Nonnull chain) {
    return crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_SOURCE_SET);
}

CRX_INLINE void crx_lifetime_set_source_unshared(struct crx_chain *_Nonnull chain) {
    crx_state_set_unshared(chain, CRX_CHAIN_SOURCE_SET);
}

CRX_INLINE uintptr_t crx_lifetime_adopt(struct crx_chain *_Nonnull chain, bool keeps) {
    return crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_ADOPTED | (keeps ? CRX_CHAIN_KEPT : 0));
}

CRX_INLINE void crx_lifetime_keep(struct crx_chain *_Nonnull chain) {
    crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_KEPT);
}

CRX_INLINE void crx_lifetime_set_subscribed(struct crx_chain *_Nonnull chain) {
    crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_SUBSCRIBED);
}

CRX_INLINE void crx_lifetime_hand_over(struct crx_chain *_Nonnull chain) {
    crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_HANDED_OVER);
}

CRX_INLINE bool crx_lifetime_is_handed_over(const struct crx_chain *_Nonnull chain) {
    return (crx_state_load_relaxed(chain) & CRX_CHAIN_HANDED_OVER) != 0;
}

/// Whether the caller must run `onDisposed`: true for at most one caller. Loads first, because most chains have no
/// `onDisposed` and a load costs less than an RMW.
CRX_INLINE bool crx_lifetime_takes_notice(struct crx_chain *_Nonnull chain) {
    return (crx_state_load_relaxed(chain) & CRX_CHAIN_DISPOSAL_NOTIFIED) == 0 &&
           (crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_DISPOSAL_NOTIFIED) & CRX_CHAIN_DISPOSAL_NOTIFIED) == 0;
}

/// Whether the chain still delivers. Checked before each of the user's closures (claim 3).
CRX_INLINE bool crx_lifetime_is_live(const struct crx_chain *_Nonnull chain) {
    return CRX_LIKELY((crx_state_load_relaxed(chain) & CRX_CHAIN_OVER) == 0);
}

CRX_INLINE bool crx_lifetime_is_disposed(uintptr_t word) { return (word & CRX_CHAIN_DISPOSED) != 0; }

CRX_INLINE bool crx_lifetime_is_over(uintptr_t word) { return (word & CRX_CHAIN_OVER) != 0; }

CRX_INLINE bool crx_lifetime_is_halted(uintptr_t word) { return (word & CRX_CHAIN_HALTED) != 0; }

/// Whether a halt may still read the source and the teardowns.
CRX_INLINE bool crx_lifetime_is_being_halted(uintptr_t word) {
    return (word & (CRX_CHAIN_HALTED | CRX_CHAIN_HALT_DONE)) == CRX_CHAIN_HALTED;
}

CRX_INLINE bool crx_lifetime_has_source(uintptr_t word) { return (word & CRX_CHAIN_SOURCE_SET) != 0; }

CRX_INLINE bool crx_lifetime_has_live_source(uintptr_t word) {
    return (word & (CRX_CHAIN_SOURCE_SET | CRX_CHAIN_DISPOSED)) == CRX_CHAIN_SOURCE_SET;
}

CRX_INLINE bool crx_lifetime_has_teardowns(uintptr_t word) { return (word & CRX_CHAIN_ADOPTED) != 0; }

CRX_INLINE bool crx_lifetime_is_subscribed(uintptr_t word) { return (word & CRX_CHAIN_SUBSCRIBED) != 0; }

CRX_INLINE bool crx_lifetime_is_counted(uintptr_t word) { return (word & CRX_CHAIN_COUNTED) != 0; }

/// Whether the source has ended during its subscription, and disposes of itself.
CRX_INLINE bool crx_lifetime_is_ending(uintptr_t word) {
    return (word & (CRX_CHAIN_STOPPED | CRX_CHAIN_SUBSCRIBED | CRX_CHAIN_HALTED)) == CRX_CHAIN_STOPPED;
}

/// Whether a chain must outlive its source, because of a teardown with an observable effect.
CRX_INLINE bool crx_lifetime_outlives_source(uintptr_t word) {
    return (word & (CRX_CHAIN_KEPT | CRX_CHAIN_OVER)) == CRX_CHAIN_KEPT;
}

// MARK: Pausing

CRX_INLINE uintptr_t crx_pause_word(const struct crx_chain *_Nonnull chain) {
    return crx_state_load_relaxed(chain);
}

CRX_INLINE bool crx_pause_is_paused(uintptr_t word) { return (word & CRX_CHAIN_REASONS) != 0; }

CRX_INLINE bool crx_pause_is_full(uintptr_t word) { return (word & CRX_CHAIN_FULL) != 0; }

CRX_INLINE bool crx_pause_is_pausable(uintptr_t word) { return (word & CRX_CHAIN_PAUSABLE) != 0; }

CRX_INLINE void crx_pause_set_pausable(struct crx_chain *_Nonnull chain) {
    crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_PAUSABLE);
}

CRX_INLINE void crx_pause_set_listening(struct crx_chain *_Nonnull chain) {
    crx_state_fetch_or_acq_rel(chain, CRX_CHAIN_PAUSABLE | CRX_CHAIN_LISTENS);
}

CRX_INLINE bool crx_pause_is_parked(uintptr_t word) { return (word & CRX_CHAIN_PARKED) != 0; }

/// Returns the pause state to report to the source: true for a pause.
CRX_INLINE bool crx_pause_notified_state(uintptr_t word) {
    return (word & (CRX_CHAIN_LISTENS | CRX_CHAIN_PARKED)) == (CRX_CHAIN_LISTENS | CRX_CHAIN_PARKED);
}

CRX_INLINE bool crx_pause_must_notify(uintptr_t word) {
    if ((word & (CRX_CHAIN_SOURCE_SET | CRX_CHAIN_NOTIFYING | CRX_CHAIN_DISPOSED)) != CRX_CHAIN_SOURCE_SET) {
        return false;
    }
    bool paused = (word & CRX_CHAIN_REASONS) != 0;
    bool parked = (word & CRX_CHAIN_PARKED) != 0;
    return (word & CRX_CHAIN_LISTENS) != 0 ? paused != parked : parked && !paused;
}

/// Returns `word` with PARKED set if the source must be notified of a pause, otherwise with PARKED cleared. Only a
/// source with LISTENS is notified of pauses.
CRX_INLINE uintptr_t crx_pause_with_notified_state(uintptr_t word) {
    bool pauses = (word & CRX_CHAIN_LISTENS) != 0 && (word & CRX_CHAIN_REASONS) != 0;
    return (word & ~CRX_CHAIN_PARKED) | (pauses ? CRX_CHAIN_PARKED : 0);
}

/// Returns the word to store. If the source must be notified, that word has NOTIFYING set and SOURCE_SET cleared.
CRX_INLINE uintptr_t crx_pause_with_taken_source(uintptr_t word, bool *_Nonnull notifies) {
    *notifies = crx_pause_must_notify(word);
    return *notifies ? (crx_pause_with_notified_state(word) & ~CRX_CHAIN_SOURCE_SET) | CRX_CHAIN_NOTIFYING : word;
}

/// Sets and clears reasons to pause. If a function from here to `crx_pause_input_has_waited` returns true, the caller
/// is the notifier and must notify the source.
CRX_INLINE bool crx_pause_change(struct crx_chain *_Nonnull chain, uintptr_t set, uintptr_t cleared) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    for (;;) {
        bool notifies;
        uintptr_t changed = crx_pause_with_taken_source((old | set) & ~cleared, &notifies);
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, (unsigned)changed);
        if (CRX_LIKELY(seen == old)) {
            return notifies;
        }
        old = seen;
    }
}

CRX_INLINE bool crx_pause_set_full(struct crx_chain *_Nonnull chain, bool is_full) {
    return crx_pause_change(chain, is_full ? CRX_CHAIN_FULL : 0, is_full ? 0 : CRX_CHAIN_FULL);
}

CRX_INLINE bool crx_pause_set_held(struct crx_chain *_Nonnull chain, bool is_held) {
    return crx_pause_change(chain, is_held ? CRX_CHAIN_HELD : 0, is_held ? 0 : CRX_CHAIN_HELD);
}

/// Counts an input that the source is about to enqueue in the gate. At `limit` inputs, sets CROWDED.
CRX_INLINE bool crx_pause_input_waits(struct crx_chain *_Nonnull chain, unsigned limit) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    for (;;) {
        bool notifies;
        uintptr_t changed = old + CRX_CHAIN_WAITING <= UINT32_MAX ? old + CRX_CHAIN_WAITING : old;
        changed |= changed / CRX_CHAIN_WAITING >= limit ? CRX_CHAIN_CROWDED : 0;
        changed = crx_pause_with_taken_source(changed, &notifies);
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, (unsigned)changed);
        if (CRX_LIKELY(seen == old)) {
            return notifies;
        }
        old = seen;
    }
}

/// Subtracts an input that no longer waits. At 0, clears CROWDED.
CRX_INLINE bool crx_pause_input_has_waited(struct crx_chain *_Nonnull chain) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    for (;;) {
        bool notifies;
        uintptr_t changed = old >= CRX_CHAIN_WAITING ? old - CRX_CHAIN_WAITING : old;
        changed &= changed < CRX_CHAIN_WAITING ? ~CRX_CHAIN_CROWDED : UINTPTR_MAX;
        changed = crx_pause_with_taken_source(changed, &notifies);
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, (unsigned)changed);
        if (CRX_LIKELY(seen == old)) {
            return notifies;
        }
        old = seen;
    }
}

/// The notifier's next action.
enum crx_put_back {
    /// The source is back, and has the current pause state.
    CRX_PUT_BACK_DONE,
    /// The source is back. Halt it.
    CRX_PUT_BACK_HALTED,
    /// Notify the source again: the pause state has changed.
    CRX_PUT_BACK_NOTIFY_AGAIN,
    /// The source is not back. Dispose of it.
    CRX_PUT_BACK_DISPOSED,
};

CRX_INLINE enum crx_put_back crx_pause_put_back(struct crx_chain *_Nonnull chain) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    for (;;) {
        enum crx_put_back found = (old & CRX_CHAIN_HALTED) != 0 ? CRX_PUT_BACK_HALTED : CRX_PUT_BACK_DONE;
        uintptr_t changed = (old & ~CRX_CHAIN_NOTIFYING) | CRX_CHAIN_SOURCE_SET;
        if ((old & CRX_CHAIN_DISPOSED) != 0) {
            changed = old & ~CRX_CHAIN_NOTIFYING;
            found = CRX_PUT_BACK_DISPOSED;
        } else if (crx_pause_must_notify(changed)) {
            changed = crx_pause_with_notified_state(old);
            found = CRX_PUT_BACK_NOTIFY_AGAIN;
        }
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, (unsigned)changed);
        if (CRX_LIKELY(seen == old)) {
            return found;
        }
        old = seen;
    }
}

enum crx_park {
    /// The source is parked, but another thread may have resumed it already.
    CRX_PARK_DONE,
    /// No reason to pause: the source continues.
    CRX_PARK_OPEN,
    CRX_PARK_OVER,
};

/// Parks a polling source in one RMW, if there is still a reason to pause.
CRX_INLINE enum crx_park crx_pause_park(struct crx_chain *_Nonnull chain) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    for (;;) {
        if ((old & CRX_CHAIN_OVER) != 0) {
            return CRX_PARK_OVER;
        }
        if ((old & CRX_CHAIN_REASONS) == 0) {
            return CRX_PARK_OPEN;
        }
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, old | (unsigned)CRX_CHAIN_PARKED);
        if (CRX_LIKELY(seen == old)) {
            return CRX_PARK_DONE;
        }
        old = seen;
    }
}

#ifdef __cplusplus
}
#endif

#endif
