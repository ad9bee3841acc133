#define _GNU_SOURCE
#include "crx_bag.h"
#include "crx_lock_fast.h"
#include "crx_memory.h"
#include "crx_resources.h"

#include <string.h>

struct crx_own_node {
    struct crx_node node;
    /// The number of references: initially 2, the handle's and the bag's.
    unsigned references;
};

/// A node inserted with OPENING. The fields after `own` are accessed under the bag's lock.
struct crx_opening {
    struct crx_own_node own;
    /// The thread whose nested events may be delivered to this node at once; 0 if there is none.
    uintptr_t opener;
    /// The events that walks have queued for this node. `last` is valid only while `first` is not null.
    struct crx_input *first;
    struct crx_input *last;
};

_Static_assert(offsetof(struct crx_own_node, node) == 0, "a node that is not placed is cast to its own memory");
_Static_assert(offsetof(struct crx_opening, own) == 0, "a node is cast to its opening");

static struct crx_chunk *crx_bag_chunk_locked(const struct crx_bag *bag) {
    return (struct crx_chunk *)AO_load(&bag->chunk);
}

static AO_t *crx_chunk_slot(struct crx_chunk *chunk, size_t index) {
    AO_t *slots = chunk->slots;
    return slots + index;
}

static struct crx_opening *crx_opening_of(struct crx_node *node) {
    return (struct crx_opening *)node;
}

static unsigned crx_node_state_locked(const struct crx_node *node) {
    return AO_int_load(&node->state);
}

static void crx_node_set_state_locked(struct crx_node *node, unsigned state) {
    AO_int_store_release(&node->state, state);
}

// MARK: Freeing, never under the bag's lock

static void crx_own_node_drop(struct crx_own_node *node) {
    // A thread with the only reference needs no RMW: no other thread can add a reference.
    if (AO_int_load_acquire(&node->references) == 1 || AO_int_fetch_and_sub1_full(&node->references) == 1) {
        if (CRX_UNLIKELY(node->node.counted)) {
            crx_resources_add_full(-1);
        }
        crx_free(node);
    }
}

void crx_node_drop(struct crx_node *node) {
    if (!node->placed) {
        crx_own_node_drop((struct crx_own_node *)node);
    }
}

static size_t crx_chunk_size(size_t capacity) {
    size_t starts = capacity > CRX_CHUNK_BLOCK ? (capacity - 1) / CRX_CHUNK_BLOCK + 1 : 0;
    return offsetof(struct crx_chunk, slots) + (capacity + starts) * sizeof(AO_t);
}

static void crx_chunk_free(struct crx_chunk *chunk) {
    crx_free_array(chunk, crx_chunk_size(chunk->capacity));
}

static void crx_bag_free_nodes(struct crx_bag *bag, struct crx_node *nodes) {
    while (nodes != NULL) {
        struct crx_node *next = nodes->next;
        bool placed = nodes->placed;
        bag->release(crx_node_sink(nodes));
        // Releasing the sink may have freed a placed node.
        if (!placed) {
            crx_own_node_drop((struct crx_own_node *)nodes);
        }
        nodes = next;
    }
}

void crx_bag_free(struct crx_bag *bag, struct crx_debris debris) {
    while (debris.chunks != NULL) {
        struct crx_chunk *next = debris.chunks->next;
        crx_chunk_free(debris.chunks);
        debris.chunks = next;
    }
    crx_bag_free_nodes(bag, debris.nodes);
}

// MARK: Retiring (B3)

/// If the gate has an owner, adds the node to the list that the owner will free. Otherwise adds the node to `debris`.
/// The owner may be notified before the node is in the list, because it reads the list under the bag's lock.
static void crx_bag_retire_node_locked(struct crx_subject *subject, struct crx_node *node, struct crx_debris *debris) {
    struct crx_node **list = crx_gate_tell_owner(&subject->gate) ? &subject->bag.retired : &debris->nodes;
    node->next = *list;
    *list = node;
}

static void crx_bag_retire_chunk_locked(
    struct crx_subject *subject, struct crx_chunk *chunk, struct crx_debris *debris) {
    struct crx_bag *bag = &subject->bag;
    if (crx_gate_tell_owner(&subject->gate)) {
        chunk->next = bag->retired_chunks;
        bag->retired_chunks = chunk;
    } else if (chunk == &bag->first) {
        bag->first_in_use = false;
    } else {
        chunk->next = debris->chunks;
        debris->chunks = chunk;
    }
}

