#ifndef CRX_MEMORY_H
#define CRX_MEMORY_H

#include "crx_atomic.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Memory for `what`, with nothing set: zeroing it would make a calloc of it, which passes glibc's cache of each thread
/// by. When there is none it says on stderr how much was wanted for what, and aborts.
void *_Nonnull crx_allocate(size_t size, const char *_Nonnull what);
void crx_free(void *_Nullable memory);

/// The same for what may be large. That is mapped: asked for much, or given much back, glibc's malloc first puts
/// together all the small pieces that are free, and after a million subscriptions that takes a third of a second.
void *_Nonnull crx_allocate_array(size_t size, const char *_Nonnull what);
void crx_free_array(void *_Nonnull memory, size_t size);

/// Gives the system back what has been freed below memory that is in use: glibc's malloc returns no more than its top
/// by itself. It takes a millisecond and more, so it is for who has freed tens of MiB.
void crx_memory_return(void);

#ifdef __cplusplus
}
#endif

#endif
