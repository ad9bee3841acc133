/* Gates in series whose observer pushes into the first one (claims 5, 8, 12 and 13 of
 * CSources/CRxCore/include/crx_gate.h).
 *
 * Gate 0 is a subject's, and it feeds gate 1. Each further gate belongs to a merge of the gate before it with a source
 * of its own. What the last gate delivers reaches one observer, which answers the first ANSWERS elements by a push into
 * gate 0, from inside the delivery.
 *
 * Thread 1 pushes ELEMENTS elements into the last gate, thread 2 pushes as many into gate 0, and if THIRD
 * is defined a third thread pushes one into that gate. A thread is an interpreter with a stack of frames, because steps nest. A gate is
 * abstract here (gate.pml has its words). OFFER: an owner that drains may offer the gate, and a thread that leaves an
 * input takes it.
 *
 * Checked: the observer's answers are delivered in the order in which it pushed them, and the elements of each thread
 * in theirs; all are delivered; the gates are free at the end.
 *
 * FAULT_NEST_IN_SERVE: an element nests while the inputs before it are served one after the other.
 * FAULT_LEFT_IN_DELIVERY: an input that a thread leaves in a merge's gate from inside a delivery can be overtaken.
 * FAULT_SUBJECT_OVERTAKES: a nested element of a subject overtakes the inputs that other threads left.
 */
#ifndef GATES
#define GATES 2
#endif
#ifndef ELEMENTS
#define ELEMENTS 1
#endif
#ifndef ANSWERS
#define ANSWERS 2
#endif

#ifdef THIRD
#define THREADS 3
#else
#define THREADS 2
#define THIRD 0
#endif

#define LAST (GATES - 1)
#define MOST 7
#define FRAMES 12
#define NONE 99

/* An event is its maker and its number; maker 4 is the observer. */
#define EVENT(maker, number) ((maker) * 16 + (number))
#define MAKER(event) ((event) / 16)
/* The gate that the events of a maker enter first. */
#define ENTRY(maker) ((maker) == 1 -> LAST : ((maker) == 3 -> THIRD : 0))
/* Whether two events are of one source at a gate: both come from the gate before it, or neither does. */
#define SAME_SOURCE(one, two, at) ((ENTRY(MAKER(one)) < (at)) == (ENTRY(MAKER(two)) < (at)))

typedef gate {
    byte owner, depth, count;
    bool offered;
    byte event[MOST];
    byte left_by[MOST]
};

gate gates[GATES];
byte delivered[5];
byte answers;
byte done;

/* What a frame does next: enter a gate with an event; pass an event on from the owned gate; serve the gate's waiting
 * inputs at depth 0; serve `event` inputs of one source before a nested event; push an answer. */
mtype { ENTER, PASS, DRAIN, SERVE, ANSWER };

typedef frame {
    mtype kind;
    byte at, event, count;
    byte outer
};

inline push_frame(new_kind, new_at, new_event, new_count) {
    stack[top].kind = new_kind;
    stack[top].at = new_at;
    stack[top].event = new_event;
    stack[top].count = new_count;
    stack[top].outer = NONE; top++
}

inline acquire(g) {
    gates[g].owner = me;
    gates_owned++;
    gates[g].depth = gates_owned
}

/* G2 and, with OFFER, G8's taking. */
inline leave(g, an_event) {
    gates[g].event[gates[g].count] = an_event;
    gates[g].left_by[gates[g].count] = (serving > 0 ||
#ifdef FAULT_LEFT_IN_DELIVERY
        false
#else
        gates_owned > 1
#endif
        -> 0 : me);
    gates[g].count++;
    if
    :: gates[g].offered ->
        gates[g].offered = false;
        acquire(g);
        push_frame(DRAIN, g, 0, 0)
    :: else -> skip
    fi
}

/* Takes the first input of the source of `like` out of the gate, or the first of all. */
inline take(g, like) {
    each = 0;
    do
    :: like != 0 && !SAME_SOURCE(gates[g].event[each], like, g) -> each++
    :: else -> break
    od;
    taken = gates[g].event[each];
    do
    :: each + 1 < gates[g].count ->
        gates[g].event[each] = gates[g].event[each + 1];
        gates[g].left_by[each] = gates[g].left_by[each + 1];
        each++
    :: else -> break
    od;
    gates[g].count--;
    gates[g].event[gates[g].count] = 0;
    gates[g].left_by[gates[g].count] = 0
}

