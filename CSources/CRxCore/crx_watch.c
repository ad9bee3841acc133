#include "crx_watch.h"

AO_t crx_watch_word = 0;
