#ifndef CRX_STATE_H
#define CRX_STATE_H

#include "crx_lock.h"

#ifdef __cplusplus
extern "C" {
#endif

// The word of a chain: what has become of one subscription.
//
// | bit | name | set by | cleared by | read by |
// |---|---|---|---|---|
// | 0 | DISPOSED | the thread that disposes, once | never | every stage before a user's closure; who adopts a teardown |
// | 1 | SOURCE_SET | the subscriber, when the source is adopted; the teller, putting it back | the teller, taking it out | the thread that disposes: the source is there to be disposed |
// | 2 | STOPPED | the last sink, at the terminal event; the thread that halts | never | every stage before a user's closure |
// | 3 | FULL | the boundary or junction that the chain feeds, under its lock: no room | the same, at the low mark | polling sources, tellers |
// | 4 | DISPOSED_TOLD | the thread that ran `onDisposed`; its maker, where there is none | never | the thread that would run it |
// | 5 | ADOPTED | the thread that adopted a teardown | never | the thread that disposes: there are teardowns to run |
// | 6 | HANDED_OVER | the stage above the last sink, while the chain is put together | never | the last sink: that stage disposes the chain |
// | 7 | COUNTED | its maker | never | the thread that frees it: it was counted as a resource |
// | 8 | KEPT | who adopts, or is going to adopt, a teardown that may be noticed | never | a source that goes: the chain keeps itself |
// | 9 | HALTED | the thread that halts the chain, once | never | the thread that disposes it, feeds it, tells its source or adopts a teardown |
// | 10 | SUBSCRIBED | its maker; of a source that takes over, who subscribed it, once that has returned | never | its end, and who disposes it |
// | 11 | HELD | the list of inner chains, under its lock: the chain below is paused | the same | as FULL |
// | 12 | PARKED | a polling source that stops; the teller, with a pause that it is about to tell | the teller | who clears the last reason |
// | 13 | TELLING | the thread that takes the source out | that thread, putting it back | who would do so, too |
// | 14 | LISTENS | who feeds a source that has to be told both ways | never | who changes a reason |
// | 15 | HEEDS | who feeds a source that can pause at all | never | a boundary, for its limit |
// | 16 | LOOKED | the thread that has set HALTED, when it looks at source and teardowns no more | never | the thread that disposes of the source or runs teardowns |
// | 17 | CROWDED | the source, with the input that is one too many for the gate that the chain feeds | the gate's owner, when none of the chain's waits any more | as FULL |
// | 18..31 | WAITING | the source, up by one with each input that it leaves in that gate | the owner, down by one | who does the other |
//
// Bits 3, 11 to 15 and 17 to 31 are those of flow control (Sources/RxSwift/Flow): no chain that nobody has bounded has
// one of them set.
//
// 1. *Set once*: bits 0, 2, 4 to 10 and 14 to 16 are only ever added, by an acq_rel RMW that returns what was there
//    before: exactly one caller sees a bit at 0 and sets it, and acts on that. The others change by a CAS whose new
//    value is computed from the whole old one; that one RMW decides, and no look before or after it.
// 2. *Handing over*: the thread that sets SOURCE_SET and sees DISPOSED disposes the source; the thread that sets
//    DISPOSED and sees SOURCE_SET does. ADOPTED likewise hands a list of teardowns over; it may be added to again, and
//    the thread that adds to a disposed chain runs what it added. Both are RMWs on one word, so one of them comes
//    second and sees the other, with everything written before it. HALTED only looks at the source, and at chains that
//    were adopted: the thread that sets it and sees SOURCE_SET or ADOPTED, but not DISPOSED, reads them, and sets
//    LOOKED when it is done; the thread that sets DISPOSED in between reads them as well and leaves them in their
//    place. The thread that sets DISPOSED first keeps the halt from reading.
// 3. *A check needs no order*: the load before a user's closure decides only whether to call it. "Nothing after
//    dispose" speaks of the thread that disposed, which sees its own RMW, or of one that was told by other means, which
//    order the two.
// 4. *Who disposes a source that has ended*: its end asks by the RMW that sets STOPPED whether SUBSCRIBED was there. If
//    so, who feeds on it does; if not, its end does, and the thread that sees STOPPED without SUBSCRIBED and HALTED
//    keeps away. SUBSCRIBED may come in between: then both do, which is once.
// 5. *Taken out*: the teller clears SOURCE_SET in the RMW that sets TELLING; until it puts the source back nobody else
//    touches it. Of teller and disposer one comes second and sees the other: a disposer that sees no SOURCE_SET leaves
//    the source to the teller, which sees DISPOSED.
// 6. *No lost resume*: a source is owed a resume exactly while PARKED is set. It parks by a CAS that fails on a word
//    without a reason; whoever clears the last reason sees PARKED in that RMW and becomes the teller, or sees TELLING,
//    and the teller looks again as it puts the source back. DISPOSED freezes PARKED.
// 7. *Told in order*: tells of one chain are serial, each tells the level of the RMW before it, and the teller does not
//    leave while the level differs from what a listening source was told.
//
// 8. *A crowd passes*: a source is counted before its input is in the gate, in the RMW that sets CROWDED, and the owner
//    takes it off the count once the input has been handled or dropped. So while CROWDED is set an input waits, or is
//    about to, and the last of them clears it. The count stops at its ends, which can let a source go on early.
//
// 2 and 5 are modelled in Tests/Models/halt.pml, 5 to 7 in Tests/Models/park.pml and inner.pml, 8 in crowd.pml.
#define CRX_CHAIN_DISPOSED ((uintptr_t)1)
#define CRX_CHAIN_SOURCE_SET ((uintptr_t)2)
#define CRX_CHAIN_STOPPED ((uintptr_t)4)
#define CRX_CHAIN_FULL ((uintptr_t)8)
#define CRX_CHAIN_DISPOSED_TOLD ((uintptr_t)16)
#define CRX_CHAIN_ADOPTED ((uintptr_t)32)
#define CRX_CHAIN_HANDED_OVER ((uintptr_t)64)
#define CRX_CHAIN_COUNTED ((uintptr_t)128)
#define CRX_CHAIN_KEPT ((uintptr_t)256)
#define CRX_CHAIN_HALTED ((uintptr_t)512)
#define CRX_CHAIN_SUBSCRIBED ((uintptr_t)1024)
#define CRX_CHAIN_HELD ((uintptr_t)2048)
#define CRX_CHAIN_PARKED ((uintptr_t)4096)
#define CRX_CHAIN_TELLING ((uintptr_t)8192)
#define CRX_CHAIN_LISTENS ((uintptr_t)16384)
#define CRX_CHAIN_HEEDS ((uintptr_t)32768)
#define CRX_CHAIN_LOOKED ((uintptr_t)65536)
#define CRX_CHAIN_CROWDED ((uintptr_t)131072)
/// One input in the count of those that wait.
#define CRX_CHAIN_WAITING ((uintptr_t)262144)

static_assert((CRX_CHAIN_DISPOSED ^ CRX_CHAIN_SOURCE_SET ^ CRX_CHAIN_STOPPED ^ CRX_CHAIN_FULL ^
                CRX_CHAIN_DISPOSED_TOLD ^ CRX_CHAIN_ADOPTED ^ CRX_CHAIN_HANDED_OVER ^ CRX_CHAIN_COUNTED ^
                CRX_CHAIN_KEPT ^ CRX_CHAIN_HALTED ^ CRX_CHAIN_SUBSCRIBED ^ CRX_CHAIN_HELD ^ CRX_CHAIN_PARKED ^
                CRX_CHAIN_TELLING ^ CRX_CHAIN_LISTENS ^ CRX_CHAIN_HEEDS ^ CRX_CHAIN_LOOKED ^ CRX_CHAIN_CROWDED) ==
                   CRX_CHAIN_WAITING - 1,
               "eighteen bits, none used twice, and the count above them");

/// A chain with one of these is paused. A number, because Swift does not import what is put together of three.
#define CRX_CHAIN_REASONS ((uintptr_t)133128)
static_assert(CRX_CHAIN_REASONS == (CRX_CHAIN_FULL | CRX_CHAIN_HELD | CRX_CHAIN_CROWDED), "the three reasons");
/// A source that finds one of these sends nothing more, ever.
#define CRX_CHAIN_OVER (CRX_CHAIN_DISPOSED | CRX_CHAIN_STOPPED)

/// A word of bits, of a counter or of a small state machine that its Swift user argues about; all zero to begin with.
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

/// Swaps `expected` for `desired` and returns what was there: it swapped exactly if that is `expected`.
CRX_INLINE uintptr_t crx_flag_compare_and_swap_acq_rel(
    struct crx_flag *_Nonnull flag, uintptr_t expected, uintptr_t desired) {
    return AO_fetch_compare_and_swap_full(&flag->word, expected, desired);
}

/// Adds and returns what was there before; wraps, so that `UInt.max` takes one away.
CRX_INLINE uintptr_t crx_flag_fetch_add_acq_rel(struct crx_flag *_Nonnull flag, uintptr_t amount) {
    return AO_fetch_and_add_full(&flag->word, amount);
}

/// Sets bits and returns what was there before. Reads only, with acquire, when all of them are set already.
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

/// The shared word of a chain of sinks, and beside it the lock over what its SinkDisposer keeps.
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

/// Sets bits and returns what was there before. Reads only, with acquire, when all of them are set already.
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

/// Sets bits of a chain that no other thread knows yet.
CRX_INLINE void crx_state_set_unshared(struct crx_chain *_Nonnull chain, uintptr_t bits) {
    AO_int_store(&chain->bits, AO_int_load(&chain->bits) | (unsigned)bits);
}

/// Whether somebody has to tell the source of a chain with this word that its level has changed.
CRX_INLINE bool crx_state_tell_is_wanted(uintptr_t word) {
    if ((word & (CRX_CHAIN_SOURCE_SET | CRX_CHAIN_TELLING | CRX_CHAIN_DISPOSED)) != CRX_CHAIN_SOURCE_SET) {
        return false;
    }
    bool paused = (word & CRX_CHAIN_REASONS) != 0;
    bool parked = (word & CRX_CHAIN_PARKED) != 0;
    return (word & CRX_CHAIN_LISTENS) != 0 ? paused != parked : parked && !paused;
}

/// What PARKED becomes with a tell: a listening source is told the level, a polling one only ever that it may go on.
CRX_INLINE uintptr_t crx_state_with_told_level(uintptr_t word) {
    bool pauses = (word & CRX_CHAIN_LISTENS) != 0 && (word & CRX_CHAIN_REASONS) != 0;
    return (word & ~CRX_CHAIN_PARKED) | (pauses ? CRX_CHAIN_PARKED : 0);
}

/// The word that is to follow, with the source taken out where it has to be told.
CRX_INLINE uintptr_t crx_state_with_taken_source(uintptr_t word, bool *_Nonnull tells) {
    *tells = crx_state_tell_is_wanted(word);
    return *tells ? (crx_state_with_told_level(word) & ~CRX_CHAIN_SOURCE_SET) | CRX_CHAIN_TELLING : word;
}

/// Sets and clears reasons; true where the source has to be told, which is then the caller's to do: it is the teller.
CRX_INLINE bool crx_state_change_reasons(struct crx_chain *_Nonnull chain, uintptr_t set, uintptr_t cleared) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    for (;;) {
        bool tells;
        uintptr_t changed = crx_state_with_taken_source((old | set) & ~cleared, &tells);
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, (unsigned)changed);
        if (CRX_LIKELY(seen == old)) {
            return tells;
        }
        old = seen;
    }
}

