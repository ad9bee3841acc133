#pragma once
#include <stdint.h>

/// How often a thread has allocated on the heap, and how many bytes it asked for.
struct allocations {
    uint64_t count;
    uint64_t bytes;
};

/// Those of this thread. Every malloc, calloc, realloc and aligned allocation of the process is counted.
struct allocations allocations_of_this_thread(void);
