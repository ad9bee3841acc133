#ifndef CRXCORE_H
#define CRXCORE_H

#include "crx_atomic.h"
#include "crx_bag.h"
#include "crx_explore.h"
#include "crx_gate.h"
#include "crx_image.h"
#include "crx_lock.h"
#include "crx_memory.h"
#include "crx_nesting.h"
#include "crx_resources.h"
#include "crx_state.h"
#include "crx_thread.h"
#include "crx_timer.h"
#include "crx_watch.h"
#include "crx_wheel.h"

#endif
