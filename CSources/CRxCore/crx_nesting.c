#define _GNU_SOURCE
#include "crx_nesting.h"

#include <pthread.h>

// With initial-exec, an access is one load, even in a shared library.
static _Thread_local uint32_t depth __attribute__((tls_model("initial-exec")));

bool crx_nesting_begin(void) {
    return ++depth >= CRX_NESTING_SHALLOW;
}

void crx_nesting_end(void) {
    depth--;
}

uint32_t crx_nesting_depth(void) {
    return depth;
}

// The bounds of the calling thread's stack: the lowest address, and the highest plus one. Both are 0 until `ask` has
// succeeded. For the main thread, `ask` needs a free file descriptor, so it may fail at first.
static _Thread_local uintptr_t lowest, above;

static void ask(void) {
#ifdef __APPLE__
    above = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
    lowest = above - pthread_get_stacksize_np(pthread_self());
#else
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return;
    }
    void *start;
    size_t size;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        lowest = (uintptr_t)start;
        above = lowest + size;
    }
    pthread_attr_destroy(&attributes);
#endif
}

size_t crx_nesting_stack_left(size_t *size) {
    if (above == 0) {
        ask();
    }
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (here < lowest || here >= above) {
        *size = 0;
        return SIZE_MAX;
    }
    *size = above - lowest;
    return here - lowest;
}
