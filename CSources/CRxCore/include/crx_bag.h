#ifndef CRX_BAG_H
#define CRX_BAG_H

#include "crx_gate.h"
#include "crx_lock.h"

#ifdef __cplusplus
extern "C" {
#endif

// The bag: the observers of a subject, as *nodes* in the slots of a *chunk*, in the order of subscription. Only the
// owner of the subject's gate *walks* the bag, that is, delivers an event to the observers.
//
// L is the bag's lock. A *cut* node is no longer in the current chunk. A *retired* node waits to be freed (B3); later
// walks do not reach it. To *free* a node is to release its sink and then to drop the bag's reference to the node. The
// subscription's handle has the other reference. A *placed* node is not reference-counted: its memory is part of an
// object that the node's sink retains. The thread that removes the node also retains that object during the removal.
//
// The operations:
//
// - B1 *insert*, under L, if the chunk has room: store the node in the next slot, then increment the count.
// - B2 *remove*, any thread: set DEAD and CUT and clear the slot. Then retire the node, unless it has OPENING (O3, O4).
// - B3 *retire*, under L: notify the owner of the gate (G9 of crx_gate.h). If there is an owner, it frees the node when
//   it drains. If there is no owner, free the node after L has been released.
// - B4 *walk*, the owner: read the chunk, the count, the slots and the states of the nodes.
// - B5 *end*, the owner: under L, set `stop` to 1 and read the receivers of the event. Then close the gate, and walk.
// - B6 *dispose*, any thread: under L, set `gone`. If `stop` is 0, set it to 2. Then close the gate.
// - B7 *tear down*: cut all nodes, and free those without OPENING (claim 8).
// - O1 *subscribe*, any thread: under L, copy the values to replay and insert a node with OPENING. Then replay.
// - O2 *meet*, the owner at a node with OPENING: append the event to the node's queue. Exception: if the owner is the
//   node's `opener` and the queue is empty, deliver the event at once.
// - O3 *finish*, the subscriber after the replay: give up the right to deliver to the node. If events are queued there,
//   pass the right on with an OPEN request.
// - O4 *open*, the thread that handles the OPEN request: deliver the queue, then give up the right.
//
// A node's state, written under the lock L and read without it:
//
// | bit | name | set by | cleared by | order |
// |---|---|---|---|---|
// | 0 | DEAD | remove, tear down; finish or open, if the node is cut or the subject is disposed of | never | release, acquire |
// | 1 | OPENING | insert, for a subscriber with a replay | finish or open, once | release, acquire |
// | 2 | CUT | remove, tear down | finish, open | under L |
//
// | `stop` | meaning | set by |
// |---|---|---|
// | 0 | events are delivered | - |
// | 1 | a terminal event came | end |
// | 2 | disposed of before a terminal event | dispose |
//
// 1. *Insertion.* An event reaches a new observer if and only if the insertion came before the walk read the count. So
//    an event reaches each observer whose `subscribe` returned before the emission began. The slot is stored before the
//    count, with release. So a thread that reads the count with acquire sees the slot and the node. A slot is used only
//    once, and each chunk has its own count. So a walk never reaches a node that was inserted after the walk read the
//    count.
// 2. *No owner seen.* After a node's slot was cleared, the retiring thread makes an RMW on the gate's word W. The
//    thread frees the node itself only if that RMW finds no owner. The next thread that acquires W synchronises with
//    that RMW and sees the empty slot. A plain load of W would not synchronise.
// 3. *Owner seen.* If the RMW of claim 2 finds an owner, it sets the gate's bit T. Then no owner leaves the gate before
//    it has emptied the list of retired nodes. The owner empties the list under L and at depth 0, when no walk refers
//    to a node. The retiring thread holds L until the node is in the list. T is set only under L, so an owner that has
//    emptied the list may leave before it releases L.
// 4. *Old chunks.* A walk may still use a replaced chunk, which points to nodes that were cut later. The walk skips
//    these nodes, because DEAD is set before a node is freed. Their memory stays valid during the walk, because only
//    the owner frees nodes, at depth 0 (claim 3). The memory of a placed node lives as long as its sink, which is
//    released when the node is freed.
// 5. *Removal.* After `crx_bag_remove` has returned, every delivery finds DEAD and skips the node. A delivery that
//    checked DEAD earlier may finish. A removal never waits for a delivery and never makes the caller an owner. The
//    sink may live until the owner's next input. Other threads may remove nodes endlessly, so the owner frees only a
//    limited number of nodes between two inputs. It frees the remaining nodes after it has left the gate.
// 6. *Opening.* While OPENING is set, only one thread has the right to deliver to the node: at first, the subscriber.
//    If events are queued after the replay, the right passes to the thread that handles the OPEN request (O3, O4). Only
//    the thread that has the right retires the node. Walks of other threads only queue events.
// 7. *None lost, none twice.* The subscriber copies the snapshot (the values to replay) and inserts the node in one
//    section under L. The owner stores an event's value for later replays and reads chunk and count, also in one
//    section under L. So an observer receives each event either from the snapshot or from a walk.
// 8. *Tearing down.* Two threads can tear down: the thread that sets the gate's word to C (closed, no other bit), and
//    the thread that releases the last reference. During the teardown no walk runs or can start. The teardown leaves an
//    OPENING node to the thread that has the right to deliver. After a terminal event, the teardown does not set DEAD
//    in that node, because the event waits in its queue.
// 9. *Linear cost.* A chunk is replaced when all of its slots have been used. It is also replaced when at least 32
//    slots have been used and at least three quarters of these are empty. The new chunk has twice the slots that its
//    nodes need, or the minimum. So the cost is amortised over the preceding insertions or removals. Chunks are
//    allocated and freed without L.
// 10. *Finding a slot.* A replacement does not update the nodes, so a node's index is only a hint. If the hint is
//    wrong, the slot is found by the node's number. The nodes are in the order of their numbers, and a large chunk
//    stores the number of each block's first node.
#define CRX_NODE_DEAD 1u
#define CRX_NODE_OPENING 2u
#define CRX_NODE_CUT 4u

#define CRX_STOP_NONE 0u
#define CRX_STOP_TERMINAL 1u
#define CRX_STOP_DISPOSED 2u

/// The minimum number of slots of a chunk, and the size of `first`.
#define CRX_CHUNK_LEAST 4u

static_assert((CRX_NODE_DEAD | CRX_NODE_OPENING | CRX_NODE_CUT) == 7, "three bits");
static_assert(CRX_CHUNK_LEAST >= 2, "a replacement has room for one more");

/// The number of slots in a block of a large chunk (claim 10).
#define CRX_CHUNK_BLOCK 64u

struct crx_node {
    /// The bits DEAD, OPENING and CUT; written under the bag's lock.
    unsigned state;
    // The next three fields must not change after the insertion: they are read without the lock.
    /// The slot at the insertion (a hint, claim 10).
    unsigned index : 30;
    unsigned placed : 1;
    /// Whether the node was counted as a resource.
    unsigned counted : 1;
    /// The client's object, valid until it is passed to `release`. Null for a placed node that is not in use.
    void *_Nullable sink;
    union {
        /// Until the node is cut: the number of nodes inserted before it.
        size_t number;
        /// Afterwards, under the bag's lock: the next node of a list.
        struct crx_node *_Nullable next;
    };
};

struct crx_chunk {
    /// The number of used slots; stored under the bag's lock, with release.
    AO_t count;
    size_t capacity;
    /// The next retired chunk; accessed under the bag's lock.
    struct crx_chunk *_Nullable next;
    /// `capacity` slots. Each contains a node, or null after the node was cut. If there are several blocks,
    /// the `number` of each block's first node follows, accessed under the bag's lock.
    AO_t slots[CRX_CHUNK_LEAST];
};

struct crx_bag {
    /// The current chunk; null after the teardown. Written under `lock`.
    AO_t chunk;
    /// Releases a node's sink. Called once for each node, without a lock.
    void (*_Nonnull release)(void *_Nonnull sink);
    /// The retired nodes; accessed under `lock`.
    struct crx_node *_Nullable retired;
    /// The retired chunks; accessed under `lock`.
    struct crx_chunk *_Nullable retired_chunks;
    /// The lock L.
    struct crx_lock lock;
    /// A CRX_STOP value. Written under `lock`; may be read without it.
    unsigned stop;
    /// Under `lock`: the number of nodes that are not cut.
    unsigned living;
    /// Under `lock`: the number of nodes ever inserted.
    size_t inserted;
    /// Under `lock`: whether the subject has been disposed of.
    bool gone;
    /// Under `lock`: whether `first` is current or retired.
    bool first_in_use;
    /// The chunk of a subject with few observers.
    struct crx_chunk first;
};

/// A gate and its observers. Must not move after its initialisation.
struct crx_subject {
    struct crx_gate gate;
    struct crx_bag bag;
};

static_assert(offsetof(struct crx_subject, gate) == 0, "the gate comes first");
static_assert(sizeof(struct crx_node) == 8 + 2 * sizeof(void *), "the layout is the same in every build");
static_assert(sizeof(struct crx_chunk) == (3 + CRX_CHUNK_LEAST) * sizeof(void *), "slots follow without a hole");

/// Nodes and chunks to free without the lock. No other thread can reach them.
struct crx_debris {
    struct crx_node *_Nullable nodes;
    struct crx_chunk *_Nullable chunks;
};

/// The receivers of one event: the nodes in the first `count` slots.
struct crx_walk {
    struct crx_chunk *_Nullable chunk;
    size_t count;
};

CRX_INLINE struct crx_bag *_Nonnull crx_subject_bag(struct crx_subject *_Nonnull subject) {
    return &subject->bag;
}

void crx_subject_init(struct crx_subject *_Nonnull subject, void (*_Nonnull release)(void *_Nonnull sink));

// MARK: Under the lock L

CRX_INLINE void crx_bag_lock(struct crx_bag *_Nonnull bag) {
    crx_lock_acquire(&bag->lock);
}

CRX_INLINE void crx_bag_unlock(struct crx_bag *_Nonnull bag) {
    crx_lock_release(&bag->lock);
}

/// Replaces the current chunk if that is due (claim 9). Releases the bag's lock while it allocates and frees.
void crx_bag_replace_chunk_locked(struct crx_subject *_Nonnull subject);

CRX_INLINE bool crx_bag_is_gone_locked(const struct crx_bag *_Nonnull bag) {
    return bag->gone;
}

CRX_INLINE unsigned crx_bag_stop_locked(const struct crx_bag *_Nonnull bag) {
    return AO_int_load(&bag->stop);
}

/// Returns `stop`, read without the bag's lock, so the value may be out of date.
CRX_INLINE unsigned crx_bag_stop_acquire(const struct crx_bag *_Nonnull bag) {
    return AO_int_load_acquire(&bag->stop);
}

CRX_INLINE void crx_bag_make_room_locked(struct crx_subject *_Nonnull subject) {
    const struct crx_chunk *chunk = (const struct crx_chunk *)AO_load(&subject->bag.chunk);
    if (CRX_UNLIKELY(chunk != NULL && AO_load(&chunk->count) == chunk->capacity)) {
        crx_bag_replace_chunk_locked(subject);
    }
}

CRX_INLINE void crx_bag_lock_with_room(struct crx_subject *_Nonnull subject) {
    crx_bag_lock(&subject->bag);
    crx_bag_make_room_locked(subject);
}

/// The number of observers, including those that are opening.
CRX_INLINE size_t crx_bag_living_locked(const struct crx_bag *_Nonnull bag) {
    return bag->living;
}

/// Returns the receivers of an event. The caller has held the lock since it stored the event's value (claim 7).
struct crx_walk crx_bag_walk_locked(struct crx_bag *_Nonnull bag);

/// Inserts a node for `sink` (B1). Called under `crx_bag_lock_with_room`, if neither `gone` nor `stop` is set.
/// `opening` sets OPENING. `opener` is the subscribing thread if at most one item is replayed, otherwise 0. `place` is
/// memory for the node in an object that `sink` retains, or null. The node is allocated if `place` is null,
/// `opening` is set, or resources are counted.
struct crx_node *_Nonnull crx_bag_insert_locked(
    struct crx_subject *_Nonnull subject, struct crx_node *_Nullable place, void *_Nonnull sink, uintptr_t opener,
    bool opening);

/// Inserts `place` as the node of `sink` (B1), with neither OPENING nor `counted` set. Acquires the bag's lock. Returns
/// false if the subject has stopped.
bool crx_bag_place(struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull place, void *_Nonnull sink);

/// Sets `stop` for a terminal event and stores the event's receivers in `walk` (B5). Called by the owner, which then
/// unlocks, calls `crx_gate_close`, and delivers to the receivers although the gate is closing. Returns false if `stop`
/// was already set.
bool crx_bag_end_locked(struct crx_bag *_Nonnull bag, struct crx_walk *_Nonnull walk);

/// Marks the subject as disposed (B6). The caller then closes the gate.
void crx_bag_dispose_locked(struct crx_bag *_Nonnull bag);

// MARK: Without the lock L

/// Removes the node if it is still in the bag, and drops the handle's reference (B2). Called once for each node. Any
/// thread may call it, but must retain the memory of a placed node during the call.
void crx_bag_remove(struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull node);

/// Drops the handle's reference to the node. Called instead of `crx_bag_remove` if the bag has already dropped its own
/// reference.
void crx_node_drop(struct crx_node *_Nonnull node);

/// Tears down the subject (B7). Claim 8 names the threads that may call it.
void crx_subject_tear_down(struct crx_subject *_Nonnull subject);

/// Tears down a subject whose last reference is released (B7). Takes no lock if the subject is empty.
CRX_INLINE void crx_subject_free_unshared(struct crx_subject *_Nonnull subject) {
    const struct crx_bag *bag = &subject->bag;
    if (bag->living != 0 || bag->retired != NULL || bag->retired_chunks != NULL ||
        AO_load(&bag->chunk) != (AO_t)&bag->first) {
        crx_subject_tear_down(subject);
    }
}

/// Moves all retired nodes and chunks to `debris`, which is all zero before the first call. If nothing waits, leaves
/// the gate and returns true. Otherwise frees the chunks and some of the nodes. The owner calls this function after
/// `CRX_DRAIN_TIDY`, at depth 0. After the drain, the owner frees the rest of `debris`.
bool crx_subject_tidy_owner(
    struct crx_subject *_Nonnull subject, uintptr_t me, struct crx_debris *_Nonnull debris);

/// Frees nodes and chunks that were taken from a bag, on any thread. Calls the bag's `release`.
void crx_bag_free(struct crx_bag *_Nonnull bag, struct crx_debris debris);

// MARK: The walk (B4), the owner only

CRX_INLINE struct crx_chunk *_Nullable crx_bag_chunk_acquire(const struct crx_bag *_Nonnull bag) {
    return (struct crx_chunk *)AO_load_acquire(&bag->chunk);
}

CRX_INLINE size_t crx_chunk_count_acquire(const struct crx_chunk *_Nonnull chunk) {
    return AO_load_acquire(&chunk->count);
}

/// Returns the node in a slot; null if it was cut. The index must be below the count.
CRX_INLINE struct crx_node *_Nullable crx_chunk_slot_acquire(const struct crx_chunk *_Nonnull chunk, size_t index) {
    const AO_t *slots = chunk->slots;
    return (struct crx_node *)AO_load_acquire(slots + index);
}

/// Returns the node's state. If the state is 0, the caller delivers. Otherwise the caller calls
/// `crx_opening_meet_owner`.
CRX_INLINE unsigned crx_node_state_acquire(const struct crx_node *_Nonnull node) {
    return AO_int_load_acquire(&node->state);
}

CRX_INLINE void *_Nonnull crx_node_sink(const struct crx_node *_Nonnull node) {
    return (void *_Nonnull)node->sink;
}

/// Returns the receivers of an event. Needs the lock only if the event's value is stored for later replays.
CRX_INLINE struct crx_walk crx_bag_walk_acquire(const struct crx_bag *_Nonnull bag) {
    struct crx_chunk *chunk = crx_bag_chunk_acquire(bag);
    struct crx_walk walk = {chunk, chunk ? crx_chunk_count_acquire(chunk) : 0};
    return walk;
}

// MARK: Opening

/// The owner's action for an event at a node with OPENING (O2).
enum crx_meeting {
    /// Deliver the event. Destroy the item, if there is one.
    CRX_MEET_DELIVER,
    /// Skip the node. Destroy the item, if there is one.
    CRX_MEET_SKIP,
    /// The item waits in the node's queue.
    CRX_MEET_QUEUED,
    /// Allocate an item for the event and call again with it.
    CRX_MEET_BRING_ITEM,
};

/// The subscriber's next action (O3).
enum crx_finish {
    /// None: the node now receives events directly from walks, or is dead.
    CRX_FINISH_DONE,
    /// Send an OPEN request through the gate, as an input. If the gate is closed, the thread that removes the request
    /// from the stack runs the request.
    CRX_FINISH_SUBMIT,
};

/// The next action for an OPEN request (O4).
enum crx_opening_step {
    /// Deliver this item, then call again.
    CRX_OPENING_ITEM,
    /// Drop the list of events in `item`. The request is done, and the node may be freed.
    CRX_OPENING_DONE,
};

/// Whether the replay continues (O1).
CRX_INLINE bool crx_opening_goes_on(const struct crx_subject *_Nonnull subject, const struct crx_node *_Nonnull node) {
    return (crx_node_state_acquire(node) & CRX_NODE_DEAD) == 0 &&
        crx_bag_stop_acquire(&subject->bag) != CRX_STOP_DISPOSED;
}

enum crx_meeting crx_opening_meet_owner(
    struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull node, uintptr_t me,
    struct crx_input *_Nullable item);

/// Ends the replay to `node` and returns the subscriber's next action (O3). Called once, after the last item. `dropped`
/// receives a list of events to drop, or null.
enum crx_finish crx_opening_finish(
    struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull node,
    struct crx_input *_Nullable *_Nonnull dropped);

/// `item` receives the event to deliver, the list of events to drop, or null.
enum crx_opening_step crx_opening_next_owner(
    struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull node, uintptr_t me,
    struct crx_input *_Nullable *_Nonnull item);

#ifdef __cplusplus
}
#endif

#endif
