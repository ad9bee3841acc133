// Switches for two optional records: the number of live objects, and the call stacks of subscriptions. While a switch
// is off, it costs one relaxed load.
#ifndef CRX_RESOURCES_H
#define CRX_RESOURCES_H

#include "../../CAtomicOps/shim.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether live objects are counted: 0 or 1. Set by crx_resources_set_tracing and, before main, by the environment
// variable RX_RESOURCES_TRACING.
extern AO_t crx_resources_tracing;

// The number of live resources, in two's complement. May be negative: resources made before counting began may be
// released later.
extern AO_t crx_resources_alive;

static inline __attribute__((always_inline)) bool crx_resources_is_tracing(void) {
    return __builtin_expect(AO_load(&crx_resources_tracing) != 0, 0);
}

static inline __attribute__((always_inline)) void crx_resources_set_tracing(bool tracing) {
    AO_store(&crx_resources_tracing, tracing ? 1 : 0);
}

static inline __attribute__((always_inline)) intptr_t crx_resources_total(void) {
    return (intptr_t)AO_load_acquire(&crx_resources_alive);
}

// Returns the new count. Acquire and release: a thread that reads zero also sees all writes before the decrements.
static inline __attribute__((always_inline)) intptr_t crx_resources_add_full(intptr_t difference) {
    return (intptr_t)AO_fetch_and_add_full(&crx_resources_alive, (AO_t)difference) + difference;
}

// Whether call stacks are recorded: 0 or 1.
extern AO_t crx_call_stacks_recording;

static inline __attribute__((always_inline)) bool crx_call_stacks_are_recorded(void) {
    return __builtin_expect(AO_load(&crx_call_stacks_recording) != 0, 0);
}

static inline __attribute__((always_inline)) void crx_call_stacks_record(bool recording) {
    AO_store(&crx_call_stacks_recording, recording ? 1 : 0);
}

#ifdef __cplusplus
}
#endif

#endif
