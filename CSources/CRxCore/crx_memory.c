#include "crx_memory.h"

#include <stdio.h>
#include <stdlib.h>

void *crx_allocate(size_t size, const char *what) {
    void *memory = calloc(1, size);
    if (memory == NULL) {
        fprintf(stderr, "RxLinux: no memory for %s (%zu bytes)\n", what, size);
        abort();
    }
    return memory;
}

void crx_free(void *memory) {
    free(memory);
}
