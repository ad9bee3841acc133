#include "crx_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

static void *crx_allocated(void *memory, size_t size, const char *what) {
    if (memory == NULL) {
        fprintf(stderr, "RxLinux: no memory for %s (%zu bytes)\n", what, size);
        abort();
    }
    return memory;
}

void *crx_allocate(size_t size, const char *what) {
    return crx_allocated(malloc(size), size, what);
}

void crx_free(void *memory) {
    free(memory);
}

static bool crx_is_mapped(size_t size) {
    return size >= 65536;
}

void *crx_allocate_array(size_t size, const char *what) {
    if (!crx_is_mapped(size)) {
        return crx_allocate(size, what);
    }
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return crx_allocated(memory == MAP_FAILED ? NULL : memory, size, what);
}

void crx_free_array(void *memory, size_t size) {
    if (crx_is_mapped(size)) {
        munmap(memory, size);
    } else {
        crx_free(memory);
    }
}

void crx_memory_return(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
