#include "CRxCore.h"

// Calls functions that C files define, so that a missing `extern "C"` in a header fails the link.
int main() {
    static struct crx_lock lock;
    crx_lock_acquire(&lock);
    crx_lock_release(&lock);

    static struct crx_gate gate;
    if (crx_gate_enter_acquire(&gate, crx_thread_self()) != CRX_ENTERED) return 1;
    if (!crx_gate_close(&gate)) {
        struct crx_turn turn = {};
        struct crx_input *input = nullptr;
        if (crx_gate_next_owner(&gate, crx_thread_self(), &turn, &input) != CRX_DRAIN_CLOSED) return 2;
    }

    static struct crx_subject subject;
    crx_subject_init(&subject, [](void *) {});
    crx_subject_tear_down(&subject);

    static struct crx_wheel wheel;
    crx_wheel_init(&wheel, crx_timers_now());

    crx_resources_set_tracing(false);
    crx_watch_set(CRX_WATCH_LISTING, false);
    if (crx_watch_any(CRX_WATCH_LISTING)) return 3;
    void *caller = nullptr;
    (void)crx_watch_callers(&caller, 1);

    if (crx_nesting_begin()) return 4;
    crx_nesting_end();
    crx_thread_linger();
    crx_image_keep();

    static struct crx_chain chain;
    if (crx_state_fetch_or_acq_rel(&chain, CRX_CHAIN_DISPOSED) != 0 || crx_lifetime_is_live(&chain)) return 5;
    crx_free(crx_allocate(1, "a test"));
    return 0;
}
