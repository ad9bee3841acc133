#ifndef CRX_ATOMIC_H
#define CRX_ATOMIC_H

// The only file that includes libatomic_ops. README.md explains suffixes such as `_acquire`.

// The explorer replaces the atomic functions with macros. In the system's header, some are macros already, so
// builtins.h is used.
#ifdef RX_EXPLORE
#define CRX_ATOMIC_OPS_BUILTINS
#endif
#include "../../CAtomicOps/shim.h"

// The headers compile as C11 and, with C++ interoperability, as C++14. So they use `static_assert`, `alignas`,
// `alignof` and `__thread`.
#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The attributes of every inline function: without `always_inline`, Swift code would call it out of line.
#define CRX_INLINE static inline __attribute__((always_inline))

#define CRX_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define CRX_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

static_assert(sizeof(AO_t) == sizeof(uintptr_t), "an AO_t holds a pointer and its low bits");
static_assert(sizeof(unsigned) == 4, "futexes and the hints of a gate are 32-bit words");

#ifndef AO_HAVE_fetch_compare_and_swap_full
#error "libatomic_ops knows no compare-and-swap for this machine"
#endif

// Included last, because it replaces the functions of builtins.h with macros.
#include "crx_explore.h"

#endif