/// Counts an input that the source is about to leave in the gate that the chain feeds: `limit` of them are a crowd.
/// True where the source has to be told.
CRX_INLINE bool crx_state_input_waits(struct crx_chain *_Nonnull chain, unsigned limit) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    for (;;) {
        bool tells;
        uintptr_t changed = old + CRX_CHAIN_WAITING <= UINT32_MAX ? old + CRX_CHAIN_WAITING : old;
        changed |= changed / CRX_CHAIN_WAITING >= limit ? CRX_CHAIN_CROWDED : 0;
        changed = crx_state_with_taken_source(changed, &tells);
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, (unsigned)changed);
        if (CRX_LIKELY(seen == old)) {
            return tells;
        }
        old = seen;
    }
}

/// Counts an input that waits no more. With the last the crowd has passed; true where the source has to be told.
CRX_INLINE bool crx_state_input_has_waited(struct crx_chain *_Nonnull chain) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    for (;;) {
        bool tells;
        uintptr_t changed = old >= CRX_CHAIN_WAITING ? old - CRX_CHAIN_WAITING : old;
        changed &= changed < CRX_CHAIN_WAITING ? ~CRX_CHAIN_CROWDED : UINTPTR_MAX;
        changed = crx_state_with_taken_source(changed, &tells);
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, (unsigned)changed);
        if (CRX_LIKELY(seen == old)) {
            return tells;
        }
        old = seen;
    }
}

