#include "crx_thread.h"
#include "crx_image.h"

_Thread_local struct crx_thread crx_thread_record;
_Thread_local struct crx_spare crx_thread_spare_record;

static pthread_key_t end_of_thread;
static bool is_end_told;

static void crx_thread_release_spare(void *release) {
    void *object = crx_thread_spare_record.object;
    // What is put aside by what else runs as the thread ends is looked after anew.
    crx_thread_spare_record = (struct crx_spare){NULL, 0};
    if (object != NULL) {
        ((void (*)(void *))release)(object);
    }
}

static void crx_thread_make_key(void) {
    crx_image_keep();
    is_end_told = pthread_key_create(&end_of_thread, crx_thread_release_spare) == 0;
}

bool crx_thread_watch_spare(uintptr_t single, void (*release)(void *)) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, crx_thread_make_key);
    if (!is_end_told || pthread_setspecific(end_of_thread, (void *)release) != 0) {
        return false;
    }
    crx_thread_spare_record.single = single;
    return true;
}

void crx_thread_linger(void) {
    for (int i = 0; i < 32; i++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        // `yield` does nothing on most cores; an instruction barrier costs about what `pause` does elsewhere.
        __asm__ volatile("isb");
#endif
    }
}
