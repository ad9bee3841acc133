#ifndef CRXEXPLORER_H
#define CRXEXPLORER_H

// Implements crx_explore.h. Only RxTest depends on this target, so other clients do not link the explorer.
#include "crx_atomic.h"

#endif
