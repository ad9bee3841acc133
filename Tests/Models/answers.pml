/* Gates in series whose observer pushes into the first one (claims 5, 8, 12 and 13 of
 * CSources/CRxCore/include/crx_gate.h).
 *
 * Gate 0 belongs to a subject and feeds gate 1. Each further gate belongs to a merge of the previous gate with another
 * source. The last gate delivers to two observers in turn. The first observer pushes an answer into gate 0 when it
 * receives an element that is not an answer itself, for the first ANSWERS such elements.
 *
 * Thread 1 pushes ELEMENTS elements into the last gate, and thread 2 pushes ELEMENTS elements into gate 0. THIRD: a
 * third thread pushes one element into gate THIRD. Steps nest, so each thread has a stack of frames and runs the top
 * frame. A gate is abstract here; gate.pml models its word. OFFER: an owner that drains may offer the gate, and a
 * thread that enqueues an input takes it.
 *
 * Checked: the answers of the observer and the elements of each thread are delivered in the order in which they were
 * pushed. All are delivered. The gates are free at the end.
 *
 * FAULT_SERVES_NESTED: before a nested event, the owner serves the inputs that it must not overtake.
 * FAULT_LEFT_IN_DELIVERY: an input that a thread enqueues from inside a delivery can be overtaken.
 * FAULT_ONE_LIMIT: an input in gate 0 can also be overtaken if its thread owned one gate.
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

/* A nested event does not overtake an input whose thread owned more gates than this when it enqueued the input. */
#ifdef FAULT_ONE_LIMIT
#define LIMIT(at) 1
#else
#define LIMIT(at) ((at) == 0 -> 0 : 1)
#endif

#define MOST 7
#define FRAMES 12
#define NONE 99

/* An event consists of its maker and its number. Makers 1 to 3 are the threads, maker 4 is the observer. */
#define EVENT(maker, number) ((maker) * 16 + (number))
#define MAKER(event) ((event) / 16)
/* The first gate that the events of a maker enter. */
#define ENTRY(maker) ((maker) == 1 -> LAST : ((maker) == 3 -> THIRD : 0))
/* Whether two events have the same source at gate `at`: both come from the previous gate, or neither does. */
#define SAME_SOURCE(one, two, at) ((ENTRY(MAKER(one)) < (at)) == (ENTRY(MAKER(two)) < (at)))

typedef gate {
    byte owner, depth, count;
    bool offered;
    byte event[MOST];
    byte left_by[MOST]
};

gate gates[GATES];
byte delivered[5], delivered_second[5];
byte answers;
byte done;

/* The next action of a frame. ENTER: enter a gate with an event. PASS: send an event from the owned gate to the next
 * one, or to the first observer. SECOND: deliver to the second observer. DRAIN: step the waiting inputs at depth 0. SERVE,
 * a fault: before the nested `event`, step `count` waiting inputs of its source. ANSWER: push an answer. */
mtype { ENTER, PASS, SECOND, DRAIN, SERVE, ANSWER };

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

/* G2: enqueues an input. If the gate is offered (G8), the thread takes it. */
inline leave(g, an_event) {
    gates[g].event[gates[g].count] = an_event;
    gates[g].left_by[gates[g].count] = (serving > 0
#ifndef FAULT_LEFT_IN_DELIVERY
        || gates_owned > LIMIT(g)
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

/* Dequeues the first input with the same source as `like`, or the first input if `like` is 0. */
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

/* G10: sets `before` to the position of the last input of the same source that the nested element `like` must not
 * overtake; 0 if there is none. */
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
            :: gates[g].left_by[each] == 0 || gates[g].left_by[each] == me -> before = of_source
            :: else -> skip
            fi
        :: else -> skip
        fi;
        each++
    :: else -> break
    od
}

/* G1: enters a gate. */
inline enter(g, an_event) {
    if
    :: gates[g].owner == 0 ->
        acquire(g);
        push_frame(DRAIN, g, 0, 0);
        push_frame(PASS, g, an_event, 0)
    :: gates[g].owner == me && gates[g].depth >= serving ->
        count_before(g, an_event);
        if
#ifdef FAULT_SERVES_NESTED
        :: before > 0 ->
            push_frame(PASS, g, an_event, 0);
            push_frame(SERVE, g, an_event, before)
#else
        :: before > 0 -> leave(g, an_event)
#endif
        :: else -> push_frame(PASS, g, an_event, 0)
        fi
    :: else -> leave(g, an_event)
    fi
}

inline deliver(an_event) {
    assert(an_event % 16 == delivered[MAKER(an_event)] + 1);
    delivered[MAKER(an_event)]++;
    push_frame(SECOND, 0, an_event, 0);
    if
    :: MAKER(an_event) != 4 && answers < ANSWERS -> push_frame(ANSWER, 0, 0, 0)
    :: else -> skip
    fi
}

/* Runs one action of the top frame. */
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
        :: kind == SECOND ->
            assert(event % 16 == delivered_second[MAKER(event)] + 1);
            delivered_second[MAKER(event)]++
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
                serving = gates[at].depth + 1;
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
    assert(delivered[1] == ELEMENTS && delivered[2] == ELEMENTS && delivered[4] == answers && delivered_second[4] == answers)
}
