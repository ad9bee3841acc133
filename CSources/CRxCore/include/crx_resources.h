// What is recorded only when someone wants to know: what is alive, and where subscriptions are made. Off, each costs
// one relaxed load of a global flag.
#ifndef CRX_RESOURCES_H
#define CRX_RESOURCES_H

#include "../../CAtomicOps/shim.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether resources are counted: 0 or 1. Set by crx_resources_set_tracing and, before main, by RX_RESOURCES_TRACING in
// the environment.
extern AO_t crx_resources_tracing;

// How many are alive, in two's complement: what was made before the count began may be given back after it.
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

// Adds to the count and returns the new one. Acquire and release: who reads zero also sees what the last one to go
// wrote.
static inline __attribute__((always_inline)) intptr_t crx_resources_add_full(intptr_t difference) {
    return (intptr_t)AO_fetch_and_add_full(&crx_resources_alive, (AO_t)difference) + difference;
}

// Whether a subscription records where it is made: 0 or 1.
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
