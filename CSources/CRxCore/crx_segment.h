#ifndef CRX_SEGMENT_H
#define CRX_SEGMENT_H

// Included only by .c files, which define _GNU_SOURCE first.

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool crx_segment_contains(const struct dl_phdr_info *_Nonnull image, uintptr_t address) {
    for (size_t index = 0; index < image->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &image->dlpi_phdr[index];
        if (segment->p_type == PT_LOAD && address - image->dlpi_addr - segment->p_vaddr < segment->p_memsz) {
            return true;
        }
    }
    return false;
}

#endif