static struct crx_debris crx_bag_take_retired_locked(struct crx_bag *bag) {
    struct crx_debris debris = {bag->retired, NULL};
    bag->retired = NULL;
    while (bag->retired_chunks != NULL) {
        struct crx_chunk *chunk = bag->retired_chunks;
        bag->retired_chunks = chunk->next;
        if (chunk == &bag->first) {
            bag->first_in_use = false;
        } else {
            chunk->next = debris.chunks;
            debris.chunks = chunk;
        }
    }
    return debris;
}

/// The maximum number of nodes that an owner frees between two inputs (crx_bag.h, claim 5).
enum { FREED_AT_A_TIME = 32 };

/// Removes and returns all chunks and at most FREED_AT_A_TIME nodes.
static struct crx_debris crx_debris_take_some(struct crx_debris *debris) {
    struct crx_debris some = *debris;
    struct crx_node **end = &some.nodes;
    for (int count = 0; *end != NULL && count < FREED_AT_A_TIME; count++) {
        end = &(*end)->next;
    }
    debris->nodes = *end;
    debris->chunks = NULL;
    *end = NULL;
    return some;
}

/// Adds `more` to `debris`, which contains no chunks.
static void crx_debris_add(struct crx_debris *debris, struct crx_debris more) {
    struct crx_node *rest = debris->nodes;
    *debris = more;
    if (rest != NULL) {
        struct crx_node **end = &debris->nodes;
        while (*end != NULL) {
            end = &(*end)->next;
        }
        *end = rest;
    }
}

bool crx_subject_tidy_owner(struct crx_subject *subject, uintptr_t me, struct crx_debris *debris) {
    crx_bag_lock(&subject->bag);
    struct crx_debris taken = crx_bag_take_retired_locked(&subject->bag);
    bool left = crx_gate_exit_tidied_owner(&subject->gate, me);
    crx_bag_unlock(&subject->bag);
    crx_debris_add(debris, taken);
    if (!left) {
        crx_bag_free(&subject->bag, crx_debris_take_some(debris));
    }
    return left;
}

// MARK: Chunks

static size_t *crx_chunk_starts(struct crx_chunk *chunk) {
    return (size_t *)crx_chunk_slot(chunk, chunk->capacity);
}

static bool crx_chunk_has_starts(const struct crx_chunk *chunk) {
    return chunk->capacity > CRX_CHUNK_BLOCK;
}

static struct crx_chunk *crx_chunk_make(size_t capacity) {
    struct crx_chunk *chunk = crx_allocate_array(crx_chunk_size(capacity), "the observers of a subject");
    chunk->capacity = capacity;
    return chunk;
}

/// Returns the slot of a node that is in the current chunk (crx_bag.h, claim 10).
static AO_t *crx_bag_find_locked(const struct crx_bag *bag, const struct crx_node *node) {
    struct crx_chunk *chunk = crx_bag_chunk_locked(bag);
    size_t count = AO_load(&chunk->count), index = 0;
    if (node->index < count && AO_load(crx_chunk_slot(chunk, node->index)) == (AO_t)node) {
        return crx_chunk_slot(chunk, node->index);
    }
    if (crx_chunk_has_starts(chunk)) {
        const size_t *starts = crx_chunk_starts(chunk);
        // `behind` is the node's index, unless a node between the chunk's first node and this one was removed before
        // the chunk was published.
        size_t behind = node->number - starts[0];
        if (behind < count && AO_load(crx_chunk_slot(chunk, behind)) == (AO_t)node) {
            return crx_chunk_slot(chunk, behind);
        }
        // Otherwise, find the last block whose first node comes before this node or is this node. Search from there.
        size_t low = 0, high = (count - 1) / CRX_CHUNK_BLOCK + 1;
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (starts[middle] <= node->number) {
                low = middle;
            } else {
                high = middle;
            }
        }
        index = low * CRX_CHUNK_BLOCK;
    }
    while (AO_load(crx_chunk_slot(chunk, index)) != (AO_t)node) {
        index++;
    }
    return crx_chunk_slot(chunk, index);
}

static void crx_chunk_append_locked(struct crx_chunk *chunk, size_t index, struct crx_node *node) {
    if (index % CRX_CHUNK_BLOCK == 0 && crx_chunk_has_starts(chunk)) {
        crx_chunk_starts(chunk)[index / CRX_CHUNK_BLOCK] = node->number;
    }
    AO_store_release(crx_chunk_slot(chunk, index), (AO_t)node);
}

