/* The bag (CSources/CRxCore/include/crx_bag.h) under its gate. EMITTERS threads push one event each. SUBSCRIBERS
 * threads subscribe and unsubscribe. A chunk has room for one new node, so each subscription replaces the chunk.
 * DISPOSE: a thread disposes of the subject. SILENT: a thread closes its gate without an end. END: the first
 * emitter ends the subject.
 *
 * Checked: no walk reads a freed chunk or node. No sink is released while it is called, and each is released once. An
 * event that begins while a subscription exists is delivered to that subscription, unless the subscription is removed
 * or the gate is closed first. After the end, the disposal or the silent close, nothing is retained.
 *
 * The model frees a node's memory when its sink has been released and its handle has dropped it. This is exact for a
 * placed node. Any other node lives at least that long, because the bag drops its reference after the release.
 *
 * A store that another thread must see by way of W (a null slot, a new chunk) becomes visible as late as possible: with
 * the next RMW on W.
 */
#ifndef EMITTERS
#define EMITTERS 2
#endif
#ifndef SUBSCRIBERS
#define SUBSCRIBERS 2
#endif

#define INPUTS_MOST EMITTERS
#define NODES SUBSCRIBERS
#define CHUNKS (SUBSCRIBERS + 1)
#define NOTHING 255

#define STEP(what) step(what)
#define DROP(what) skip
#define TEAR_DOWN tear_down()
#define TIDY_UP free_retired()

#include "gate.inc"

bit L = 0;
byte stop = 0;

/* The current chunk, as a walk reads it. A slot holds 1 + the number of its node, or 0. */
byte chunk = NOTHING;
typedef Chunk { byte slots[NODES]; byte count; bool freed; bool retired };
Chunk chunks[CHUNKS];
byte chunks_made = 0;

typedef Node { bool inserted; bool dead; bool cut; bool retired; byte index; byte released; bool dropped; byte calls; byte delivered };
Node nodes[NODES];

/* For each event, a bit for each node that it must still be delivered to. A removal clears the bit of its node. */
byte owed[EMITTERS];

#define BAG_LOCALS GATE_LOCALS; byte at, here, count, node, old, fresh; bool owner_there, ends, replaced

inline lock() { atomic { L == 0 -> L = 1 } }
inline unlock() { L = 0 }

inline release(which) {
    atomic {
        assert(nodes[which].released == 0);
        assert(nodes[which].calls == 0);
        nodes[which].released = 1
    }
}

/* B4: a walk. A delivery is two steps, so that a release can happen between them. */
inline walk(owed_to) {
    at = 0;
    do
    :: at < count ->
        atomic { assert(!chunks[here].freed); node = chunks[here].slots[at]; at++ };
        if
        :: node == 0 -> skip
        :: else ->
            node--;
            if
            :: !ends && (W & C) -> owed_to = 0; break
            :: else -> skip
            fi;
            atomic {
                assert(!(nodes[node].released && nodes[node].dropped));
                if
                :: nodes[node].dead -> node = NOTHING
                :: else -> skip
                fi
            };
            if
            :: node == NOTHING -> skip
            :: else ->
                atomic {
                    assert(!nodes[node].released);
                    nodes[node].calls++;
                    owed_to = owed_to & ~(1 << node)
                };
                atomic { assert(!nodes[node].released); nodes[node].calls-- }
            fi
        fi
    :: else -> break
    od
}

inline step(what) {
    here = NOTHING;
    count = 0;
    ends = false;
#ifdef END
    if
    :: what == 1 ->
        lock();
        if
        :: stop == 0 -> stop = 1; ends = true; here = chunk; if :: here != NOTHING -> count = chunks[here].count :: else -> skip fi
        :: else -> skip
        fi;
        unlock();
        if
        :: ends -> atomic { W = W | C }
        :: else -> owed[what - 1] = 0
        fi
    :: else ->
#endif
        here = chunk;
        if
        :: here != NOTHING -> count = chunks[here].count
        :: else -> skip
        fi
#ifdef END
    fi
#endif
    ;
    walk(owed[what - 1]);
    atomic { assert(owed[what - 1] == 0 || (W & C)); owed[what - 1] = 0 }
}

/* The atomic read-modify-write by which B3 asks the owner to tidy up. It makes earlier stores visible to the next
 * owner: `make_visible`. */
#ifdef FAULT_NO_RMW
#define TELL_OWNER(make_visible) \
    word = W; \
    owner_there = (OWNER(word) != 0); \
    if \
    :: owner_there -> CAS(word, word | T); owner_there = (seen == word) \
    :: else -> skip \
    fi
#define LATER(make_visible) make_visible
#else
#define TELL_OWNER(make_visible) \
    atomic { \
        owner_there = (OWNER(W) != 0); \
        if \
        :: owner_there -> W = W | T \
        :: else -> skip \
        fi; \
        make_visible \
    }
#define LATER(make_visible) skip
#endif

/* B3: retires or frees a chunk. A chunk contains no user object, so it may be freed under L. */
inline retire_chunk(which) {
    TELL_OWNER(chunk = fresh);
    if
    :: owner_there -> chunks[which].retired = true
    :: else -> chunks[which].freed = true
    fi;
    LATER(chunk = fresh)
}

/* B1: inserts a node. The old chunk is always full. The new chunk gets the nodes that are not cut, in order, and has
 * one slot more. */
inline insert(which) {
    old = chunk;
    d_step {
        fresh = chunks_made;
        chunks_made++;
        at = 0;
        do
        :: old != NOTHING && at < chunks[old].count ->
            node = chunks[old].slots[at];
            at++;
            if
            :: node != 0 && !nodes[node - 1].cut ->
                chunks[fresh].slots[chunks[fresh].count] = node;
                nodes[node - 1].index = chunks[fresh].count;
                chunks[fresh].count++
            :: else -> skip
            fi
        :: else -> break
        od
    };
    if
    :: old != NOTHING -> retire_chunk(old)
    :: else -> chunk = fresh
    fi;
    d_step {
        nodes[which].index = chunks[fresh].count;
        chunks[fresh].slots[chunks[fresh].count] = which + 1
    };
    chunks[fresh].count++
}

