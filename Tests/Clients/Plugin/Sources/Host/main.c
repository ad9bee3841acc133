// Loads a library that contains RxSwift, uses it and closes it. Each argument adds a use that continues after the
// close: a `thread`, a `job` of a dispatch queue, an `operation` or a `timer`. Without arguments, the program adds all
// four.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *library;
static sem_t has_subscribed, may_end, may_run, has_run, has_fired;

static void *find(const char *name) {
    void *function = dlsym(library, name);
    if (function == NULL) puts(dlerror());
    return function;
}

static void *subscribe_and_end(void *unused) {
    (void)unused;
    void (*subscribe)(void) = (void (*)(void))find("plugin_subscribe");
    subscribe();
    sem_post(&has_subscribed);
    sem_wait(&may_end);
    return NULL;
}

static void wait_to_run(void) { sem_wait(&may_run); }
static void ran(void) { sem_post(&has_run); }
static void fired(void) { sem_post(&has_fired); }

static void schedule(const char *name) {
    void (*function)(void (*)(void), void (*)(void)) = (void (*)(void (*)(void), void (*)(void)))find(name);
    function(wait_to_run, ran);
}

static bool comes(sem_t *event, const char *name) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 30;
    if (sem_timedwait(event, &deadline) == 0) return true;
    printf("%s did not happen\n", name);
    return false;
}

int main(int count, char **arguments) {
    bool has_thread = count == 1, has_job = count == 1, has_operation = count == 1, has_timer = count == 1;
    for (int index = 1; index < count; index++) {
        has_thread |= strcmp(arguments[index], "thread") == 0;
        has_job |= strcmp(arguments[index], "job") == 0;
        has_operation |= strcmp(arguments[index], "operation") == 0;
        has_timer |= strcmp(arguments[index], "timer") == 0;
    }
    char path[4096] = "";
    if (readlink("/proc/self/exe", path, sizeof path - 32) < 0) return 1;
    strcat(dirname(path), "/libPlugin.so");
    library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        puts(dlerror());
        return 1;
    }
    sem_t *events[] = {&has_subscribed, &may_end, &may_run, &has_run, &has_fired};
    for (unsigned index = 0; index < sizeof events / sizeof *events; index++) sem_init(events[index], 0, 0);

    pthread_t thread;
    if (has_thread) {
        if (pthread_create(&thread, NULL, subscribe_and_end, NULL) != 0) return 1;
        sem_wait(&has_subscribed);
    }
    if (has_job) schedule("plugin_schedule");
    if (has_operation) schedule("plugin_schedule_operation");
    if (has_timer) {
        void (*start_timer)(void (*)(void)) = (void (*)(void (*)(void)))find("plugin_start_timer");
        start_timer(fired);
    }
    if (dlclose(library) != 0) return 1;
    if (has_thread) {
        sem_post(&may_end);
        pthread_join(thread, NULL);
    }
    sem_post(&may_run);
    if (has_job && !comes(&has_run, "the job")) return 1;
    sem_post(&may_run);
    if (has_operation && !comes(&has_run, "the operation")) return 1;
    if (has_timer && !comes(&has_fired, "the timer")) return 1;
    puts("plugin passed");
    return 0;
}
