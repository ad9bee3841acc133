#pragma once
#include <stdint.h>

struct allocations {
    uint64_t count;
    uint64_t bytes;
};

/// Counts the calling thread's calls of malloc, calloc, realloc, aligned_alloc and posix_memalign, by any library.
struct allocations allocations_of_this_thread(void);
