#include "crx_resources.h"

#include <stdlib.h>
#include <string.h>

AO_t crx_resources_tracing = 0;
AO_t crx_resources_alive = 0;
AO_t crx_call_stacks_recording = 0;

// Runs before main, so that objects made before main are counted.
__attribute__((constructor)) static void crx_resources_read_environment(void) {
    const char *wanted = getenv("RX_RESOURCES_TRACING");
    crx_resources_set_tracing(wanted != NULL && wanted[0] != '\0' && strcmp(wanted, "0") != 0);
}
