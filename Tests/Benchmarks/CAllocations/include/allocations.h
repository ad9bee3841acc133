#pragma once
#include <stdint.h>

/// The number of heap allocations of a thread, and the bytes they requested.
struct allocations {
    uint64_t count;
    uint64_t bytes;
};

/// Returns the allocations that the calling thread has made. Every call of malloc, calloc, realloc, aligned_alloc and
/// posix_memalign counts, whichever library of the process makes it.
struct allocations allocations_of_this_thread(void);
