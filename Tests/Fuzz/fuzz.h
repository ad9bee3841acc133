#ifndef FUZZ_H
#define FUZZ_H

#include "../CRxCoreTests/check.h"

#include <stdbool.h>
#include <stdint.h>

// A fuzzer's input. Each byte selects an operation or an operand. After the last byte, every read returns 0.

struct bytes {
    const uint8_t *next;
    const uint8_t *end;
};

static inline bool bytes_left(const struct bytes *bytes) {
    return bytes->next < bytes->end;
}

static inline unsigned bytes_take(struct bytes *bytes) {
    return bytes_left(bytes) ? *bytes->next++ : 0;
}

static inline unsigned bytes_below(struct bytes *bytes, unsigned limit) {
    return bytes_take(bytes) % limit;
}

/// A number of any size: 0, or a single bit with the input's next two bytes just below it.
static inline uint64_t bytes_wide(struct bytes *bytes) {
    unsigned bit = bytes_below(bytes, 65);
    if (bit == 0) {
        return 0;
    }
    uint64_t top = (uint64_t)1 << (bit - 1);
    uint64_t low = (uint64_t)(bytes_take(bytes) << 8 | bytes_take(bytes));
    return top | (bit > 17 ? low << (bit - 17) : low & (top - 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
