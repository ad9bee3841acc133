// Include no other header of libatomic_ops: its stack and its malloc are GPL.
#ifndef CATOMICOPS_SHIM_H
#define CATOMICOPS_SHIM_H
#if __has_include(<atomic_ops.h>) && !defined(CRX_ATOMIC_OPS_BUILTINS)
#include <atomic_ops.h>
#else
#include "builtins.h"
#endif
#endif
