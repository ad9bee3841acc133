#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // dladdr, dl_iterate_phdr
#endif
#include "crx_segment.h"
#include "crx_watch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

AO_t crx_watch_word = 0;

// Runs before any thread starts.
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

const char *crx_watch_image(void *address, unsigned long *offset, const char **symbol, unsigned long *symbol_offset) {
    Dl_info found;
    if (dladdr(address, &found) == 0 || found.dli_fname == NULL) return NULL;
    *offset = (unsigned long)((char *)address - (char *)found.dli_fbase);
    *symbol = found.dli_saddr == NULL ? NULL : found.dli_sname;
    *symbol_offset = *symbol == NULL ? 0 : (unsigned long)((char *)address - (char *)found.dli_saddr);
    return found.dli_fname;
}

struct crx_watch_search {
    uintptr_t address;
    uintptr_t bias;
    bool found;
};

/// Reads only the first image, which is the executable.
static int crx_watch_search_program(struct dl_phdr_info *image, size_t size, void *context) {
    (void)size;
    struct crx_watch_search *search = context;
    search->bias = image->dlpi_addr;
    search->found = crx_segment_contains(image, search->address);
    return 1;
}

bool crx_watch_program(const void *address, unsigned long *bias) {
    struct crx_watch_search search = {.address = (uintptr_t)address};
    dl_iterate_phdr(crx_watch_search_program, &search);
    *bias = search.bias;
    return search.found;
}

void crx_watch_at_exit(void (*action)(void)) {
    // If `atexit` fails, the action does not run.
    (void)atexit(action);
}
