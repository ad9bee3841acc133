// For cross builds and static SDKs: compiler builtins in place of the libatomic_ops operations that CRxCore uses.
// Names, types and memory orders are those of libatomic_ops.
//
// Operations without a suffix are relaxed. `_full` is sequentially consistent. Exception: as in libatomic_ops 7.6, a
// `_full` compare-and-swap is only acquire and release.
#ifndef CATOMICOPS_BUILTINS_H
#define CATOMICOPS_BUILTINS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A macro, as in libatomic_ops, so that Swift sees the same types with both implementations.
#define AO_t size_t

#if !defined(__GCC_ATOMIC_LONG_LOCK_FREE) || __GCC_ATOMIC_LONG_LOCK_FREE != 2 || __GCC_ATOMIC_INT_LOCK_FREE != 2
#error "the compiler has no lock-free atomic operations on size_t and unsigned for this machine"
#endif
#define AO_HAVE_fetch_compare_and_swap_full

#define AO_BUILTIN static inline __attribute__((always_inline))

#define AO_BUILTIN_LOAD(name, type, order) \
    AO_BUILTIN type name(const volatile type *address) { return __atomic_load_n(address, order); }

AO_BUILTIN_LOAD(AO_load, AO_t, __ATOMIC_RELAXED)
AO_BUILTIN_LOAD(AO_load_acquire, AO_t, __ATOMIC_ACQUIRE)
AO_BUILTIN_LOAD(AO_int_load, unsigned, __ATOMIC_RELAXED)
AO_BUILTIN_LOAD(AO_int_load_acquire, unsigned, __ATOMIC_ACQUIRE)

#define AO_BUILTIN_STORE(name, type, order) \
    AO_BUILTIN void name(volatile type *address, type value) { __atomic_store_n(address, value, order); }

AO_BUILTIN_STORE(AO_store, AO_t, __ATOMIC_RELAXED)
AO_BUILTIN_STORE(AO_store_release, AO_t, __ATOMIC_RELEASE)
AO_BUILTIN_STORE(AO_int_store, unsigned, __ATOMIC_RELAXED)
AO_BUILTIN_STORE(AO_int_store_release, unsigned, __ATOMIC_RELEASE)

// Compare-and-swap: returns the previous value.

#define AO_BUILTIN_SWAP(name, type, success, failure) \
    AO_BUILTIN type name(volatile type *address, type expected, type value) { \
        (void)__atomic_compare_exchange_n(address, &expected, value, 0, success, failure); \
        return expected; \
    }

AO_BUILTIN_SWAP(AO_fetch_compare_and_swap_acquire, AO_t, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
AO_BUILTIN_SWAP(AO_fetch_compare_and_swap_release, AO_t, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
AO_BUILTIN_SWAP(AO_fetch_compare_and_swap_full, AO_t, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
AO_BUILTIN_SWAP(AO_int_fetch_compare_and_swap, unsigned, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
AO_BUILTIN_SWAP(AO_int_fetch_compare_and_swap_acquire, unsigned, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
AO_BUILTIN_SWAP(AO_int_fetch_compare_and_swap_full, unsigned, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)

// Arithmetic: returns the previous value. `AO_and` and `AO_or` return nothing.

#define AO_BUILTIN_ADD(name, type, order) \
    AO_BUILTIN type name(volatile type *address, type value) { return __atomic_fetch_add(address, value, order); }

AO_BUILTIN_ADD(AO_fetch_and_add_full, AO_t, __ATOMIC_SEQ_CST)
AO_BUILTIN_ADD(AO_int_fetch_and_add, unsigned, __ATOMIC_RELAXED)

#define AO_BUILTIN_STEP(name, type, add, order) \
    AO_BUILTIN type name(volatile type *address) { return __atomic_fetch_##add(address, 1, order); }

AO_BUILTIN_STEP(AO_fetch_and_add1, AO_t, add, __ATOMIC_RELAXED)
AO_BUILTIN_STEP(AO_fetch_and_add1_full, AO_t, add, __ATOMIC_SEQ_CST)
AO_BUILTIN_STEP(AO_fetch_and_sub1, AO_t, sub, __ATOMIC_RELAXED)
AO_BUILTIN_STEP(AO_int_fetch_and_add1_release, unsigned, add, __ATOMIC_RELEASE)
AO_BUILTIN_STEP(AO_int_fetch_and_sub1, unsigned, sub, __ATOMIC_RELAXED)
AO_BUILTIN_STEP(AO_int_fetch_and_sub1_full, unsigned, sub, __ATOMIC_SEQ_CST)

AO_BUILTIN void AO_and(volatile AO_t *address, AO_t value) { (void)__atomic_fetch_and(address, value, __ATOMIC_RELAXED); }
AO_BUILTIN void AO_or(volatile AO_t *address, AO_t value) { (void)__atomic_fetch_or(address, value, __ATOMIC_RELAXED); }

#undef AO_BUILTIN
#undef AO_BUILTIN_ADD
#undef AO_BUILTIN_LOAD
#undef AO_BUILTIN_STEP
#undef AO_BUILTIN_STORE
#undef AO_BUILTIN_SWAP

#ifdef __cplusplus
}
#endif
#endif
