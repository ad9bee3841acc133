#ifndef CRXCORE_H
#define CRXCORE_H
#include <stdint.h>
#include "crx_resources.h"
#endif
