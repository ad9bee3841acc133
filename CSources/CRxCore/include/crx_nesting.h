#ifndef CRX_NESTING_H
#define CRX_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// How deep a thread's events are nested: how many steps it is in that were entered from inside a delivery of the same
// gate. Only such steps are counted, so who pushes without nesting pays nothing.

/// From here on the depth is looked at, and the stack. What nests no deeper does not ask how large its stack is.
#define CRX_NESTING_SHALLOW 16u

// Not inline: who does not nest has no instruction of them.

/// A nested step begins: true where it is deep enough to be looked at.
bool crx_nesting_begin(void);

/// A nested step has ended.
void crx_nesting_end(void);

/// How many nested steps the calling thread is in.
uint32_t crx_nesting_depth(void);

/// How much of the calling thread's stack is left below its caller, in bytes, and how large it is; SIZE_MAX and 0 where
/// that is not known, on a stack of the program's own making. The system is asked until it has told the thread.
size_t crx_nesting_stack_left(size_t *_Nonnull size);

#ifdef __cplusplus
}
#endif

#endif
