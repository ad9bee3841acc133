#ifndef CRX_BAG_H
#define CRX_BAG_H

#include "crx_gate.h"
#include "crx_lock.h"

#ifdef __cplusplus
extern "C" {
#endif

// The bag: the observers of a subject, in order of subscription. The subject's gate pins it: only the owner walks.
//
// L is the bag's short lock. Terms: *cut* is out of the present chunk; *retired* is out of reach of later walks, and to
// be freed by the owner; to *free* a node is to release its sink and then to drop the bag's reference to it. A node has
// two references: its handle's (the subscription) and the bag's. A node that is *placed* is not the bag's memory and
// has none: it lies in an object that its sink keeps alive, and that whoever removes it keeps alive meanwhile.
//
// A node's state, written under L, read without it:
//
// | bit | name | set by | cleared by | order |
// |---|---|---|---|---|
// | 0 | DEAD | B2; B7; O3 and O4 when the subject is disposed | never | release, acquire |
// | 1 | OPENING | B1 (O1) | O3, O4, once | release, acquire |
// | 2 | CUT | B2, B7, with DEAD unless it is opening | O3, O4 | under L |
//
// | stop | meaning | set by |
// |---|---|---|
// | 0 | events pass | - |
// | 1 | a terminal event came | B5 |
// | 2 | disposed before any came | B6 |
//
// 1. *Insertion.* An event is seen exactly if the insert came before the walk read the count; if `subscribe` returned
//    before the emit began, it did. The slot is stored before the count, with release, so a thread that reads the count
//    with acquire sees the slot and the node. A slot is used once in a chunk's life, and the count lives in the chunk,
//    so a walk never meets a stranger.
// 2. *No owner seen.* A node is freed at once only after its slot was nulled and an RMW on W then found no owner. The
//    thread that acquires W next synchronises with that RMW and sees the null slot. A mere load would not do: the next
//    owner need not see what came before it.
// 3. *Owner seen.* That RMW left T (G9), so no owner leaves before what is retired has been taken, and it is taken at
//    depth 0, where no walk holds a node. Who takes it waits for L, which the retiring thread holds until the node is
//    linked. T is set under L alone, so an owner that has taken what is retired may leave under L (G5e).
// 4. *Old chunks.* A chunk that was replaced may still be walked, and still points at nodes that are cut from the new
//    one; DEAD, set before any node is freed, hides them, and the memory stays because the walk's owner has not freed
//    it (claim 3). A placed node stays because its sink does, which is released as the node is freed.
// 5. *Removal.* A delivery whose check comes after `crx_bag_remove` returned does not start; one that passed its check
//    may finish. Removing never waits for a delivery and never makes the caller an owner. The sink may live until the
//    owner's next input. Where more have been retired than the owner frees between two inputs, the others live until it
//    has left. It frees those when it is no longer the owner: others may remove faster than it can free, and while
//    there is an owner all of that falls to it.
// 6. *Opening.* OPENING is the exclusive right to deliver to the node, and it pins it: only who holds it retires the
//    node. It belongs to the subscriber, then to the one holder of the OPEN request. While it stands, the walk hands
//    its events over in the node's queue.
// 7. *None lost, none twice.* The snapshot is copied and the node inserted under one hold of L; a step applies its
//    value and reads chunk and count under one hold of L. Each event is therefore either in the snapshot or in the
//    walk, and no sequence numbers are needed.
// 8. *Tearing down.* Only who made W exactly C, or the last reference, tears down; no walk is under way then and none
//    comes. An OPENING node is left to its opener, alive after a terminal event, which still waits in its queue.
// 9. *Linear.* A chunk is replaced when it is full, or when three of four of its slots are empty; the new one has twice
//    as many slots as it is given nodes, or four times as many, so each replacement is paid for by as many insertions
//    or removals. It is allocated, and the old one freed, without L.
// 10. *Finding a slot.* A replacement copies slots and leaves the nodes alone, so a node's index is right only until
//     one before it is gone.
//    Then it is looked for: nodes keep their order, by number, and a large chunk notes the number that each block of
//    slots begins with. First where it is if none is missing between the chunk's first node and this one.
#define CRX_NODE_DEAD 1u
#define CRX_NODE_OPENING 2u
#define CRX_NODE_CUT 4u

#define CRX_STOP_NONE 0u
#define CRX_STOP_TERMINAL 1u
#define CRX_STOP_DISPOSED 2u

/// The fewest slots of a chunk, and as many as a bag has within itself.
#define CRX_CHUNK_LEAST 4u

static_assert((CRX_NODE_DEAD | CRX_NODE_OPENING | CRX_NODE_CUT) == 7, "three bits");
static_assert(CRX_CHUNK_LEAST >= 2, "a replacement has room for one more");

/// How many slots are searched one after the other; a chunk with more has a number for each so many.
#define CRX_CHUNK_BLOCK 64u

/// One observer's place in a bag.
struct crx_node {
    /// DEAD | OPENING | CUT, written under L.
    unsigned state;
    // The others of this word never change, for they are read without L.
    /// The slot that it was given first: a hint.
    unsigned index : 30;
    /// Whether it lies in somebody else's memory, and nobody counts references to it.
    unsigned placed : 1;
    /// Whether it was counted as a resource.
    unsigned counted : 1;
    /// The client's; valid until the bag's release callback has it. Null in a place that has not been taken.
    void *_Nullable sink;
    union {
        /// Until it is cut: how many were inserted before it.
        size_t number;
        /// Under L, once it is cut: the next of a list of retired or collected nodes.
        struct crx_node *_Nullable next;
    };
};

/// Slots in order of subscription, published by a bag.
struct crx_chunk {
    /// How many slots are in use; grows only, under L, with release.
    AO_t count;
    size_t capacity;
    /// Under L: the next retired chunk.
    struct crx_chunk *_Nullable next;
    /// `capacity` of them: nodes, null once cut. Behind them, where there are more than a block: the numbers that
    /// blocks begin with, under L.
    AO_t slots[CRX_CHUNK_LEAST];
};

struct crx_bag {
    /// The present chunk; null after the teardown. Written under L.
    AO_t chunk;
    /// Takes a sink back; called with no lock held, once for each node.
    void (*_Nonnull release)(void *_Nonnull sink);
    /// Under L.
    struct crx_node *_Nullable retired;
    /// Under L.
    struct crx_chunk *_Nullable retired_chunks;
    /// L.
    struct crx_lock lock;
    /// Written under L, may be read without it.
    unsigned stop;
    /// Under L: nodes that are not cut.
    unsigned living;
    /// Under L: how many nodes there ever were.
    size_t inserted;
    /// Under L: disposed, also after a terminal event.
    bool gone;
    /// Under L: whether `first` is published or retired.
    bool first_in_use;
    /// The chunk of a subject with few observers.
    struct crx_chunk first;
};

/// A gate and the observers that it pins. Must be initialised, and must not move afterwards.
struct crx_subject {
    struct crx_gate gate;
    struct crx_bag bag;
};

static_assert(offsetof(struct crx_subject, gate) == 0, "the gate comes first");
static_assert(sizeof(struct crx_node) == 8 + 2 * sizeof(void *), "the layout is the same in every build");
static_assert(sizeof(struct crx_chunk) == (3 + CRX_CHUNK_LEAST) * sizeof(void *), "slots follow without a hole");

/// What has been taken out of a bag and nobody else can reach, to be freed without L.
struct crx_debris {
    struct crx_node *_Nullable nodes;
    struct crx_chunk *_Nullable chunks;
};

/// What one event is delivered to: the slots of `chunk` below `count`.
struct crx_walk {
    struct crx_chunk *_Nullable chunk;
    size_t count;
};

CRX_INLINE struct crx_bag *_Nonnull crx_subject_bag(struct crx_subject *_Nonnull subject) {
    return &subject->bag;
}

/// Makes an empty subject in memory that need not be zeroed.
void crx_subject_init(struct crx_subject *_Nonnull subject, void (*_Nonnull release)(void *_Nonnull sink));

// MARK: L, and what is read and written under it

CRX_INLINE void crx_bag_lock(struct crx_bag *_Nonnull bag) {
    crx_lock_acquire(&bag->lock);
}

CRX_INLINE void crx_bag_unlock(struct crx_bag *_Nonnull bag) {
    crx_lock_release(&bag->lock);
}

/// Replaces a chunk that is full, or nearly empty (claim 9). Gives L up in between, to allocate and to free.
void crx_bag_replace_chunk_locked(struct crx_subject *_Nonnull subject);

CRX_INLINE bool crx_bag_is_gone_locked(const struct crx_bag *_Nonnull bag) {
    return bag->gone;
}

CRX_INLINE unsigned crx_bag_stop_locked(const struct crx_bag *_Nonnull bag) {
    return AO_int_load(&bag->stop);
}

/// `stop`, read without L: what it was at some moment.
CRX_INLINE unsigned crx_bag_stop_acquire(const struct crx_bag *_Nonnull bag) {
    return AO_int_load_acquire(&bag->stop);
}

CRX_INLINE void crx_bag_make_room_locked(struct crx_subject *_Nonnull subject) {
    const struct crx_chunk *chunk = (const struct crx_chunk *)AO_load(&subject->bag.chunk);
    if (CRX_UNLIKELY(chunk != NULL && AO_load(&chunk->count) == chunk->capacity)) {
        crx_bag_replace_chunk_locked(subject);
    }
}

/// L, with room for one node more.
CRX_INLINE void crx_bag_lock_with_room(struct crx_subject *_Nonnull subject) {
    crx_bag_lock(&subject->bag);
    crx_bag_make_room_locked(subject);
}

/// How many observers there are; one that is opening counts.
CRX_INLINE size_t crx_bag_living_locked(const struct crx_bag *_Nonnull bag) {
    return bag->living;
}

/// Chunk and count for an event whose value was applied under the same hold of L (claim 7).
struct crx_walk crx_bag_walk_locked(struct crx_bag *_Nonnull bag);

/// B1, under `crx_bag_lock_with_room`, once the caller has seen that the subject is neither gone nor stopped. With
/// `opening` the node receives through its queue until `crx_opening_finish`; `opener` is the subscribing thread if at
/// most one item is replayed, else 0. `place` is memory for the node, for one insertion, in an object that `sink` keeps
/// alive. It is taken unless the node is opening, or is counted as a resource: then the node is allocated.
struct crx_node *_Nonnull crx_bag_insert_locked(
    struct crx_subject *_Nonnull subject, struct crx_node *_Nullable place, void *_Nonnull sink, uintptr_t opener,
    bool opening);

/// B1 for a node that neither opens nor is counted: it lies in `place` in any case, so that the caller can store that
/// address before. Takes L itself. False, and nothing is done, where the subject has stopped.
bool crx_bag_place(struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull place, void *_Nonnull sink);

/// B5, the owner: marks the terminal event and reads what it goes to. False when `stop` was set already. Then unlock,
/// `crx_gate_close`, and a walk that ignores C.
bool crx_bag_end_locked(struct crx_bag *_Nonnull bag, struct crx_walk *_Nonnull walk);

/// B6: marks the subject as disposed. Then unlock and `crx_gate_close`, whose answer says whether the caller tears
/// down.
void crx_bag_dispose_locked(struct crx_bag *_Nonnull bag);

// MARK: Without L

/// B2, any thread, once for each node: removes it if it is there still, and drops the handle's reference. Whoever calls
/// it keeps a placed node's memory until it has returned.
void crx_bag_remove(struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull node);

/// Drops the handle's reference to a node that its subject has let go. Instead of `crx_bag_remove`.
void crx_node_drop(struct crx_node *_Nonnull node);

/// B7: cuts every node and frees those that are not opening. By the thread that made the gate's word exactly C, or by
/// the last reference.
void crx_subject_tear_down(struct crx_subject *_Nonnull subject);

/// B7, by the last reference. Nobody else can reach the subject, so where nothing is left in it no lock is taken.
CRX_INLINE void crx_subject_free_unshared(struct crx_subject *_Nonnull subject) {
    const struct crx_bag *bag = &subject->bag;
    if (bag->living != 0 || bag->retired != NULL || bag->retired_chunks != NULL ||
        AO_load(&bag->chunk) != (AO_t)&bag->first) {
        crx_subject_tear_down(subject);
    }
}

/// What `CRX_DRAIN_TIDY` asks of a subject, the owner at depth 0: takes what is retired, and frees some of it. What is
/// left is the caller's, who frees it by `crx_bag_free` once it has drained; all zero is none. True where nothing waits
/// and the gate has been left.
bool crx_subject_tidy_owner(
    struct crx_subject *_Nonnull subject, uintptr_t me, struct crx_debris *_Nonnull debris);

/// Frees what was taken from a bag, by any thread; calls its `release`.
void crx_bag_free(struct crx_bag *_Nonnull bag, struct crx_debris debris);

// MARK: The walk (B4), the owner only

CRX_INLINE struct crx_chunk *_Nullable crx_bag_chunk_acquire(const struct crx_bag *_Nonnull bag) {
    return (struct crx_chunk *)AO_load_acquire(&bag->chunk);
}

CRX_INLINE size_t crx_chunk_count_acquire(const struct crx_chunk *_Nonnull chunk) {
    return AO_load_acquire(&chunk->count);
}

/// The node at an index below the count, null when it was cut.
CRX_INLINE struct crx_node *_Nullable crx_chunk_slot_acquire(const struct crx_chunk *_Nonnull chunk, size_t index) {
    const AO_t *slots = chunk->slots;
    return (struct crx_node *)AO_load_acquire(slots + index);
}

/// 0: deliver. With DEAD: skip. With OPENING: `crx_opening_meet_owner`.
CRX_INLINE unsigned crx_node_state_acquire(const struct crx_node *_Nonnull node) {
    return AO_int_load_acquire(&node->state);
}

CRX_INLINE void *_Nonnull crx_node_sink(const struct crx_node *_Nonnull node) {
    return (void *_Nonnull)node->sink;
}

/// Chunk and count for an event that has no value to apply.
CRX_INLINE struct crx_walk crx_bag_walk_acquire(const struct crx_bag *_Nonnull bag) {
    struct crx_chunk *chunk = crx_bag_chunk_acquire(bag);
    struct crx_walk walk = {chunk, chunk ? crx_chunk_count_acquire(chunk) : 0};
    return walk;
}

// MARK: Opening

/// O2, what the walk does at an OPENING node.
enum crx_meeting {
    /// Deliver as to any other; the item, if one was brought, is the caller's to destroy.
    CRX_MEET_DELIVER,
    /// Dead: skip it; the item is the caller's to destroy.
    CRX_MEET_SKIP,
    /// The item waits in the node's queue.
    CRX_MEET_QUEUED,
    /// Make an item and ask again.
    CRX_MEET_BRING_ITEM,
};

/// O3, what the subscriber does after the snapshot.
enum crx_finish {
    /// Nothing: the node receives from the walk now, or is dead.
    CRX_FINISH_DONE,
    /// Send an OPEN request for the node through the gate, as an input of its own. On a closed gate it is run, never
    /// dropped, by the thread that took it.
    CRX_FINISH_SUBMIT,
};

/// O4, what the holder of an OPEN request does next.
enum crx_opening_step {
    /// Deliver this item, then ask again.
    CRX_OPENING_ITEM,
    /// Drop the list; the request is done, and the node may be gone.
    CRX_OPENING_DONE,
};

/// O1, the subscriber before each item of the snapshot: whether it is still wanted.
CRX_INLINE bool crx_opening_goes_on(const struct crx_subject *_Nonnull subject, const struct crx_node *_Nonnull node) {
    return (crx_node_state_acquire(node) & CRX_NODE_DEAD) == 0 &&
        crx_bag_stop_acquire(&subject->bag) != CRX_STOP_DISPOSED;
}

/// O2: asks first without an item, then with one if it is told to bring it.
enum crx_meeting crx_opening_meet_owner(
    struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull node, uintptr_t me,
    struct crx_input *_Nullable item);

/// O3, the subscriber, once, after the snapshot. `dropped` is a list to drop, null when there is none.
enum crx_finish crx_opening_finish(
    struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull node,
    struct crx_input *_Nullable *_Nonnull dropped);

/// O4: what the holder of OPEN does next. `item` is the item to deliver or the list to drop, null when there is none.
enum crx_opening_step crx_opening_next_owner(
    struct crx_subject *_Nonnull subject, struct crx_node *_Nonnull node, uintptr_t me,
    struct crx_input *_Nullable *_Nonnull item);

#ifdef __cplusplus
}
#endif

#endif
