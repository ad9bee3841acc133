#include "crx_thread.h"

_Thread_local struct crx_thread crx_thread_record;

void crx_thread_linger(void) {
    CRX_EXPLORE_LINGER();
    for (int i = 0; i < 32; i++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        // `yield` does nothing on most cores; an instruction barrier takes about as long as `pause` on x86-64.
        __asm__ volatile("isb");
#endif
    }
}
