#include "allocations.h"

#include <errno.h>
#include <stddef.h>

// glibc's own functions, which remain available under these names.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// With another storage model, a thread's first use of the variable may allocate, and so call the functions below.
static _Thread_local struct allocations all __attribute__((tls_model("initial-exec")));

struct allocations allocations_of_this_thread(void) {
    return all;
}

static void count(size_t bytes) {
    all.count++;
    all.bytes += bytes;
}

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count(size);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count(size);
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
