#ifndef CRXCORE_H
#define CRXCORE_H
#include <stdint.h>
#endif
