#ifndef CRX_STATE_H
#define CRX_STATE_H

#include "crx_lock.h"

// The word of a chain: what has become of one subscription.
//
// | bit | name | set by | cleared by | read by |
// |---|---|---|---|---|
// | 0 | DISPOSED | the thread that disposes, once | never | every stage before a user's closure; who adopts a teardown |
// | 1 | SOURCE_SET | the subscriber, when the source is adopted | never | the thread that disposes: the source is there to be disposed |
// | 2 | STOPPED | the last sink, at the terminal event; the thread that halts | never | every stage before a user's closure |
// | 3 | PAUSED | reserved for flow control | - | cold sources |
// | 4 | DISPOSED_TOLD | the thread that ran `onDisposed`; its maker, where there is none | never | the thread that would run it |
// | 5 | ADOPTED | the thread that adopted a teardown | never | the thread that disposes: there are teardowns to run |
// | 6 | HANDED_OVER | the stage above the last sink, while the chain is put together | never | the last sink: that stage disposes the chain |
// | 7 | COUNTED | its maker | never | the thread that frees it: it was counted as a resource |
// | 8 | KEPT | who adopts, or is going to adopt, a teardown that may be noticed | never | a source that goes: the chain keeps itself |
// | 9 | HALTED | the thread that halts the chain, once | never | the thread that disposes or feeds it |
// | 10 | SUBSCRIBED | its maker; of a source that takes over, who subscribed it, once that has returned | never | its end, and who disposes it |
//
// 1. *Set once*: bits are only ever added, by an acq_rel RMW that returns what was there before: exactly one caller
//    sees a bit at 0 and sets it, and acts on that.
// 2. *Handing over*: the thread that sets SOURCE_SET and sees DISPOSED disposes the source; the thread that sets
//    DISPOSED and sees SOURCE_SET does. ADOPTED likewise hands a list of teardowns over; it may be added to again, and
//    the thread that adds to a disposed chain runs what it added. Both are RMWs on one word, so one of them comes
//    second and sees the other, with everything written before it. HALTED only looks at the source: the thread that
//    sets it and sees SOURCE_SET, but not DISPOSED, reads it; the thread that sets DISPOSED after it and sees it reads
//    the source as well and leaves it in its place. The thread that sets DISPOSED first keeps the halt from reading.
// 3. *A check needs no order*: the load before a user's closure decides only whether to call it. "Nothing after
//    dispose" speaks of the thread that disposed, which sees its own RMW, or of one that was told by other means, which
//    order the two.
// 4. *Who disposes a source that has ended*: its end asks by the RMW that sets STOPPED whether SUBSCRIBED was there. If
//    so, who feeds on it does; if not, its end does, and the thread that sees STOPPED without SUBSCRIBED and HALTED
//    keeps away. SUBSCRIBED may come in between: then both do, which is once.
#define CRX_CHAIN_DISPOSED ((uintptr_t)1)
#define CRX_CHAIN_SOURCE_SET ((uintptr_t)2)
#define CRX_CHAIN_STOPPED ((uintptr_t)4)
#define CRX_CHAIN_PAUSED ((uintptr_t)8)
#define CRX_CHAIN_DISPOSED_TOLD ((uintptr_t)16)
#define CRX_CHAIN_ADOPTED ((uintptr_t)32)
#define CRX_CHAIN_HANDED_OVER ((uintptr_t)64)
#define CRX_CHAIN_COUNTED ((uintptr_t)128)
#define CRX_CHAIN_KEPT ((uintptr_t)256)
#define CRX_CHAIN_HALTED ((uintptr_t)512)
#define CRX_CHAIN_SUBSCRIBED ((uintptr_t)1024)

_Static_assert((CRX_CHAIN_DISPOSED ^ CRX_CHAIN_SOURCE_SET ^ CRX_CHAIN_STOPPED ^ CRX_CHAIN_PAUSED ^
                CRX_CHAIN_DISPOSED_TOLD ^ CRX_CHAIN_ADOPTED ^ CRX_CHAIN_HANDED_OVER ^ CRX_CHAIN_COUNTED ^
                CRX_CHAIN_KEPT ^ CRX_CHAIN_HALTED ^ CRX_CHAIN_SUBSCRIBED) == 2047,
               "eleven bits, none used twice");

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

_Static_assert(sizeof(struct crx_chain) == 8, "bits and lock side by side");

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

/// Whether the chain still delivers: asked before each of the user's closures (claim 3).
CRX_INLINE bool crx_state_is_live(const struct crx_chain *_Nonnull chain) {
    return CRX_LIKELY((crx_state_load_relaxed(chain) & (CRX_CHAIN_DISPOSED | CRX_CHAIN_STOPPED)) == 0);
}

#endif
