#ifndef CRX_NESTING_H
#define CRX_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The depth of a thread's nested events: the number of running deliveries that began inside another delivery of the
// same gate. A push that does not nest has no cost.

/// From this depth on, the depth and the stack's size are checked.
#define CRX_NESTING_SHALLOW 16u

// Not inline, so that code without nesting contains none of these instructions.

/// Begins a nested delivery. Returns true if it is deep enough to be checked.
bool crx_nesting_begin(void);

void crx_nesting_end(void);

uint32_t crx_nesting_depth(void);

/// Returns the bytes of the calling thread's stack below the caller, and the stack's size in `size`. If these are not
/// known, as on a stack that the program has allocated, returns SIZE_MAX and the size 0.
size_t crx_nesting_stack_left(size_t *_Nonnull size);

#ifdef __cplusplus
}
#endif

#endif
