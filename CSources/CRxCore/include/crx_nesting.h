#ifndef CRX_NESTING_H
#define CRX_NESTING_H

#include "crx_atomic.h"

// How deep a thread's events are nested: how many steps it is in that were entered from inside a delivery of the same gate. Only such steps
// are counted, so who pushes without nesting pays nothing.

/// From here on the depth is looked at, and the stack. What nests no deeper does not ask how large its stack is.
#define CRX_NESTING_SHALLOW 16u

// The calling thread's own. initial-exec: one load relative to the thread pointer, from a shared library too.
extern _Thread_local uint32_t crx_nesting_count __attribute__((tls_model("initial-exec")));

/// A nested step begins: true where it is deep enough to be looked at.
CRX_INLINE bool crx_nesting_begin(void) {
    return CRX_UNLIKELY(++crx_nesting_count >= CRX_NESTING_SHALLOW);
}

/// A nested step has ended.
CRX_INLINE void crx_nesting_end(void) {
    crx_nesting_count--;
}

/// How many nested steps the calling thread is in.
CRX_INLINE uint32_t crx_nesting_depth(void) {
    return crx_nesting_count;
}

/// How much of the calling thread's stack is left below its caller, in bytes, and how large it is; SIZE_MAX and 0 where that is not known, on
/// a stack of the program's own making. The first call of a thread asks the system.
size_t crx_nesting_stack_left(size_t *_Nonnull size);

#endif
