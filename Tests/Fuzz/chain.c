// Compares the state word of a chain (crx_state.h) with a simulated source that remembers its notifications. The
// checks:
//
// 1. The source is disposed of exactly once.
// 2. A source that listens has received the current pause state, unless a thread is about to notify it.
// 3. A source that polls is parked only if the chain has a reason to pause.

#include "CRxCore.h"
#include "fuzz.h"

#include <string.h>

enum place { NOT_YET, IN_PLACE, BEING_TOLD, GIVEN_UP };
enum { CROWD = 3 };

static struct crx_chain chain;
static struct {
    bool disposed, stopped, halted, full, held, crowded, listens;
    /// The number of inputs that wait in the gate below the chain.
    unsigned waiting;
    /// Bits that are never cleared. The steps under test must preserve them.
    uintptr_t others;
    enum place place;
    /// If the source listens: whether its last notification was a pause. If it polls: whether it has parked.
    bool is_paused;
} source;

static bool is_held_up(void) {
    return source.full || source.held || source.crowded;
}

static bool wants(void) {
    bool paused = is_held_up();
    return source.listens ? paused != source.is_paused : source.is_paused && !paused;
}

static void tell(void) {
    source.is_paused = source.listens && is_held_up();
}

static void dispose_source(void) {
    CHECK(source.place == IN_PLACE || source.place == BEING_TOLD);
    source.place = GIVEN_UP;
}

static void word_agrees(void) {
    uintptr_t word = source.others;
    word |= source.disposed ? CRX_CHAIN_DISPOSED : 0;
    word |= source.stopped ? CRX_CHAIN_STOPPED : 0;
    word |= source.halted ? CRX_CHAIN_HALTED : 0;
    word |= source.full ? CRX_CHAIN_FULL : 0;
    word |= source.held ? CRX_CHAIN_HELD : 0;
    word |= source.crowded ? CRX_CHAIN_CROWDED : 0;
    word |= source.waiting * CRX_CHAIN_WAITING;
    word |= source.listens ? CRX_CHAIN_LISTENS : 0;
    word |= source.is_paused ? CRX_CHAIN_PARKED : 0;
    word |= source.place == BEING_TOLD ? CRX_CHAIN_NOTIFYING : 0;
    // A disposal does not change SOURCE_SET, so either value of this bit is right.
    uintptr_t seen = crx_state_load_acquire(&chain);
    word |= source.place == IN_PLACE ? CRX_CHAIN_SOURCE_SET : 0;
    word |= source.place == GIVEN_UP ? seen & CRX_CHAIN_SOURCE_SET : 0;
    CHECK_EQUAL(seen, word);
    CHECK_EQUAL(crx_state_load_relaxed(&chain), word);
    CHECK_EQUAL(crx_lifetime_is_live(&chain), !source.disposed && !source.stopped);
    if (source.place == IN_PLACE && !source.disposed) {
        CHECK(!wants());
    }
}

static uintptr_t add(uintptr_t bits) {
    uintptr_t before = crx_state_load_acquire(&chain);
    CHECK_EQUAL(crx_state_fetch_or_acq_rel(&chain, bits), before);
    return before;
}

/// Called after a change of the reasons to pause. If the caller must notify the source, removes the source from the
/// chain and returns true.
static bool takes(void) {
    bool tells = source.place == IN_PLACE && !source.disposed && wants();
    if (tells) {
        source.place = BEING_TOLD;
        tell();
    }
    return tells;
}

static void change(uintptr_t reason, bool *flag, bool on) {
    *flag = on;
    CHECK_EQUAL(takes(), crx_pause_change(&chain, on ? reason : 0, on ? 0 : reason));
}

static void input(bool waits) {
    if (waits) {
        source.waiting++;
        source.crowded |= source.waiting >= CROWD;
        CHECK_EQUAL(takes(), crx_pause_input_waits(&chain, CROWD));
    } else {
        source.waiting -= source.waiting > 0 ? 1 : 0;
        source.crowded &= source.waiting > 0;
        CHECK_EQUAL(takes(), crx_pause_input_has_waited(&chain));
    }
}

