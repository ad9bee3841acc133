#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // dladdr
#endif
#include "crx_watch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

AO_t crx_watch_word = 0;

// Runs before main and before any thread starts, so that listing needs no change of the program.
__attribute__((constructor)) static void crx_watch_from_environment(void) {
    const char *wanted = getenv("RX_SUBSCRIPTIONS");
    if (wanted != NULL && wanted[0] != '\0' && strcmp(wanted, "0") != 0) crx_watch_set(CRX_WATCH_LISTING, true);
}

_Thread_local void *crx_watch_run_record __attribute__((tls_model("initial-exec"))) = NULL;

_Thread_local void *crx_watch_connecting __attribute__((tls_model("initial-exec"))) = NULL;
_Thread_local void *crx_watch_delivering __attribute__((tls_model("initial-exec"))) = NULL;

int crx_watch_callers(void **addresses, int limit) {
#if __has_include(<execinfo.h>)
    return backtrace(addresses, limit);
#else
    (void)addresses;
    (void)limit;
    return 0;
#endif
}

const char *crx_watch_image(void *address, unsigned long *offset) {
    Dl_info found;
    if (dladdr(address, &found) == 0 || found.dli_fname == NULL) return NULL;
    *offset = (unsigned long)((char *)address - (char *)found.dli_fbase);
    return found.dli_fname;
}

void crx_watch_at_exit(void (*action)(void)) {
    // If the C library has no room for the registration, there is no report.
    (void)atexit(action);
}