/* B2: removes a node. */
inline remove(which) {
    replaced = false;
    lock();
    if
    :: nodes[which].dead -> skip
    :: else ->
        nodes[which].dead = true;
        nodes[which].cut = true;
        here = chunk;
        TELL_OWNER(chunks[here].slots[nodes[which].index] = 0);
        if
        :: owner_there -> nodes[which].retired = true
        :: else -> replaced = true
        fi
    fi;
    unlock();
    if
    :: replaced -> release(which)
    :: else -> skip
    fi;
    LATER(chunks[here].slots[nodes[which].index] = 0);
    nodes[which].dropped = true
}

/* The bag's part of G5a. Retired nodes are dequeued under L and freed after L has been released. */
byte taken_nodes[EMITTERS + SUBSCRIBERS + 3];

inline take_retired() {
    d_step {
        at = 0;
        do
        :: at < NODES ->
            if
            :: nodes[at].retired -> nodes[at].retired = false; taken_nodes[me] = taken_nodes[me] | (1 << at)
            :: else -> skip
            fi;
            at++
        :: else -> break
        od;
        at = 0;
        do
        :: at < CHUNKS ->
            if
            :: chunks[at].retired -> chunks[at].retired = false; chunks[at].freed = true
            :: else -> skip
            fi;
            at++
        :: else -> break
        od
    }
}

inline release_taken() {
    at = 0;
    do
    :: at < NODES ->
        if
        :: taken_nodes[me] & (1 << at) -> release(at)
        :: else -> skip
        fi;
        at++
    :: else -> break
    od;
    taken_nodes[me] = 0
}

inline free_retired() {
    lock();
    take_retired();
#ifndef FAULT_LEAVE_AFTER_LOCK
    leave_tidied();
    unlock();
#else
    unlock();
    leave_tidied();
#endif
    release_taken()
}

/* B7: the teardown, which cuts every node. */
inline tear_down() {
    torn_down++;
    lock();
    take_retired();
    if
    :: chunk != NOTHING ->
        d_step {
            at = 0;
            do
            :: at < chunks[chunk].count ->
                node = chunks[chunk].slots[at];
                at++;
                if
                :: node != 0 ->
                    nodes[node - 1].dead = true;
                    nodes[node - 1].cut = true;
                    taken_nodes[me] = taken_nodes[me] | (1 << (node - 1))
                :: else -> skip
                fi
            :: else -> break
            od;
            chunks[chunk].freed = true
        };
        chunk = NOTHING
    :: else -> skip
    fi;
    unlock();
    release_taken()
}

proctype Emitter(byte me) {
    BAG_LOCALS;
    /* The event begins. It must be delivered to every subscription that has returned. */
    d_step {
        at = 0;
        do
        :: at < NODES ->
            if
            :: nodes[at].inserted && !nodes[at].dead && stop == 0 -> owed[me - 1] = owed[me - 1] | (1 << at)
            :: else -> skip
            fi;
            at++
        :: else -> break
        od
    };
    submit(me)
}

/* Whether a new observer gets a node. C is read under L, so the teardown of a later close, which acquires L, finds the
 * node. */
#if defined(SILENT) && !defined(FAULT_INSERT_UNSEEN)
#define PASSES (stop == 0 && !(W & C))
#else
#define PASSES (stop == 0)
#endif

proctype Subscriber(byte me; byte own) {
    BAG_LOCALS;
    lock();
    if
    :: PASSES -> insert(own); unlock(); nodes[own].inserted = true
    :: else -> unlock(); goto end_refused
    fi;
    /* The removal begins. From here on, no event has to be delivered to the node. */
    d_step {
        at = 0;
        do
        :: at < EMITTERS -> owed[at] = owed[at] & ~(1 << own); at++
        :: else -> break
        od;
        nodes[own].inserted = false
    };
    remove(own);
end_refused:
    skip
}

#ifdef DISPOSE
/* B6: the disposal. */
proctype Disposer(byte me) {
    BAG_LOCALS;
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
    BAG_LOCALS;
    close_gate()
}
#endif

init {
    byte index = 0;
    atomic {
        do
        :: index < EMITTERS -> index++; run Emitter(index)
        :: else -> break
        od;
        index = 0;
        do
        :: index < SUBSCRIBERS -> run Subscriber(EMITTERS + 1 + index, index); index++
        :: else -> break
        od;
#ifdef DISPOSE
        run Disposer(EMITTERS + SUBSCRIBERS + 1);
#endif
#ifdef SILENT
        run Closer(EMITTERS + SUBSCRIBERS + 1);
#endif
    }
    _nr_pr == 1;
    assert(OWNER(W) == 0 && !(W & (Q | T)) && L == 0);
#if defined(DISPOSE) || defined(END)
    assert((W == C) == (torn_down == 1));
    assert(W == C || stop == 0);
#endif
#ifdef SILENT
    assert(W == C && torn_down == 1 && stop == 0);
#endif
    assert(torn_down == 0 || chunk == NOTHING);
    index = 0;
    do
    :: index < NODES -> assert(nodes[index].dropped == (nodes[index].released == 1)); assert(!nodes[index].retired); index++
    :: else -> break
    od;
    index = 0;
    do
    :: index < CHUNKS -> assert(!chunks[index].retired); assert(index >= chunks_made || index == chunk || chunks[index].freed); index++
    :: else -> break
    od
}
