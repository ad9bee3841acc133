#ifndef CRX_MEMORY_H
#define CRX_MEMORY_H

#include "crx_atomic.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Allocates memory. If that fails, prints `what` and the size to stderr and aborts. The memory is not zeroed, because
/// `calloc` would bypass glibc's per-thread cache.
void *_Nonnull crx_allocate(size_t size, const char *_Nonnull what);
void crx_free(void *_Nullable memory);

/// Like `crx_allocate`, for memory that may be large. Large blocks are mapped, because glibc's malloc would first
/// consolidate all small free blocks. After a million subscriptions, that takes a third of a second.
void *_Nonnull crx_allocate_array(size_t size, const char *_Nonnull what);
void crx_free_array(void *_Nonnull memory, size_t size);

/// Returns freed memory to the system, including pages between used blocks. Takes a millisecond or more: call it only
/// after freeing tens of MiB.
void crx_memory_return(void);

#ifdef __cplusplus
}
#endif

#endif
