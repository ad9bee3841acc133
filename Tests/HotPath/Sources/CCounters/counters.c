// Replaces functions of libc and of the Swift runtime. The dynamic linker searches the executable first, so every
// library of the process calls the functions of this file. Each function counts its call and does the original
// function's work.

#define _GNU_SOURCE
#include "CCounters.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_ptrdiff_t allocations, metadata, accesses, mutexes, references;

struct counters counters_now(void) {
    return (struct counters){atomic_load(&allocations), atomic_load(&metadata), atomic_load(&accesses), atomic_load(&mutexes),
                             atomic_load(&references)};
}

static void count(atomic_ptrdiff_t *counter) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

// dlsym allocates and would call the functions below. So libc's functions are called by names that are not replaced.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    count(&allocations);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(&allocations);
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count(&allocations);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(&allocations);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count(&allocations);
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}

// The runtime's functions have at most six argument words and two result words. Swift passes them in registers, as C
// does.
struct two_words {
    uintptr_t first, second;
};
typedef struct two_words function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

#define COUNTED(NAME, COUNTER)                                                                                         \
    struct two_words NAME(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f) {              \
        static _Atomic(function *) original;                                                                           \
        count(&COUNTER);                                                                                               \
        function *call = atomic_load_explicit(&original, memory_order_relaxed);                                        \
        if (!call) {                                                                                                   \
            call = (function *)dlsym(RTLD_NEXT, #NAME);                                                                \
            atomic_store_explicit(&original, call, memory_order_relaxed);                                              \
        }                                                                                                              \
        return call(a, b, c, d, e, f);                                                                                 \
    }

COUNTED(swift_getGenericMetadata, metadata)
COUNTED(swift_getTypeByMangledNameInContext2, metadata)
COUNTED(swift_getTypeByMangledNameInContextInMetadataState2, metadata)
COUNTED(swift_getWitnessTable, metadata)
COUNTED(swift_getAssociatedTypeWitness, metadata)
COUNTED(swift_getAssociatedConformanceWitness, metadata)
COUNTED(swift_conformsToProtocol2, metadata)
COUNTED(swift_dynamicCast, metadata)
COUNTED(swift_dynamicCastClass, metadata)
COUNTED(swift_beginAccess, accesses)
COUNTED(pthread_mutex_lock, mutexes)
COUNTED(pthread_rwlock_rdlock, mutexes)
COUNTED(pthread_rwlock_wrlock, mutexes)
COUNTED(swift_retain, references)
COUNTED(swift_bridgeObjectRetain, references)
COUNTED(swift_unknownObjectRetain, references)
