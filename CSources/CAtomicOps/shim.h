// libatomic_ops' core header and nothing else, because its stack and its malloc are GPL: the system's, or where the
// compiler sees none the copy in bundled/. Where CRX_ATOMIC_OPS_BUNDLED is defined, it is the copy.
#ifndef CATOMICOPS_SHIM_H
#define CATOMICOPS_SHIM_H
#if __has_include(<atomic_ops.h>) && !defined(CRX_ATOMIC_OPS_BUNDLED)
#include <atomic_ops.h>
#else
// Not ours to be warned about; what it includes is not, either.
#pragma GCC system_header
#include "bundled/atomic_ops.h"
#endif
#endif
