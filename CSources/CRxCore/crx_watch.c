#include "crx_watch.h"

AO_t crx_watch_word = 0;

_Thread_local void *crx_watch_run_record __attribute__((tls_model("initial-exec"))) = NULL;
