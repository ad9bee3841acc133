#pragma once
#include <stdint.h>

/// How often this thread has allocated on the heap. Counts every malloc, calloc, realloc and aligned allocation of the
/// process.
uint64_t allocations_of_this_thread(void);
