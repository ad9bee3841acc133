#ifndef CRXEXPLORER_H
#define CRXEXPLORER_H

// The implementation of crx_explore.h. That header belongs to CRxCore, because the core's control points need its
// declarations. Only RxTest depends on this target, so other clients do not link the explorer.
#include "crx_atomic.h"

#endif
