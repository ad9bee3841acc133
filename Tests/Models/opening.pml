/* One observer subscribes to a subject that replays its last SNAPSHOT values, while EMITTERS threads push one event
 * each. NEST: the subscribing thread pushes an event during the replay. END: another thread ends the subject. DISPOSE:
 * another thread disposes of it. SILENT: another thread closes its gate without an end. REMOVE: another thread removes
 * the observer.
 *
 * Checked: the observer receives consecutive values from the first of its snapshot to the last value (fewer after a
 * silent close), then the end. Two threads never call it at once, and no thread calls it after its release. It is
 * released once, and only if it was removed or the subject is over. No event for it remains queued.
 */
#ifndef EMITTERS
#define EMITTERS 2
#endif
#ifndef SNAPSHOT
#define SNAPSHOT 1
#endif

#define INPUTS_MOST (EMITTERS + 3)
#define EVENT 1
#define LAST 2
#define OPEN 3

#define STEP(what) step(what)
#define DROP(what) drop(what)
#define TEAR_DOWN tear_down()
#define TIDY_UP free_retired()

#include "gate.inc"

bit L = 0;
byte stop = 0;
/* The current value; a snapshot of two also contains the previous one. */
byte value = 2;

/* The one node. */
bool inserted = false;
bool dead = false;
bool opening = false;
bool cut = false;
bool retired = false;
byte opener = 0;
byte queue[INPUTS_MOST];
byte queued = 0;
byte released = 0;

/* The last value that the observer has received, whether it has received the end, and the calls in progress. */
byte got = 0;
bool ended = false;
byte caller = 0;
byte calls = 0;
bool was_removed = false;
bool refused = false;

/* The end, as an item of the queue: no value reaches it. */
#define THE_END 100

#define OPENING_LOCALS GATE_LOCALS; byte item, looks, meets, walks; bool owner_there, frees, ends

inline lock() { atomic { L == 0 -> L = 1 } }
inline unlock() { L = 0 }

inline release() { atomic { assert(released == 0 && calls == 0); released = 1 } }

inline call_begins(what) {
    atomic {
        assert(released == 0);
        assert(calls == 0 || caller == me);
        assert(!ended);
        caller = me;
        calls++;
        if
        :: what == THE_END -> assert(got == value); ended = true
        :: else -> assert(got == 0 || what == got + 1); got = what
        fi
    }
}

inline call_ends() {
    atomic {
        assert(released == 0 && caller == me);
        calls--;
        if
        :: calls == 0 -> caller = 0
        :: else -> skip
        fi
    }
}

inline deliver(what) { call_begins(what); call_ends() }

/* B3: retires the node or sets `frees`. L is held. */
inline retire() {
    atomic {
        owner_there = (OWNER(W) != 0);
        if
        :: owner_there -> W = W | T; retired = true
        :: else -> frees = true
        fi
    }
}

inline free_retired() {
    frees = false;
    lock();
    frees = retired;
    retired = false;
    leave_tidied();
    unlock();
    if
    :: frees -> release()
    :: else -> skip
    fi
}

#define SKIPS 0
#define DELIVERS 1

#define DIES 0
#define OPENS 1
#define LIVES 2

/* O2: delivers an event to the node, enqueues it, or skips the node. */
inline meet(what) {
    meets = SKIPS;
    /* Reads the slot, then the node's state, which is one word, in one load. */
    if
    :: cut -> looks = DIES
    :: else -> looks = (dead -> DIES : (opening -> OPENS : LIVES))
    fi;
    if
    :: looks == DIES -> skip
    :: else ->
        if
        :: looks == LIVES -> meets = DELIVERS
        :: else ->
            lock();
            if
            :: dead -> skip
            :: !dead && (!opening || (opener == me && queued == 0)) -> meets = DELIVERS
            :: else -> d_step { queue[queued] = what; queued++ }
            fi;
            unlock()
        fi;
        if
        :: meets == DELIVERS -> deliver(what)
        :: else -> skip
        fi
    fi
}

/* The last part of O3 and of O4. L is held. */
inline end_opening() {
    ends = (dead || stop == 2 || queued == 0);
    if
    :: ends ->
        d_step {
            dead = dead || stop == 2 || cut;
            opening = false;
            queued = 0
        };
        if
        :: cut -> retire()
        :: else -> skip
        fi
    :: else -> skip
    fi
}

/* O4: serves a request to finish the opening. */
inline open() {
    do
    :: true ->
        frees = false;
        lock();
        opener = 0;
        end_opening();
        if
        :: !ends ->
            d_step {
                opener = me;
                item = queue[0];
                queued--;
                meets = 0;
                do
                :: meets < queued -> queue[meets] = queue[meets + 1]; meets++
                :: else -> break
                od;
                queue[queued] = 0
            }
        :: else -> skip
        fi;
        unlock();
        if
        :: frees -> release()
        :: else -> skip
        fi;
        if
        :: ends -> break
        :: else -> deliver(item)
        fi
    od
}

