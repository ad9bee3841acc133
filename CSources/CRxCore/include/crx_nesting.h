#ifndef CRX_NESTING_H
#define CRX_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The depth of a thread's nested events: the number of running deliveries that began inside another delivery of the
// same gate.

/// From this depth on, the depth and the remaining stack are checked.
#define CRX_NESTING_SHALLOW 16u

// These functions are not inline, so the path without nesting contains none of their instructions.

/// Increments the depth. Returns true if it has reached CRX_NESTING_SHALLOW.
bool crx_nesting_begin(void);

void crx_nesting_end(void);

uint32_t crx_nesting_depth(void);

/// Returns the number of unused bytes of the calling thread's stack, and stores the stack's size in `size`. If these
/// are unknown, as on a stack that the program allocated, returns SIZE_MAX and stores 0.
size_t crx_nesting_stack_left(size_t *_Nonnull size);

#ifdef __cplusplus
}
#endif

#endif