static void put_back(void) {
    if (source.place != BEING_TOLD) {
        return;
    }
    enum crx_put_back expected = source.halted ? CRX_PUT_BACK_HALTED : CRX_PUT_BACK_DONE;
    if (source.disposed) {
        expected = CRX_PUT_BACK_DISPOSED;
        dispose_source();
    } else if (wants()) {
        expected = CRX_PUT_BACK_NOTIFY_AGAIN;
        tell();
    } else {
        source.place = IN_PLACE;
    }
    CHECK_EQUAL(crx_pause_put_back(&chain), expected);
}

static void park(void) {
    if (source.listens || source.is_paused || (source.place != IN_PLACE && source.place != BEING_TOLD)) {
        return;
    }
    enum crx_park expected = CRX_PARK_DONE;
    if (source.disposed || source.stopped) {
        expected = CRX_PARK_OVER;
    } else if (!is_held_up()) {
        expected = CRX_PARK_OPEN;
    } else {
        source.is_paused = true;
    }
    CHECK_EQUAL(crx_pause_park(&chain), expected);
}

static void set_source(void) {
    if (source.place != NOT_YET) {
        return;
    }
    bool disposed = (add(CRX_CHAIN_SOURCE_SET) & CRX_CHAIN_DISPOSED) != 0;
    CHECK_EQUAL(disposed, source.disposed);
    source.place = IN_PLACE;
    if (disposed) {
        dispose_source();
    } else {
        // Whether the thread that sets the source must notify it.
        bool tells = wants();
        if (tells) {
            source.place = BEING_TOLD;
            tell();
        }
        CHECK_EQUAL(crx_pause_change(&chain, 0, 0), tells);
    }
}

static void dispose(void) {
    uintptr_t before = add(CRX_CHAIN_DISPOSED);
    bool first = !source.disposed;
    CHECK_EQUAL((before & CRX_CHAIN_DISPOSED) == 0, first);
    source.disposed = true;
    if (first) {
        CHECK_EQUAL((before & CRX_CHAIN_SOURCE_SET) != 0, source.place == IN_PLACE);
        if (source.place == IN_PLACE) {
            dispose_source();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, data + size};
    static const uintptr_t others[] = {
        CRX_CHAIN_DISPOSAL_NOTIFIED, CRX_CHAIN_ADOPTED, CRX_CHAIN_HANDED_OVER, CRX_CHAIN_COUNTED, CRX_CHAIN_KEPT,
        CRX_CHAIN_SUBSCRIBED, CRX_CHAIN_PAUSABLE,
    };
    memset(&chain, 0, sizeof chain);
    memset(&source, 0, sizeof source);
    if (bytes_below(&bytes, 2)) {
        source.listens = true;
        crx_state_set_unshared(&chain, CRX_CHAIN_LISTENS);
    }
    while (bytes_left(&bytes)) {
        unsigned byte = bytes_take(&bytes);
        switch (byte % 9) {
        case 0: set_source(); break;
        case 1: change(CRX_CHAIN_FULL, &source.full, byte & 128); break;
        case 2: change(CRX_CHAIN_HELD, &source.held, byte & 128); break;
        case 3: put_back(); break;
        case 4:
            if (byte & 128) {
                input(byte & 64);
            } else {
                put_back();
            }
            break;
        case 5: park(); break;
        case 6: {
            uintptr_t bit = others[byte / 9 % (sizeof others / sizeof *others)];
            CHECK_EQUAL((add(bit) & bit) != 0, (source.others & bit) != 0);
            source.others |= bit;
            break;
        }
        case 7:
            CHECK_EQUAL((add(CRX_CHAIN_STOPPED) & CRX_CHAIN_STOPPED) != 0, source.stopped);
            source.stopped = true;
            break;
        default:
            if (byte & 128) {
                dispose();
            } else {
                add(CRX_CHAIN_HALTED);
                source.halted = true;
            }
        }
        word_agrees();
    }
    // Every notifying thread finishes, and a disposed chain leaves no source behind.
    for (int tries = 0; source.place == BEING_TOLD; tries++) {
        CHECK(tries < 3);
        put_back();
        word_agrees();
    }
    dispose();
    CHECK(source.place == GIVEN_UP || source.place == NOT_YET);
    return 0;
}