enum { CHUNK_LEAST_ALLOCATED = 16 };

/// A chunk with fewer used slots than this is replaced only when it is full: skipping its empty slots costs less.
enum { CHUNK_WORTH_SHRINKING = 32 };

static bool crx_bag_is_sparse_locked(const struct crx_bag *bag) {
    size_t count = AO_load(&crx_bag_chunk_locked(bag)->count);
    return count >= CHUNK_WORTH_SHRINKING && bag->living <= count / 4;
}

/// Returns the number of slots that the next chunk needs, or 0 if no replacement is due (crx_bag.h, claim 9). If the
/// result is CRX_CHUNK_LEAST, the next chunk is the bag's own chunk, `first`.
static size_t crx_bag_capacity_due_locked(const struct crx_bag *bag) {
    const struct crx_chunk *chunk = crx_bag_chunk_locked(bag);
    if (chunk == NULL || (AO_load(&chunk->count) < chunk->capacity && !crx_bag_is_sparse_locked(bag))) {
        return 0;
    }
    size_t capacity = bag->living * 2;
    size_t least = bag->first_in_use ? CHUNK_LEAST_ALLOCATED : CRX_CHUNK_LEAST;
    return capacity < least ? least : capacity;
}

/// Copies the nodes to `chunk`, publishes `chunk` and retires the old chunk. There may be millions of nodes, so only
/// the first node of each block is dereferenced.
static void crx_bag_publish_chunk_locked(
    struct crx_subject *subject, struct crx_chunk *chunk, struct crx_debris *debris) {
    struct crx_bag *bag = &subject->bag;
    struct crx_chunk *old = crx_bag_chunk_locked(bag);
    size_t kept = 0;
    for (size_t index = 0, count = AO_load(&old->count); index < count; index++) {
        struct crx_node *node = (struct crx_node *)AO_load(crx_chunk_slot(old, index));
        if (node != NULL) {
            crx_chunk_append_locked(chunk, kept++, node);
        }
    }
    AO_store(&chunk->count, kept);
    AO_store_release(&bag->chunk, (AO_t)chunk);
    crx_bag_retire_chunk_locked(subject, old, debris);
}

void crx_bag_replace_chunk_locked(struct crx_subject *subject) {
    struct crx_bag *bag = &subject->bag;
    for (size_t capacity; (capacity = crx_bag_capacity_due_locked(bag)) != 0;) {
        struct crx_debris debris = {NULL, NULL};
        if (capacity == CRX_CHUNK_LEAST) {
            bag->first_in_use = true;
            crx_bag_publish_chunk_locked(subject, &bag->first, &debris);
            crx_bag_unlock(bag);
        } else {
            crx_bag_unlock(bag);
            struct crx_chunk *chunk = crx_chunk_make(capacity);
            crx_bag_lock(bag);
            // Other threads may have changed the bag while it was unlocked.
            if (crx_bag_capacity_due_locked(bag) != 0 && bag->living < capacity) {
                crx_bag_publish_chunk_locked(subject, chunk, &debris);
                chunk = NULL;
            }
            crx_bag_unlock(bag);
            if (chunk != NULL) {
                crx_chunk_free(chunk);
            }
        }
        crx_bag_free(bag, debris);
        crx_bag_lock(bag);
    }
}

// MARK: Inserting, removing (B1, B2)

void crx_subject_init(struct crx_subject *subject, void (*release)(void *)) {
    memset(subject, 0, sizeof *subject);
    struct crx_bag *bag = &subject->bag;
    bag->release = release;
    bag->first.capacity = CRX_CHUNK_LEAST;
    bag->first_in_use = true;
    AO_store(&bag->chunk, (AO_t)&bag->first);
}

static struct crx_node *crx_node_allocate(bool opening, bool counted) {
    struct crx_own_node *own = crx_allocate(opening ? sizeof(struct crx_opening) : sizeof(struct crx_own_node),
        "an observer of a subject");
    own->references = 2;
    own->node.placed = false;
    own->node.counted = counted;
    if (CRX_UNLIKELY(counted)) {
        crx_resources_add_full(1);
    }
    return &own->node;
}

