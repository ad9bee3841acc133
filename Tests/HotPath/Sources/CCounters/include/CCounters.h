#ifndef CCOUNTERS_H
#define CCOUNTERS_H

#include <stddef.h>

/// How often the process has called what a delivery must not call.
struct counters {
    /// malloc and its kin, from wherever: `swift_allocObject` and array buffers end there.
    ptrdiff_t allocations;
    /// What unspecialised code asks the runtime for: generic metadata, types by name, witnesses, dynamic casts.
    ptrdiff_t metadata;
    /// `swift_beginAccess`: a dynamic check of exclusive access.
    ptrdiff_t accesses;
    /// `pthread_mutex_lock` and `pthread_rwlock_*lock`.
    ptrdiff_t mutexes;
    /// `swift_retain` and its kin: each is an atomic addition, and has a release that is another.
    ptrdiff_t references;
};

/// The counts so far.
struct counters counters_now(void);

#endif
