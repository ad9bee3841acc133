#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // dl_iterate_phdr, RTLD_NODELETE
#endif
#include "crx_image.h"
#include "crx_segment.h"

#include <dlfcn.h>
#include <pthread.h>

// Weak, because a static executable has no `dlopen`, and the linker would warn.
#pragma weak dlopen

static void crx_image_keep_once(void);

/// Finds the name of this image.
static int crx_image_find(struct dl_phdr_info *image, size_t size, void *name) {
    (void)size;
    if (!crx_segment_contains(image, (uintptr_t)crx_image_keep_once)) {
        return 0;
    }
    *(const char **)name = image->dlpi_name;
    return 1;
}

static void crx_image_keep_once(void) {
    const char *name = NULL;
    dl_iterate_phdr(crx_image_find, &name);
    // The name is empty for the executable, which is never unloaded.
    if (name != NULL && name[0] != '\0' && dlopen != NULL) {
        (void)dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

void crx_image_keep(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, crx_image_keep_once);
}