CRX_INLINE void crx_bag_append_locked(struct crx_bag *bag, struct crx_node *node, void *sink, unsigned state) {
    struct crx_chunk *chunk = crx_bag_chunk_locked(bag);
    AO_t count = AO_load(&chunk->count);
    node->index = (unsigned)count;
    AO_int_store(&node->state, state);
    node->sink = sink;
    node->number = bag->inserted++;
    bag->living++;
    crx_chunk_append_locked(chunk, count, node);
    AO_store_release(&chunk->count, count + 1);
}

CRX_INLINE void crx_bag_place_locked(struct crx_bag *bag, struct crx_node *place, void *sink) {
    place->placed = true;
    place->counted = false;
    crx_bag_append_locked(bag, place, sink, 0);
}

bool crx_bag_place(struct crx_subject *subject, struct crx_node *place, void *sink) {
    struct crx_bag *bag = &subject->bag;
    crx_lock_acquire_fast(&bag->lock);
    crx_bag_make_room_locked(subject);
    bool has_stopped = crx_bag_stop_locked(bag) != CRX_STOP_NONE;
    if (!has_stopped) {
        crx_bag_place_locked(bag, place, sink);
    }
    crx_lock_release_fast(&bag->lock);
    return !has_stopped;
}

struct crx_node *crx_bag_insert_locked(
    struct crx_subject *subject, struct crx_node *place, void *sink, uintptr_t opener, bool opening) {
    bool counted = crx_resources_is_tracing();
    if (place != NULL && !opening && !counted) {
        crx_bag_place_locked(&subject->bag, place, sink);
        return place;
    }
    struct crx_node *node = crx_node_allocate(opening, counted);
    if (opening) {
        crx_opening_of(node)->opener = opener;
        crx_opening_of(node)->first = NULL;
    }
    crx_bag_append_locked(&subject->bag, node, sink, opening ? CRX_NODE_OPENING : 0);
    return node;
}

void crx_bag_remove(struct crx_subject *subject, struct crx_node *node) {
    struct crx_bag *bag = &subject->bag;
    struct crx_debris debris = {NULL, NULL};
    crx_lock_acquire_fast(&bag->lock);
    unsigned state = crx_node_state_locked(node);
    if ((state & CRX_NODE_DEAD) == 0) {
        crx_node_set_state_locked(node, state | CRX_NODE_DEAD | CRX_NODE_CUT);
        if ((state & CRX_NODE_CUT) == 0) {
            bag->living--;
            AO_store(crx_bag_find_locked(bag, node), 0);
            if ((state & CRX_NODE_OPENING) == 0) {
                crx_bag_retire_node_locked(subject, node, &debris);
            }
            if (crx_bag_is_sparse_locked(bag)) {
                crx_bag_replace_chunk_locked(subject);
            }
        }
    }
    crx_lock_release_fast(&bag->lock);
    crx_bag_free(bag, debris);
    crx_node_drop(node);
}

// MARK: Ending, disposing, tearing down (B5, B6, B7)

struct crx_walk crx_bag_walk_locked(struct crx_bag *bag) {
    return crx_bag_walk_acquire(bag);
}

bool crx_bag_end_locked(struct crx_bag *bag, struct crx_walk *walk) {
    if (crx_bag_stop_locked(bag) != CRX_STOP_NONE) {
        return false;
    }
    AO_int_store_release(&bag->stop, CRX_STOP_TERMINAL);
    *walk = crx_bag_walk_locked(bag);
    return true;
}

void crx_bag_dispose_locked(struct crx_bag *bag) {
    bag->gone = true;
    if (crx_bag_stop_locked(bag) == CRX_STOP_NONE) {
        AO_int_store_release(&bag->stop, CRX_STOP_DISPOSED);
    }
}

/// Cuts all nodes. Returns those that are not OPENING, in order.
static struct crx_node *crx_bag_cut_all_locked(struct crx_bag *bag, struct crx_chunk *chunk) {
    bool disposed = crx_bag_stop_locked(bag) == CRX_STOP_DISPOSED;
    struct crx_node *collected = NULL;
    for (size_t index = AO_load(&chunk->count); index-- > 0;) {
        struct crx_node *node = (struct crx_node *)AO_load(crx_chunk_slot(chunk, index));
        if (node == NULL) {
            continue;
        }
        unsigned state = crx_node_state_locked(node);
        bool opening = (state & CRX_NODE_OPENING) != 0;
        unsigned dead = !opening || disposed ? CRX_NODE_DEAD : 0;
        crx_node_set_state_locked(node, state | CRX_NODE_CUT | dead);
        if (!opening) {
            node->next = collected;
            collected = node;
        }
    }
    bag->living = 0;
    return collected;
}

