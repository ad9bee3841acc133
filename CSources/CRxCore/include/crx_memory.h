#ifndef CRX_MEMORY_H
#define CRX_MEMORY_H

#include "crx_atomic.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns uninitialized memory for `what`. Zeroing it would compile to a calloc, which bypasses glibc's per-thread
/// cache. If there is no memory, prints the size and `what` to stderr and aborts.
void *_Nonnull crx_allocate(size_t size, const char *_Nonnull what);
void crx_free(void *_Nullable memory);

/// As `crx_allocate`, for memory that may be large. Large memory is mapped. When glibc's malloc allocates or frees a
/// large block, it first consolidates all small free blocks, which takes a third of a second after a million
/// subscriptions.
void *_Nonnull crx_allocate_array(size_t size, const char *_Nonnull what);
void crx_free_array(void *_Nonnull memory, size_t size);

/// Returns freed memory below memory in use to the system: glibc's malloc returns only its top by itself. Takes a
/// millisecond or more, so it is for a caller that has freed tens of MiB.
void crx_memory_return(void);

#ifdef __cplusplus
}
#endif

#endif
