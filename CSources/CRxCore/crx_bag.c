#include "CRxCore.h"