void crx_subject_tear_down(struct crx_subject *subject) {
    struct crx_bag *bag = &subject->bag;
    crx_bag_lock(bag);
    struct crx_debris debris = crx_bag_take_retired_locked(bag);
    struct crx_chunk *chunk = crx_bag_chunk_locked(bag);
    struct crx_node *collected = chunk ? crx_bag_cut_all_locked(bag, chunk) : NULL;
    AO_store_release(&bag->chunk, 0);
    crx_bag_unlock(bag);
    crx_bag_free(bag, debris);
    crx_bag_free_nodes(bag, collected);
    if (chunk != NULL && chunk != &bag->first) {
        crx_chunk_free(chunk);
    }
}

// MARK: Opening

static void crx_opening_append_locked(struct crx_opening *opening, struct crx_input *item) {
    item->next = NULL;
    if (opening->first == NULL) {
        opening->first = item;
    } else {
        opening->last->next = item;
    }
    opening->last = item;
}

static struct crx_input *crx_opening_take_queue_locked(struct crx_opening *opening) {
    struct crx_input *items = opening->first;
    opening->first = NULL;
    return items;
}

enum crx_meeting crx_opening_meet_owner(
    struct crx_subject *subject, struct crx_node *node, uintptr_t me, struct crx_input *item) {
    struct crx_opening *opening = crx_opening_of(node);
    enum crx_meeting meeting = CRX_MEET_DELIVER;
    crx_bag_lock(&subject->bag);
    unsigned state = crx_node_state_locked(node);
    if (state & CRX_NODE_DEAD) {
        meeting = CRX_MEET_SKIP;
    } else if ((state & CRX_NODE_OPENING) != 0 && (opening->opener != me || opening->first != NULL)) {
        meeting = item ? CRX_MEET_QUEUED : CRX_MEET_BRING_ITEM;
        if (item != NULL) {
            CRX_EXPLORE_ENQUEUES();
            crx_opening_append_locked(opening, item);
        }
    }
    crx_bag_unlock(&subject->bag);
    return meeting;
}

/// Returns false if the node is alive and events wait in its queue. Otherwise gives up the right to deliver, and
/// retires the node if it is cut.
static bool crx_opening_ends_locked(
    struct crx_subject *subject, struct crx_node *node, struct crx_input **dropped, struct crx_debris *debris) {
    unsigned state = crx_node_state_locked(node);
    bool disposed = crx_bag_stop_locked(&subject->bag) == CRX_STOP_DISPOSED;
    bool dead = (state & CRX_NODE_DEAD) != 0 || disposed;
    if (!dead && crx_opening_of(node)->first != NULL) {
        return false;
    }
    *dropped = crx_opening_take_queue_locked(crx_opening_of(node));
    // Neither a removal nor the teardown retires a node with OPENING.
    bool cut = (state & CRX_NODE_CUT) != 0;
    crx_node_set_state_locked(node, dead || cut ? CRX_NODE_DEAD : 0);
    if (cut) {
        crx_bag_retire_node_locked(subject, node, debris);
    }
    return true;
}

enum crx_finish crx_opening_finish(struct crx_subject *subject, struct crx_node *node, struct crx_input **dropped) {
    struct crx_debris debris = {NULL, NULL};
    *dropped = NULL;
    crx_bag_lock(&subject->bag);
    crx_opening_of(node)->opener = 0;
    bool ends = crx_opening_ends_locked(subject, node, dropped, &debris);
    crx_bag_unlock(&subject->bag);
    crx_bag_free(&subject->bag, debris);
    return ends ? CRX_FINISH_DONE : CRX_FINISH_SUBMIT;
}

enum crx_opening_step crx_opening_next_owner(
    struct crx_subject *subject, struct crx_node *node, uintptr_t me, struct crx_input **item) {
    struct crx_opening *opening = crx_opening_of(node);
    struct crx_debris debris = {NULL, NULL};
    *item = NULL;
    crx_bag_lock(&subject->bag);
    opening->opener = 0;
    bool ends = crx_opening_ends_locked(subject, node, item, &debris);
    if (!ends) {
        opening->opener = me;
        *item = opening->first;
        opening->first = opening->first->next;
        (*item)->next = NULL;
    }
    crx_bag_unlock(&subject->bag);
    crx_bag_free(&subject->bag, debris);
    return ends ? CRX_OPENING_DONE : CRX_OPENING_ITEM;
}
