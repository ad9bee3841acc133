#include "crx_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *crx_allocate(size_t size, const char *what) {
    // Not calloc, which passes glibc's cache of each thread by.
    void *memory = malloc(size);
    if (memory == NULL) {
        fprintf(stderr, "RxLinux: no memory for %s (%zu bytes)\n", what, size);
        abort();
    }
    return memset(memory, 0, size);
}

void crx_free(void *memory) {
    free(memory);
}
