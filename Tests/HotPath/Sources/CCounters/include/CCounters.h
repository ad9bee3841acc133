#ifndef CCOUNTERS_H
#define CCOUNTERS_H

#include <stddef.h>

/// The numbers of calls, by kind, that a delivery should avoid.
struct counters {
    /// malloc and related functions. Swift allocates objects and the storage of arrays with them.
    ptrdiff_t allocations;
    /// Runtime requests of unspecialised code: generic metadata, types by name, witnesses, dynamic casts.
    ptrdiff_t metadata;
    /// `swift_beginAccess`: a dynamic check of exclusive access.
    ptrdiff_t accesses;
    /// `pthread_mutex_lock` and `pthread_rwlock_*lock`.
    ptrdiff_t mutexes;
    /// `swift_retain` and related functions: each is an atomic addition and is paired with a release.
    ptrdiff_t references;
};

struct counters counters_now(void);

#endif
