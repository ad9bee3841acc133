#ifndef CRX_THREAD_H
#define CRX_THREAD_H

#include "crx_atomic.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

struct crx_gate;

/// What the core keeps for each thread. Its address is the thread's identity: the owner in a gate's word.
///
/// Touched by its own thread alone; other threads only compare its address. A thread that ends while it owns a gate is
/// a fault of the program (its step never returned), so an address is not in use when the next thread inherits it.
struct crx_thread {
    /// How many gates the thread owns; a thread that owns one waits only briefly at another.
    alignas(16) uint32_t gates;
    /// How many `crx_lock`s it holds; call-outs assert that there are none.
    uint32_t locks;
    /// What `CurrentThreadScheduler` runs on this thread, null when nothing runs.
    void *_Nullable trampoline;
    /// A gate that it probably owns: the one it entered last, null when it has left one since. Only compared.
    const struct crx_gate *_Nullable gate;
    /// The operator whose own error is on its way down this thread, and the error: both on the stack of who hands it
    /// on. Null when there is none. For a message.
    const void *_Nullable thrower;
    /// The depth of the innermost gate that the thread drains; 0 while it drains none. See claim 12 of crx_gate.h.
    uint32_t serving;
};

static_assert(sizeof(struct crx_thread) <= 64, "a cache line");
static_assert(alignof(struct crx_thread) >= 4, "a gate's word keeps two bits below the address");

// initial-exec: one load relative to the thread pointer, from a shared library too.
extern __thread struct crx_thread crx_thread_record __attribute__((tls_model("initial-exec")));

/// The record of the calling thread.
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

/// How many locks of the core the calling thread holds: 0 in every call-out.
CRX_INLINE uint32_t crx_thread_locks_held(void) {
    return crx_thread_record.locks;
}

/// How many gates the calling thread owns.
CRX_INLINE uint32_t crx_thread_gates_owned(void) {
    return crx_thread_record.gates;
}

/// Lets the calling thread look away from a word that another writes, for a microsecond or two at most: the other keeps
/// the word's cache line meanwhile.
void crx_thread_linger(void);

/// Creates a thread of the library. From its first instruction on it has all signals blocked, so that the program's go
/// to the program's own threads, but for those that a fault of the thread itself raises. Returns 0, or the system's
/// error; then there is no thread.
int crx_thread_create(pthread_t *_Nonnull thread, const pthread_attr_t *_Nonnull attributes,
                      void *_Nullable (*_Nonnull main)(void *_Nullable argument), void *_Nullable argument);

/// The first that a thread of the library does: takes a name, for debuggers and /proc, of which the kernel keeps 15
/// bytes; and the scheduling (policy, nice value, processors) of the process's main thread in place of that of its
/// creator. What needs a privilege that the process does not have stays as it was.
///
/// If the thread is ended later while it owns a gate, that is reported on standard error.
void crx_thread_begin(const char *_Nonnull name);

#ifdef __cplusplus
}
#endif

#endif
