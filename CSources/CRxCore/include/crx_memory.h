#ifndef CRX_MEMORY_H
#define CRX_MEMORY_H

#include <stddef.h>

/// Memory for `what`, zeroed. When there is none it says on stderr how much was wanted for what, and aborts.
void *_Nonnull crx_allocate(size_t size, const char *_Nonnull what);
void crx_free(void *_Nullable memory);

#endif