/* G10: how many inputs of the source of `like` come before a nested element. */
inline count_before(g, like) {
    each = 0;
    of_source = 0;
    before = 0;
    do
    :: each < gates[g].count ->
        if
        :: SAME_SOURCE(gates[g].event[each], like, g) ->
            of_source++;
            if
#ifndef FAULT_SUBJECT_OVERTAKES
            :: g == 0 -> before = of_source
#endif
            :: else ->
                if
                :: gates[g].left_by[each] == 0 || gates[g].left_by[each] == me -> before = of_source
                :: else -> skip
                fi
            fi
        :: else -> skip
        fi;
        each++
    :: else -> break
    od
}

/* G1. */
inline enter(g, an_event) {
    if
    :: gates[g].owner == 0 ->
        acquire(g);
        push_frame(DRAIN, g, 0, 0);
        push_frame(PASS, g, an_event, 0)
    :: gates[g].owner == me && gates[g].depth >= serving ->
        count_before(g, an_event);
        push_frame(PASS, g, an_event, 0);
        if
        :: before > 0 -> push_frame(SERVE, g, an_event, before)
        :: else -> skip
        fi
    :: else -> leave(g, an_event)
    fi
}

inline deliver(an_event) {
    assert(an_event % 16 == delivered[MAKER(an_event)] + 1);
    delivered[MAKER(an_event)]++;
    if
    :: MAKER(an_event) != 4 && answers < ANSWERS -> push_frame(ANSWER, 0, 0, 0)
    :: else -> skip
    fi
}

/* One action of the frame on top. */
inline act() {
    atomic {
        top--;
        kind = stack[top].kind;
        at = stack[top].at;
        event = stack[top].event;
        count = stack[top].count;
        outer = stack[top].outer;
        if
        :: kind == ENTER -> enter(at, event)
        :: kind == PASS && at == LAST -> deliver(event)
        :: kind == PASS && at < LAST ->
            at++;
            push_frame(ENTER, at, event, 0)
        :: kind == ANSWER ->
            answers++;
            event = EVENT(4, answers);
            push_frame(ENTER, 0, event, 0)
        :: kind == SERVE ->
            if
            :: outer == NONE -> outer = serving
            :: else -> skip
            fi;
            if
            :: count == 0 -> serving = outer
            :: else ->
#ifdef FAULT_NEST_IN_SERVE
                serving = gates[at].depth;
#else
                serving = gates[at].depth + 1;
#endif
                take(at, event);
                count--;
                push_frame(SERVE, at, event, count);
                stack[top - 1].outer = outer;
                push_frame(PASS, at, taken, 0)
            fi
        :: kind == DRAIN ->
            if
            :: outer == NONE -> outer = serving
            :: else -> skip
            fi;
            if
            :: gates[at].owner != me ->
                /* Another thread has taken the gate. */
                gates_owned--;
                serving = outer
            :: gates[at].owner == me && gates[at].count == 0 ->
                gates[at].owner = 0;
                gates[at].depth = 0;
                gates[at].offered = false;
                gates_owned--;
                serving = outer
            :: gates[at].owner == me && gates[at].count > 0 ->
                gates[at].offered = false;
                serving = gates[at].depth;
                take(at, 0);
                push_frame(DRAIN, at, 0, 0);
                stack[top - 1].outer = outer;
                push_frame(PASS, at, taken, 0)
#ifdef OFFER
            :: gates[at].owner == me && gates[at].count > 0 && !gates[at].offered ->
                gates[at].offered = true;
                serving = gates[at].depth;
                push_frame(DRAIN, at, 0, 0);
                stack[top - 1].outer = outer
#endif
            fi
        fi;
        kind = 0; at = 0; event = 0; count = 0; outer = 0; each = 0; taken = 0; before = 0; of_source = 0;
        stack[top].kind = 0;
        stack[top].at = 0;
        stack[top].event = 0;
        stack[top].count = 0;
        stack[top].outer = 0
    }
}

proctype Pusher(byte me; byte number) {
    frame stack[FRAMES];
    byte top, gates_owned, serving, pushed;
    mtype kind;
    byte at, event, count, outer, each, taken, before, of_source;
    do
    :: top > 0 -> act()
    :: atomic {
        top == 0 && pushed < number ->
            pushed++;
            at = ENTRY(me);
            event = EVENT(me, pushed);
            push_frame(ENTER, at, event, 0);
            at = 0;
            event = 0
    }
    :: top == 0 && pushed == number -> break
    od;
    assert(gates_owned == 0 && serving == 0);
    done++
}

init {
    byte g;
    atomic {
        run Pusher(1, ELEMENTS);
        run Pusher(2, ELEMENTS);
        if
        :: THREADS == 3 -> run Pusher(3, 1)
        :: else -> skip
        fi
    };
    (done == THREADS);
    for (g : 0 .. LAST) {
        assert(gates[g].owner == 0 && gates[g].count == 0)
    };
    assert(delivered[1] == ELEMENTS && delivered[2] == ELEMENTS && delivered[4] == answers)
}
