#ifndef CCOUNTERS_H
#define CCOUNTERS_H

#include <stddef.h>

/// The numbers of calls that a delivery should avoid.
struct counters {
    /// malloc and related functions: Swift's objects and the storage of arrays.
    ptrdiff_t allocations;
    /// Runtime requests of unspecialised code: generic metadata, types by name, witnesses, dynamic casts.
    ptrdiff_t metadata;
    /// `swift_beginAccess`: a dynamic check of exclusive access.
    ptrdiff_t accesses;
    /// `pthread_mutex_lock` and `pthread_rwlock_*lock`.
    ptrdiff_t mutexes;
    /// `swift_retain` and related functions: each is an atomic addition with a paired release.
    ptrdiff_t references;
};

struct counters counters_now(void);

#endif