/// What a teller finds that has told the source and puts it back.
enum crx_put_back {
    /// The source is back in its place, and knows the level.
    CRX_PUT_BACK_DONE,
    /// The same, and the chain was halted meanwhile: the source is to be halted.
    CRX_PUT_BACK_HALTED,
    /// The level has changed meanwhile: the source is to be told again.
    CRX_PUT_BACK_TELL_AGAIN,
    /// The chain was disposed of meanwhile: the source is the teller's to dispose of.
    CRX_PUT_BACK_DISPOSED,
};

/// Puts the source back, unless it has to be told again, or disposed of. For the teller.
CRX_INLINE enum crx_put_back crx_state_put_back(struct crx_chain *_Nonnull chain) {
    unsigned old = AO_int_load_acquire(&chain->bits);
    for (;;) {
        enum crx_put_back found = (old & CRX_CHAIN_HALTED) != 0 ? CRX_PUT_BACK_HALTED : CRX_PUT_BACK_DONE;
        uintptr_t changed = (old & ~CRX_CHAIN_TELLING) | CRX_CHAIN_SOURCE_SET;
        if ((old & CRX_CHAIN_DISPOSED) != 0) {
            changed = old & ~CRX_CHAIN_TELLING;
            found = CRX_PUT_BACK_DISPOSED;
        } else if (crx_state_tell_is_wanted(changed)) {
            changed = crx_state_with_told_level(old);
            found = CRX_PUT_BACK_TELL_AGAIN;
        }
        unsigned seen = AO_int_fetch_compare_and_swap_full(&chain->bits, old, (unsigned)changed);
        if (CRX_LIKELY(seen == old)) {
            return found;
        }
        old = seen;
    }
}

/// What a polling source finds that wants to park.
enum crx_park {
    /// It is parked, and may run on another thread by now.
    CRX_PARK_DONE,
    /// There is no reason any more: it goes on.
    CRX_PARK_OPEN,
    /// The chain has ended or was disposed of.
    CRX_PARK_OVER,
};

/// Parks a polling source, if there still is a reason: the look and the parking are one RMW.
CRX_INLINE enum crx_park crx_state_park(struct crx_chain *_Nonnull chain) {
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

/// Whether the chain still delivers: asked before each of the user's closures (claim 3).
CRX_INLINE bool crx_state_is_live(const struct crx_chain *_Nonnull chain) {
    return CRX_LIKELY((crx_state_load_relaxed(chain) & (CRX_CHAIN_DISPOSED | CRX_CHAIN_STOPPED)) == 0);
}

#ifdef __cplusplus
}
#endif

#endif
