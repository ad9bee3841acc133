// Debian's libatomic-ops-dev, its core header and nothing else: atomic_ops_stack.h and atomic_ops_malloc.h are GPL.
#ifndef CATOMICOPS_SHIM_H
#define CATOMICOPS_SHIM_H
#include <atomic_ops.h>
#endif
