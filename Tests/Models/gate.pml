/* The gate alone. Each of EMITTERS threads pushes EACH inputs. NEST: each step tries to enter the gate again. CLOSE:
 * one more thread closes the gate.
 *
 * Checked: the gate has one owner at a time. Every input is stepped or dropped, once, and an open gate drops none.
 * Inputs of one thread are stepped in order. No nested step starts after the close. The guarded object is torn down
 * once if the gate was closed, and not otherwise. No input remains.
 */
#ifndef EMITTERS
#define EMITTERS 2
#endif
#ifndef EACH
#define EACH 2
#endif

#define EARLY_LOOK
#define INPUTS_MOST (EMITTERS * EACH)
/* Input `number` of thread `me` is (me - 1) * EACH + number + 1. */
#define MAKER(what) (((what) - 1) / EACH)
#define NUMBER(what) (((what) - 1) % EACH)

#define STEP(what) step(what)
#define DROP(what) drop(what)
#define TEAR_DOWN torn_down++
#define TIDY_UP skip

#include "gate.inc"

byte stepper = 0;
byte handled[INPUTS_MOST];
byte next_number[EMITTERS];

inline step(what) {
    atomic {
        assert(stepper == 0 && OWNER(W) == me);
        assert(torn_down == 0);
        stepper = me;
        handled[what - 1]++;
        assert(NUMBER(what) >= next_number[MAKER(what)]);
        next_number[MAKER(what)] = NUMBER(what) + 1
    };
#ifdef NEST
    /* G1 again, by the owner: C is checked before the owner. */
    atomic {
        seen = W;
        if
#ifdef FAULT_OWNER_BEFORE_C
        :: OWNER(seen) == me ->
#else
        :: seen & C -> skip
        :: else ->
#endif
            assert(OWNER(seen) == me);
            assert(!(seen & C))
        fi
    };
#endif
    atomic { assert(stepper == me); stepper = 0 }
}

inline drop(what) {
    atomic { assert(W & C); handled[what - 1]++ }
}

proctype Emitter(byte me) {
    GATE_LOCALS;
    byte number = 0;
    do
    :: number < EACH -> submit((me - 1) * EACH + number + 1); number++
    :: else -> break
    od
}

#ifdef CLOSE
proctype Closer(byte me) {
    GATE_LOCALS;
    close_gate()
}
#endif

init {
    byte index = 1;
    atomic {
        do
        :: index <= EMITTERS -> run Emitter(index); index++
        :: else -> break
        od;
#ifdef CLOSE
        run Closer(EMITTERS + 1);
#endif
    }
    _nr_pr == 1;
#ifdef CLOSE
    assert(W == C && torn_down == 1);
#else
    assert(W == 0 && torn_down == 0);
#endif
    assert(top == 0 && pending_first == pending_end);
    index = 0;
    do
    :: index < INPUTS_MOST -> assert(handled[index] == 1); index++
    :: else -> break
    od
}
