#include "crx_thread.h"

_Thread_local struct crx_thread crx_thread_record;
