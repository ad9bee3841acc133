#define _GNU_SOURCE
#include "crx_thread.h"

#include <pthread.h>
#include <string.h>

void crx_thread_set_name(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = '\0';
#ifdef __APPLE__
    pthread_setname_np(cut);
#else
    pthread_setname_np(pthread_self(), cut);
#endif
}
