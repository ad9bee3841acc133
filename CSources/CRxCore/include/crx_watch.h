// Switches for watching the program. Each costs one relaxed load when a subscription is made or a queue is drained, and
// nothing per event.
#ifndef CRX_WATCH_H
#define CRX_WATCH_H

#include "crx_atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

// | bit | meaning | set and cleared by |
// |---|---|---|
// | 0 *context* | scheduler boundaries restore a captured context | `Hooks.captureContext` |
// | 1 *stalls* | jobs that run long are reported | `Hooks.watchForStalls` |
// | 2 *counters* | subscriptions and boundaries update `Counters` | `Counters.isCounting` |
// | 3 *listing* | chains are listed | `Subscriptions.areListed`, the environment's `RX_SUBSCRIPTIONS=1` |
#define CRX_WATCH_CONTEXT 1u
#define CRX_WATCH_STALLS 2u
#define CRX_WATCH_COUNTERS 4u
#define CRX_WATCH_LISTING 8u

extern AO_t crx_watch_word;

CRX_INLINE bool crx_watch_any(unsigned bits) {
    return CRX_UNLIKELY((AO_load(&crx_watch_word) & bits) != 0);
}

CRX_INLINE void crx_watch_set(unsigned bits, bool on) {
    if (on) {
        AO_or(&crx_watch_word, bits);
    } else {
        AO_and(&crx_watch_word, ~(AO_t)bits);
    }
}

// The `StallRun` whose jobs the thread runs, while stalls are watched.
extern __thread void *_Nullable crx_watch_run_record __attribute__((tls_model("initial-exec")));

CRX_INLINE void *_Nullable crx_watch_run(void) {
    return crx_watch_run_record;
}

CRX_INLINE void crx_watch_set_run(void *_Nullable run) {
    crx_watch_run_record = run;
}

// While subscriptions are listed, `crx_watch_connecting` is the record of the chain to which the thread is subscribing.
// `crx_watch_delivering` is the record of the subscription to which the thread is delivering. Code that sets one of the
// two restores the previous value afterwards.
extern __thread void *_Nullable crx_watch_connecting __attribute__((tls_model("initial-exec")));
extern __thread void *_Nullable crx_watch_delivering __attribute__((tls_model("initial-exec")));

CRX_INLINE void *_Nullable crx_watch_swap_connecting(void *_Nullable record) {
    void *before = crx_watch_connecting;
    crx_watch_connecting = record;
    return before;
}

CRX_INLINE void *_Nullable crx_watch_swap_delivering(void *_Nullable record) {
    void *before = crx_watch_delivering;
    crx_watch_delivering = record;
    return before;
}

CRX_INLINE void *_Nullable crx_watch_connecting_record(void) {
    return crx_watch_connecting;
}

CRX_INLINE void *_Nullable crx_watch_delivering_record(void) {
    return crx_watch_delivering;
}

/// Stores the callers' return addresses, innermost first. Returns their number; 0 if the C library has no `backtrace`.
int crx_watch_callers(void *_Nullable *_Nonnull addresses, int limit);

/// Returns the path of the program or library that contains an address, and stores the address's offset in it. Also
/// stores the exported symbol that contains the address, or NULL, and the offset in the symbol. If the path is unknown,
/// returns NULL and stores nothing.
const char *_Nullable crx_watch_image(
    void *_Nonnull address, unsigned long *_Nonnull offset, const char *_Nullable *_Nonnull symbol,
    unsigned long *_Nonnull symbol_offset);

/// Returns whether an address is in the executable. Stores the executable's bias: memory address minus file address.
bool crx_watch_program(const void *_Nonnull address, unsigned long *_Nonnull bias);

void crx_watch_at_exit(void (*_Nonnull action)(void));

#ifdef __cplusplus
}
#endif

#endif
