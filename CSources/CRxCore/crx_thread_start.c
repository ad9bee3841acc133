#define _GNU_SOURCE
#include "crx_thread.h"
#include "crx_image.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int crx_thread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *argument), void *argument) {
    crx_image_keep();
    // Signals for faults are not blocked: a blocked one would end the process without calling its handler.
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) {
        sigdelset(&blocked, faults[index]);
    }
    // The new thread inherits this mask, so no signal reaches it before it runs.
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int failure = pthread_create(thread, attributes, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

/// In these system calls, the process ID means the main thread, and 0 the calling thread.
static void crx_thread_inherit_from_main(void) {
    pid_t main = getpid();
    struct sched_param parameters;
    int policy = sched_getscheduler(main);
    if (policy >= 0 && sched_getparam(main, &parameters) == 0) {
        sched_setscheduler(0, policy, &parameters);
    }
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, (id_t)main);
    if (errno == 0) {
        setpriority(PRIO_PROCESS, 0, nice);
    }
    // Large enough for 8 192 processors.
    cpu_set_t processors[8];
    memset(processors, 0, sizeof processors);
    if (sched_getaffinity(main, sizeof processors, processors) == 0) {
        sched_setaffinity(0, sizeof processors, processors);
    }
}

static pthread_key_t end_of_thread;
static bool is_end_watched;

/// Reports a thread that ends in the middle of a delivery.
static void crx_thread_check_end(void *record) {
    uint32_t gates = ((struct crx_thread *)record)->gates;
    if (gates > 0) {
        char name[16] = "?";
        pthread_getname_np(pthread_self(), name, sizeof name);
        fprintf(stderr,
                "RxLinux: the thread \"%s\" was ended inside an observer, by pthread_exit or Thread.exit. It still "
                "owns %u %s: what other threads push there is never delivered.\n",
                name, gates, gates == 1 ? "gate" : "gates");
    }
}

static void crx_thread_watch_ends(void) {
    is_end_watched = pthread_key_create(&end_of_thread, crx_thread_check_end) == 0;
}

void crx_thread_begin(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, crx_thread_watch_ends);
    if (is_end_watched) {
        (void)pthread_setspecific(end_of_thread, crx_thread_get());
    }
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = '\0';
    pthread_setname_np(pthread_self(), cut);
    crx_thread_inherit_from_main();
}
