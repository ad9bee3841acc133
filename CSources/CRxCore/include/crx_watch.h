// Who watches the program: asked where a subscription is made and where a queue is drained, never for an event. While
// nobody does, each question is one relaxed load of a global word.
#ifndef CRX_WATCH_H
#define CRX_WATCH_H

#include "crx_atomic.h"

// | bit | meaning | set and cleared by |
// |---|---|---|
// | 0 *context* | hops restore what a hook captures | `Hooks.captureContext` |
// | 1 *stalls* | jobs that run long are reported | `Hooks.watchForStalls` |
// | 2 *counters* | chains and boundaries count | `Counters.isCounting` |
#define CRX_WATCH_CONTEXT 1u
#define CRX_WATCH_STALLS 2u
#define CRX_WATCH_COUNTERS 4u

extern AO_t crx_watch_word;

/// Whether any of these bits is set.
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

// What the calling thread runs jobs for, while stalls are watched: its own alone.
extern _Thread_local void *_Nullable crx_watch_run_record __attribute__((tls_model("initial-exec")));

CRX_INLINE void *_Nullable crx_watch_run(void) {
    return crx_watch_run_record;
}

CRX_INLINE void crx_watch_set_run(void *_Nullable run) {
    crx_watch_run_record = run;
}

#endif
