#ifndef CRX_THREAD_H
#define CRX_THREAD_H

#include "crx_atomic.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

struct crx_gate;

/// The record of a thread. Its address is the thread's identity: the owner in a gate's word.
///
/// Used only by its own thread; other threads only compare its address. A later thread may get the same address. No
/// gate contains the address then, because a thread must not end while it owns a gate.
struct crx_thread {
    /// The number of gates owned. A thread that owns a gate waits only briefly at another gate.
    alignas(16) uint32_t gates;
    /// The number of `crx_lock`s held. Call-outs assert that it is 0.
    uint32_t locks;
    void *_Nullable trampoline;
    /// The gate that the thread entered last and probably owns; null if it has left a gate since. Never dereferenced.
    const struct crx_gate *_Nullable gate;
    /// The innermost `ErrorTrace` (Subscription/ErrorTrace.swift) on the stack.
    const void *_Nullable errorTrace;
    /// The depth of the innermost gate that the thread drains; 0 while it drains none. See claim 12 of crx_gate.h.
    uint32_t serving;
};

static_assert(sizeof(struct crx_thread) <= 64, "a cache line");

// With initial-exec, an access is one load, even in a shared library.
extern __thread struct crx_thread crx_thread_record __attribute__((tls_model("initial-exec")));

CRX_INLINE struct crx_thread *_Nonnull crx_thread_get(void) {
    return &crx_thread_record;
}

/// The calling thread's identity, never 0.
CRX_INLINE uintptr_t crx_thread_self(void) {
    return (uintptr_t)&crx_thread_record;
}

CRX_INLINE void *_Nullable crx_thread_trampoline(void) {
    return crx_thread_record.trampoline;
}

CRX_INLINE void crx_thread_set_trampoline(void *_Nullable trampoline) {
    crx_thread_record.trampoline = trampoline;
}

CRX_INLINE uint32_t crx_thread_locks_held(void) {
    return crx_thread_record.locks;
}

CRX_INLINE uint32_t crx_thread_gates_owned(void) {
    return crx_thread_record.gates;
}

/// Waits a microsecond or two before the caller rereads a word, so that the writing thread keeps the cache line.
void crx_thread_linger(void);

/// Creates a thread. Returns 0, or the system's error. The thread blocks all signals except those for faults, such as
/// SIGSEGV, so that the program's threads receive all other signals.
int crx_thread_create(pthread_t *_Nonnull thread, const pthread_attr_t *_Nonnull attributes,
                      void *_Nullable (*_Nonnull main)(void *_Nullable argument), void *_Nullable argument);

/// Must be the first call of a thread of the library. Sets the thread's name, truncated to 15 bytes. Copies the main
/// thread's scheduling (policy, nice value, processors), as far as permitted. If the thread ends while it owns a gate,
/// reports this on standard error.
void crx_thread_begin(const char *_Nonnull name);

#ifdef __cplusplus
}
#endif

#endif
