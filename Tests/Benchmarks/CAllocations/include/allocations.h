#pragma once
#include <stdint.h>

/// The number of heap allocations of a thread, and the bytes they requested.
struct allocations {
    uint64_t count;
    uint64_t bytes;
};

/// The allocations of this thread. Every malloc, calloc, realloc and aligned allocation of the process is counted.
struct allocations allocations_of_this_thread(void);
