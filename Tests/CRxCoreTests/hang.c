#define _GNU_SOURCE
#include "tests.h"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void print_own_place(int signal) {
    void *frames[32];
    (void)signal;
    backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
    static const char line[] = "--\n";
    (void)!write(STDERR_FILENO, line, sizeof line - 1);
}

// Some of these calls are not safe in a signal handler. The program ends anyway.
static void print_all_places(int signal) {
    (void)signal;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
        int thread = atoi(entry->d_name);
        if (thread > 0) {
            syscall(SYS_tgkill, getpid(), thread, SIGTRAP);
            // The threads report in turn, so that their lines do not mix.
            struct timespec moment = {.tv_nsec = 20000000};
            nanosleep(&moment, NULL);
        }
    }
    _exit(1);
}

void watch_for_hangs(void) {
    struct sigaction action = {.sa_handler = print_own_place};
    // The first call loads the unwinder, which a signal handler must not do.
    void *frame;
    backtrace(&frame, 1);
    // No thread of the core blocks this signal.
    sigaction(SIGTRAP, &action, NULL);
    action.sa_handler = print_all_places;
    sigaction(SIGTERM, &action, NULL);
}
