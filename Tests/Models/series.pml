/* Two gates in series (claims 5, 12 and 13 of CSources/CRxCore/include/crx_gate.h): a subject `a` and a coordinator
 * that merges `a` with `b`.
 *
 * Thread A pushes EACH elements and the end into `a`. Thread B pushes one element through `b`. From inside that
 * delivery, the observer pushes OWN elements into `a`. SELF_END: the observer, not thread A, pushes the end of `a`. A
 * gate is abstract here; gate.pml models its word. A gate is free or owned. Waiting inputs are first in, first out, and
 * an owner steps them before it leaves.
 *
 * Checked: the elements of each thread are delivered in the order of its pushes. No element that was pushed before the
 * end is lost. No event of `a` is delivered after its end. No input waits in a free gate.
 *
 * FAULT_FOREIGN_NESTS: an input that a drain brings from another thread nests (without claim 12).
 * FAULT_OWN_OVERTAKES: a nested element overtakes the waiting inputs (without claim 13).
 * FAULT_END_OVERTAKES: a nested end overtakes the waiting inputs of its source (without claim 13).
 */
#ifndef EACH
#define EACH 2
#endif
#ifndef OWN
#define OWN 2
#endif

#define A 1
#define B 2
#define END 100
#define MINE 50
#define MOST 12

byte owner_a, owner_m;
byte queue_a[MOST], queue_m[MOST];
byte first_a, last_a, first_m, last_m;
/* Whether no nested element may overtake an input of the coordinator's gate. */
bool is_brought[MOST];

byte delivered_a, delivered_own;
bool has_end;
/* Whether the end has passed the gate of `a`, which then drops later events. */
bool is_over;
byte done;
byte pushed_a;

inline deliver() {
    atomic {
        if
        :: event == END -> has_end = true
        :: event > MINE && event < END -> assert(!has_end && event == MINE + delivered_own + 1); delivered_own++
        :: event < MINE -> assert(!has_end && event == delivered_a + 1); delivered_a++
        fi
    }
}

/* Drains and leaves the coordinator's gate (G5, G4), at depth 0. */
inline exit_m() {
    do
    :: atomic { first_m == last_m -> owner_m = 0; break }
    :: atomic { first_m < last_m -> event = queue_m[first_m]; first_m++ };
        deliver()
    od
}

/* Claim 13: a nested end waits behind all inputs of `a`, a nested element behind inputs that a drain or the owner left.
 * In this model, every waiting input is of `a`. */
inline look() {
    must_wait = false;
    each = first_m;
    do
    :: each < last_m ->
        if
#ifndef FAULT_END_OVERTAKES
        :: event == END -> must_wait = true
#endif
#ifndef FAULT_OWN_OVERTAKES
        :: event != END && is_brought[each] -> must_wait = true
#endif
        :: else -> skip
        fi;
        each++
    :: else -> break
    od
}

inline leave() {
    queue_m[last_m] = event;
    is_brought[last_m] = is_foreign;
    last_m++;
    is_left = true
}

/* A step of the gate of `a`: passes `event` to the coordinator. */
inline step_a() {
    atomic {
        if
        :: is_over -> is_left = true
        :: !is_over && owner_m == 0 -> owner_m = me; is_left = false
        :: !is_over && owner_m != 0 && owner_m != me -> leave()
#ifndef FAULT_FOREIGN_NESTS
        :: !is_over && owner_m == me && is_foreign -> leave()
        :: !is_over && owner_m == me && !is_foreign -> is_left = false; is_nested = true
#else
        :: !is_over && owner_m == me -> is_left = false; is_nested = true
#endif
        fi;
        if
        :: event == END -> is_over = true
        :: else -> skip
        fi
    };
    if
    :: is_left -> skip
    :: !is_left && is_nested ->
        atomic {
            look();
            if
            :: must_wait ->
                leave();
                is_brought[last_m - 1] = true
            :: else -> skip
            fi
        };
        if
        :: must_wait -> skip
        :: else -> deliver()
        fi;
        is_nested = false
    :: !is_left && !is_nested -> deliver(); exit_m()
    fi
}

/* Pushes `event` into `a`. */
inline push_a() {
    atomic {
        if
        :: owner_a == 0 -> owner_a = me; is_left = false
        :: else -> queue_a[last_a] = event; last_a++; is_left = true
        fi
    };
    if
    :: is_left -> skip
    :: else ->
        is_foreign = false;
        step_a();
        is_foreign = true;
        do
        :: atomic { first_a == last_a -> owner_a = 0; break }
        :: atomic { first_a < last_a -> event = queue_a[first_a]; first_a++ };
            step_a()
        od
    fi
}

active proctype PusherOfA() {
    byte me = A, x = 1, event;
    byte each;
    bool is_foreign, is_left, is_nested, must_wait;
    do
    :: x <= EACH -> event = x; push_a(); atomic { pushed_a = x; x++ }
    :: else -> break
    od;
#ifndef SELF_END
    event = END;
    push_a();
#endif
    done++
}

active proctype PusherOfB() {
    byte me = B, x = 1, event, before;
    byte each;
    bool is_foreign, is_left, is_nested, must_wait;
    /* The element of `b` enters the free gate of the coordinator. Then its observer pushes into `a`. */
    atomic { owner_m == 0 -> owner_m = B };
    do
    :: x <= OWN && !has_end -> event = MINE + x; push_a(); x++
    :: else -> break
    od;
#ifdef SELF_END
    before = pushed_a;
    event = END;
    push_a();
    /* If the end has been delivered, so have the elements that were pushed before it. */
    assert(!has_end || delivered_a >= before);
#endif
    exit_m();
    done++
}

active proctype Last() {
    (done == 2);
    assert(owner_a == 0 && owner_m == 0 && first_a == last_a && first_m == last_m);
#ifndef SELF_END
    assert(has_end && delivered_a == EACH)
#endif
}