inline step(what) {
    if
    :: what == OPEN -> open()
    :: what == EVENT ->
        lock();
        walks = 0;
        if
        :: stop == 0 -> value++; item = value; walks = inserted
        :: else -> skip
        fi;
        unlock();
        if
        :: walks && !(W & C) -> meet(item)
        :: else -> skip
        fi
    :: what == LAST ->
        lock();
        walks = 0;
        ends = (stop == 0);
        if
        :: ends -> stop = 1; walks = inserted
        :: else -> skip
        fi;
        unlock();
        if
        :: ends -> atomic { W = W | C }
        :: else -> skip
        fi;
        if
        :: walks -> meet(THE_END)
        :: else -> skip
        fi
    fi
}

/* On a closed gate, the request OPEN runs instead of being dropped. */
inline drop(what) {
    if
    :: what == OPEN -> open()
    :: else -> skip
    fi
}

/* B7: the teardown. */
inline tear_down() {
    torn_down++;
    frees = false;
    lock();
    frees = retired;
    retired = false;
    if
    :: inserted && !cut ->
        cut = true;
#ifdef FAULT_TEARDOWN_KILLS_OPENING
        dead = true;
        if
        :: !opening -> frees = true
        :: else -> skip
        fi
#else
        if
        :: !opening -> dead = true; frees = true
        :: opening && stop == 2 -> dead = true
        :: else -> skip
        fi
#endif
    :: else -> skip
    fi;
    unlock();
    if
    :: frees -> release()
    :: else -> skip
    fi
}

proctype Emitter(byte me) {
    OPENING_LOCALS;
    submit(EVENT)
}

/* O1 and O3: subscribes, replays, and finishes the opening. */
proctype Subscriber(byte me) {
    OPENING_LOCALS;
    byte replay;
    lock();
    if
#ifdef SILENT
    :: stop != 0 || (W & C) -> unlock(); refused = true; goto nothing
#else
    :: stop != 0 -> unlock(); refused = true; goto nothing
#endif
    :: else -> skip
    fi;
    d_step {
        replay = value - SNAPSHOT + 1;
        inserted = true;
        opening = true;
#ifndef FAULT_NEST_IN_LONG_SNAPSHOT
        opener = (SNAPSHOT <= 1 -> me : 0)
#else
        opener = me
#endif
    };
    byte last = value;
    unlock();
    do
    :: replay <= last ->
        if
        :: dead || stop == 2 -> break
        :: else -> skip
        fi;
        call_begins(replay);
#ifdef NEST
        if
        :: replay == last - SNAPSHOT + 1 -> submit(EVENT)
        :: else -> skip
        fi;
#endif
        call_ends();
        replay++
    :: else -> break
    od;
    frees = false;
    lock();
    opener = 0;
    end_opening();
    unlock();
    if
    :: frees -> release()
    :: else -> skip
    fi;
    if
    :: ends -> skip
    :: else -> submit(OPEN)
    fi;
nothing:
    skip
}

#ifdef END
proctype Ender(byte me) {
    OPENING_LOCALS;
    submit(LAST)
}
#endif

#ifdef DISPOSE
proctype Disposer(byte me) {
    OPENING_LOCALS;
    lock();
    if
    :: stop == 0 -> stop = 2
    :: else -> skip
    fi;
    unlock();
    close_gate()
}
#endif

#ifdef SILENT
/* Closes the gate without an event, as when the subject's sources are gone. */
proctype Closer(byte me) {
    OPENING_LOCALS;
    close_gate()
}
#endif

#ifdef REMOVE
/* B2: removes the node. */
proctype Remover(byte me) {
    bool owner_there, frees;
    inserted || refused;
    if
    :: !inserted -> goto nothing
    :: else -> skip
    fi;
    lock();
    frees = false;
    if
    :: dead -> skip
    :: else ->
        dead = true;
        was_removed = true;
        if
        :: !cut ->
            cut = true;
            if
#ifndef FAULT_RETIRE_OPENING
            :: opening -> skip
#endif
            :: else -> retire()
            fi
        :: else -> skip
        fi
    fi;
    unlock();
    if
    :: frees -> release()
    :: else -> skip
    fi;
nothing:
    skip
}
#endif

init {
    byte index = 0;
    atomic {
        do
        :: index < EMITTERS -> index++; run Emitter(index)
        :: else -> break
        od;
        run Subscriber(EMITTERS + 1);
#ifdef END
        run Ender(EMITTERS + 2);
#endif
#ifdef DISPOSE
        run Disposer(EMITTERS + 3);
#endif
#ifdef SILENT
        run Closer(EMITTERS + 3);
#endif
#ifdef REMOVE
        run Remover(EMITTERS + 4);
#endif
    }
    _nr_pr == 1;
    assert(OWNER(W) == 0 && !(W & (Q | T)) && L == 0);
    assert(!opening && queued == 0 && !retired && calls == 0);
    if
    :: inserted && !was_removed && stop != 2 && (stop == 1 || W != C) ->
        assert(got == value);
        assert(ended == (stop == 1))
    :: else -> skip
    fi;
    assert(released == (inserted && (was_removed || stop != 0 || W == C)))
}
