// Compares a subject with a model: a list of its observers in order of subscription. Each observer must receive the
// events of the model: from a walk, from a snapshot, or from its queue while it is opening (crx_bag.h). The input also
// adds and removes observers during a walk. It ends, disposes of and tears down the subject. One real thread runs all
// simulated threads, and may switch between them after any call.

#define _GNU_SOURCE
#include "CRxCore.h"
#include "fuzz.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The clock stands still, so no owner offers the gate; gate.c covers offers.
static int fuzz_clock(clockid_t clock, struct timespec *moment) {
    (void)clock;
    *moment = (struct timespec){1, 0};
    return 0;
}

#define clock_gettime fuzz_clock
#include "crx_gate.c"

enum { THREADS = 3, OBSERVERS = 200, EVENTS = 48, FRAMES = 10, REPLAYS_MOST = 3 };

static struct crx_subject subject;
static struct crx_thread records[THREADS];
static long items;

struct item {
    struct crx_input input;
    unsigned event;
    struct observer *opens;
};

struct observer {
    struct crx_node *node;
    /// Every second observer uses this memory for `node`, unless the node is opening. The memory is overwritten when
    /// the node is no longer in use.
    struct crx_node place;
    /// `is_held`: the subscription has not been disposed of. `is_removing`: its disposal is in progress.
    bool is_held, is_removing;
    bool is_dead;
    bool is_cut;
    bool is_released;
    bool is_opening;
    /// The thread that may deliver nested events to the opening observer; -1 for none.
    int opener;
    /// The events that wait for the observer, including the end.
    unsigned queue[EVENTS + 1], queued, taken;
    unsigned snapshot[REPLAYS_MOST], replays, replayed;
    bool heard[EVENTS];
    unsigned hears, was_sent;
};

static struct observer observers[OBSERVERS];
static unsigned made;
/// The model: the observers whose nodes are in the bag, in order of subscription.
static struct observer *living[OBSERVERS];
static unsigned count;
static unsigned events;
static unsigned buffer[REPLAYS_MOST], buffered, buffers;
static unsigned stop;
static bool is_gone, is_closed, is_torn_down;

enum kind { BASE, DRAIN, WALK, SNAPSHOT, OPENING, DROP };

struct frame {
    enum kind kind;
    bool is_outside;
    union {
        struct {
            struct crx_turn turn;
            struct crx_debris debris;
        };
        struct observer *observer;
        struct {
            struct crx_walk walk;
            size_t index;
            unsigned event;
            bool ends, asks;
            /// The observers that were alive when the step began. Those that are still alive must receive the event.
            struct observer **expected;
            unsigned all, at;
        };
        struct {
            struct crx_input *list;
            bool tears_down;
        };
    };
};

static struct thread {
    struct frame frames[FRAMES];
    int depth;
} threads[THREADS];

static uintptr_t identity(int id) {
    return (uintptr_t)&records[id];
}

static struct frame *push_frame(int id, enum kind kind) {
    struct thread *thread = &threads[id];
    CHECK(thread->depth < FRAMES);
    struct frame *frame = &thread->frames[thread->depth++];
    memset(frame, 0, sizeof *frame);
    frame->kind = kind;
    return frame;
}

static struct frame *top_frame(int id) {
    struct thread *thread = &threads[id];
    return thread->depth > 0 ? &thread->frames[thread->depth - 1] : NULL;
}

/// Whether the thread runs user code and has room for more frames.
static bool may_call(int id) {
    const struct frame *frame = top_frame(id);
    return frame == NULL || (frame->is_outside && threads[id].depth <= FRAMES - 4);
}

// MARK: Items

static struct crx_input *item_make(unsigned event, struct observer *opens) {
    struct item *item = malloc(sizeof *item);
    item->event = event;
    item->opens = opens;
    items++;
    return &item->input;
}

static void item_free(struct crx_input *input) {
    items--;
    free(input);
}

static void queue_freed(struct observer *observer, struct crx_input *list) {
    for (unsigned index = observer->taken; index < observer->queued; index++) {
        CHECK(list != NULL);
        struct crx_input *next = list->next;
        CHECK_EQUAL(((struct item *)list)->event, observer->queue[index]);
        item_free(list);
        list = next;
    }
    CHECK(list == NULL);
    observer->taken = observer->queued;
}

// MARK: Observers

static void released(void *sink) {
    struct observer *observer = sink;
    CHECK_EQUAL(crx_thread_locks_held(), 0);
    CHECK(!observer->is_released);
    CHECK(observer->is_dead && observer->is_cut && !observer->is_opening);
    observer->is_released = true;
    if (!observer->is_held && !observer->is_removing) {
        memset(&observer->place, 0xdd, sizeof observer->place);
    }
}

static void deliver(struct frame *frame, struct observer *observer, unsigned event, bool ends) {
    CHECK(!observer->is_released);
    CHECK(!observer->is_dead);
    if (!ends) {
        CHECK(!observer->heard[event]);
        observer->heard[event] = true;
        observer->hears++;
    }
    frame->is_outside = true;
}

static void cut(struct observer *observer) {
    if (observer->is_cut) {
        return;
    }
    observer->is_cut = true;
    for (unsigned index = 0; index < count; index++) {
        if (living[index] == observer) {
            count--;
            memmove(living + index, living + index + 1, (count - index) * sizeof *living);
            return;
        }
    }
    CHECK(false);
}

static void tear_down(void) {
    for (unsigned index = 0; index < count; index++) {
        living[index]->is_cut = true;
        living[index]->is_dead |= !living[index]->is_opening || stop == CRX_STOP_DISPOSED;
    }
    count = 0;
    is_torn_down = true;
    crx_subject_tear_down(&subject);
    for (unsigned index = 0; index < made; index++) {
        CHECK(observers[index].is_released || observers[index].is_opening);
    }
}

// MARK: Steps

static void begin_walk(int id, unsigned event, bool ends, bool asks, struct crx_walk walk) {
    struct frame *frame = push_frame(id, WALK);
    frame->walk = walk;
    frame->event = event;
    frame->ends = ends;
    frame->asks = asks;
    frame->all = count;
    frame->expected = malloc((count + 1) * sizeof *frame->expected);
    memcpy(frame->expected, living, count * sizeof *living);
    for (unsigned index = 0; index < count && !ends; index++) {
        living[index]->was_sent++;
    }
}

/// Delivers an event as the gate's owner. If `event` is EVENTS, delivers the end.
static void step(int id, unsigned event, bool asks) {
    struct crx_bag *bag = &subject.bag;
    struct crx_walk walk;
    if (event == EVENTS) {
        crx_bag_lock(bag);
        bool ends = crx_bag_end_locked(bag, &walk);
        crx_bag_unlock(bag);
        CHECK_EQUAL(ends, stop == CRX_STOP_NONE);
        if (ends) {
            stop = CRX_STOP_TERMINAL;
            CHECK(!crx_gate_close(&subject.gate));
            is_closed = true;
            begin_walk(id, event, true, true, walk);
        }
        return;
    }
    crx_bag_lock(bag);
    bool passes = crx_bag_stop_locked(bag) == CRX_STOP_NONE;
    CHECK_EQUAL(passes, stop == CRX_STOP_NONE);
    if (passes && buffers > 0) {
        if (buffered == buffers) {
            memmove(buffer, buffer + 1, (buffers - 1) * sizeof *buffer);
            buffered--;
        }
        buffer[buffered++] = event;
    }
    walk = crx_bag_walk_locked(bag);
    crx_bag_unlock(bag);
    if (passes) {
        begin_walk(id, event, false, asks, walk);
    }
}

static void enqueue(int id, struct crx_input *input) {
    struct crx_input *list;
    switch (crx_gate_enqueue(&subject.gate, identity(id), input, &list)) {
    case CRX_ENQUEUED: break;
    case CRX_ENQUEUED_AND_OWNED: push_frame(id, DRAIN); break;
    case CRX_ENQUEUE_REFUSED: push_frame(id, DROP)->list = list; break;
    }
}

static void send(int id, unsigned event) {
    switch (crx_gate_enter_acquire(&subject.gate, identity(id))) {
    case CRX_ENTERED:
        push_frame(id, BASE);
        step(id, event, false);
        break;
    case CRX_NESTED: step(id, event, true); break;
    case CRX_CONTENDED: enqueue(id, item_make(event, NULL)); break;
    case CRX_CLOSED: CHECK(is_closed); break;
    }
}

static void open(int id, struct observer *observer) {
    push_frame(id, OPENING)->observer = observer;
}

/// Offers an event to an opening observer. Returns true if the event was queued. Otherwise the caller delivers it.
static bool meet(int id, struct observer *observer, unsigned event) {
    bool queues = observer->is_opening && (observer->opener != id || observer->queued > observer->taken);
    enum crx_meeting meeting = crx_opening_meet_owner(&subject, observer->node, identity(id), NULL);
    CHECK_EQUAL(meeting, queues ? CRX_MEET_BRING_ITEM : CRX_MEET_DELIVER);
    if (queues) {
        struct crx_input *item = item_make(event, NULL);
        CHECK_EQUAL(crx_opening_meet_owner(&subject, observer->node, identity(id), item), CRX_MEET_QUEUED);
        observer->queue[observer->queued++] = event;
    }
    return queues;
}

static void end_walk(int id, struct frame *frame) {
    free(frame->expected);
    threads[id].depth--;
}

static void go_on_walking(int id, struct frame *frame) {
    while (frame->index < frame->walk.count) {
        struct crx_node *node = crx_chunk_slot_acquire(frame->walk.chunk, frame->index++);
        if (node == NULL) {
            continue;
        }
        if (!frame->ends && frame->asks) {
            CHECK_EQUAL(crx_gate_is_closed_acquire(&subject.gate), is_closed);
            if (is_closed) {
                end_walk(id, frame);
                return;
            }
        }
        frame->asks = true;
        uintptr_t state = crx_node_state_acquire(node);
        if (state & CRX_NODE_DEAD) {
            continue;
        }
        struct observer *observer = crx_node_sink(node);
        while (frame->at < frame->all && frame->expected[frame->at]->is_dead) {
            frame->at++;
        }
        CHECK(frame->at < frame->all);
        CHECK(frame->expected[frame->at++] == observer);
        CHECK_EQUAL((state & CRX_NODE_OPENING) != 0, observer->is_opening);
        if (observer->is_opening && meet(id, observer, frame->event)) {
            continue;
        }
        deliver(frame, observer, frame->event, frame->ends);
        return;
    }
    for (; frame->at < frame->all; frame->at++) {
        CHECK(frame->expected[frame->at]->is_dead);
    }
    end_walk(id, frame);
}

/// The checks that O3 and O4 of `crx_bag.h` share. Returns true if the opening ends.
static bool opening_ends(struct observer *observer) {
    bool dead = observer->is_dead || stop == CRX_STOP_DISPOSED;
    if (!dead && observer->queued > observer->taken) {
        return false;
    }
    observer->is_dead |= dead || observer->is_cut;
    observer->is_opening = false;
    return true;
}

static void go_on_replaying(int id, struct frame *frame) {
    struct observer *observer = frame->observer;
    bool wanted = !observer->is_dead && stop != CRX_STOP_DISPOSED;
    if (observer->replayed < observer->replays) {
        CHECK_EQUAL(crx_opening_goes_on(&subject, observer->node), wanted);
        if (wanted) {
            deliver(frame, observer, observer->snapshot[observer->replayed++], false);
            return;
        }
    }
    threads[id].depth--;
    observer->opener = -1;
    bool ends = opening_ends(observer);
    struct crx_input *list;
    CHECK_EQUAL(crx_opening_finish(&subject, observer->node, &list), ends ? CRX_FINISH_DONE : CRX_FINISH_SUBMIT);
    if (ends) {
        queue_freed(observer, list);
        return;
    }
    CHECK(list == NULL);
    switch (crx_gate_enter_acquire(&subject.gate, identity(id))) {
    case CRX_ENTERED:
        push_frame(id, BASE);
        open(id, observer);
        break;
    case CRX_NESTED:
    case CRX_CLOSED: open(id, observer); break;
    case CRX_CONTENDED: enqueue(id, item_make(0, observer)); break;
    }
}

static void go_on_opening(int id, struct frame *frame) {
    struct observer *observer = frame->observer;
    struct crx_input *item;
    bool ends = opening_ends(observer);
    enum crx_opening_step done = crx_opening_next_owner(&subject, observer->node, identity(id), &item);
    CHECK_EQUAL(done, ends ? CRX_OPENING_DONE : CRX_OPENING_ITEM);
    if (ends) {
        queue_freed(observer, item);
        threads[id].depth--;
        return;
    }
    observer->opener = id;
    unsigned event = observer->queue[observer->taken++];
    CHECK_EQUAL(((struct item *)item)->event, event);
    item_free(item);
    deliver(frame, observer, event, event == EVENTS);
}

static void end_drain(int id, struct frame *frame) {
    struct crx_debris debris = frame->debris;
    threads[id].depth--;
    crx_bag_free(&subject.bag, debris);
}

static void go_on_draining(int id, struct frame *frame) {
    struct crx_input *input;
    switch (crx_gate_next_owner(&subject.gate, identity(id), &frame->turn, &input)) {
    case CRX_DRAIN_INPUT: {
        struct item item = *(struct item *)input;
        item_free(input);
        if (item.opens != NULL) {
            open(id, item.opens);
        } else {
            step(id, item.event, true);
        }
        break;
    }
    case CRX_DRAIN_TIDY:
        if (crx_subject_tidy_owner(&subject, identity(id), &frame->debris)) {
            end_drain(id, frame);
        }
        break;
    case CRX_DRAIN_EXITED: end_drain(id, frame); break;
    case CRX_DRAIN_CLOSED:
        end_drain(id, frame);
        frame = push_frame(id, DROP);
        frame->list = input;
        frame->tears_down = true;
    }
}

static void go_on_dropping(int id, struct frame *frame) {
    struct crx_input *input = frame->list;
    if (input == NULL) {
        bool tears_down = frame->tears_down;
        threads[id].depth--;
        if (tears_down) {
            tear_down();
        }
        return;
    }
    frame->list = input->next;
    struct observer *opens = ((struct item *)input)->opens;
    item_free(input);
    if (opens != NULL) {
        open(id, opens);
    }
}

static void go_on(int id) {
    struct frame *frame = top_frame(id);
    if (frame == NULL) {
        return;
    }
    frame->is_outside = false;
    switch (frame->kind) {
    case BASE:
        threads[id].depth--;
        if (!crx_gate_exit_release_owner(&subject.gate, identity(id))) {
            push_frame(id, DRAIN);
        }
        break;
    case DRAIN: go_on_draining(id, frame); break;
    case WALK: go_on_walking(id, frame); break;
    case SNAPSHOT: go_on_replaying(id, frame); break;
    case OPENING: go_on_opening(id, frame); break;
    case DROP: go_on_dropping(id, frame); break;
    }
}

// MARK: Calls of users

static void subscribe(int id) {
    if (made == OBSERVERS || !may_call(id)) {
        return;
    }
    crx_bag_lock_with_room(&subject);
    CHECK_EQUAL(crx_bag_is_gone_locked(&subject.bag), is_gone);
    CHECK_EQUAL(crx_bag_stop_locked(&subject.bag), stop);
    if (is_gone || stop != CRX_STOP_NONE) {
        crx_bag_unlock(&subject.bag);
        return;
    }
    struct observer *observer = &observers[made++];
    memset(observer, 0, sizeof *observer);
    observer->replays = buffered;
    memcpy(observer->snapshot, buffer, buffered * sizeof *buffer);
    observer->was_sent = buffered;
    observer->is_held = true;
    observer->is_opening = buffers > 0;
    observer->opener = buffered <= 1 ? id : -1;
    observer->node = crx_bag_insert_locked(&subject, made % 2 ? &observer->place : NULL, observer,
        observer->opener < 0 ? 0 : identity(id), observer->is_opening);
    living[count++] = observer;
    crx_bag_unlock(&subject.bag);
    if (observer->is_opening) {
        push_frame(id, SNAPSHOT)->observer = observer;
    }
}

static void unsubscribe(int id, struct observer *observer) {
    if (!observer->is_held || !may_call(id)) {
        return;
    }
    observer->is_held = false;
    // If the subject's disposal has made the node dead, the node keeps its slot until the teardown.
    if (!observer->is_dead) {
        observer->is_dead = true;
        cut(observer);
    }
    observer->is_removing = true;
    crx_bag_remove(&subject, observer->node);
    observer->is_removing = false;
    if (observer->is_released) {
        memset(&observer->place, 0xdd, sizeof observer->place);
    }
}

static void dispose(int id) {
    if (!may_call(id)) {
        return;
    }
    crx_bag_lock(&subject.bag);
    crx_bag_dispose_locked(&subject.bag);
    crx_bag_unlock(&subject.bag);
    is_gone = true;
    stop = stop == CRX_STOP_NONE ? CRX_STOP_DISPOSED : stop;
    bool was_closed = is_closed;
    is_closed = true;
    if (crx_gate_close(&subject.gate)) {
        CHECK(!was_closed);
        tear_down();
    }
}

static void bag_agrees(void) {
    struct crx_bag *bag = &subject.bag;
    crx_bag_lock(bag);
    CHECK_EQUAL(crx_bag_living_locked(bag), count);
    CHECK_EQUAL(crx_bag_stop_locked(bag), stop);
    const struct crx_chunk *chunk = crx_bag_chunk_acquire(bag);
    CHECK_EQUAL(chunk == NULL, is_torn_down);
    unsigned at = 0;
    size_t slots = chunk ? crx_chunk_count_acquire(chunk) : 0;
    for (size_t index = 0; index < slots; index++) {
        const struct crx_node *node = crx_chunk_slot_acquire(chunk, index);
        if (node != NULL) {
            CHECK(at < count);
            const struct observer *observer = living[at++];
            CHECK(crx_node_sink(node) == observer);
            CHECK_EQUAL(crx_node_state_acquire(node), (observer->is_opening ? CRX_NODE_OPENING : 0) |
                (observer->is_dead ? CRX_NODE_DEAD : 0));
        }
    }
    CHECK_EQUAL(at, count);
    // From 32 used slots on, a removal replaces a chunk if at most a quarter of the slots have a node (crx_bag.h, claim
    // 9). An insertion does not, so a chunk with fewer than 48 used slots may still be that empty.
    CHECK(slots < 48 || count * 4 > slots);
    CHECK(chunk == NULL || chunk->capacity <= 16 || chunk->capacity <= made * (size_t)2);
    crx_bag_unlock(bag);
    CHECK_EQUAL(crx_thread_locks_held(), 0);
}

static void operate(struct bytes *bytes) {
    unsigned byte = bytes_take(bytes);
    int id = (int)(byte % THREADS);
    switch (byte / THREADS % 16) {
    case 0:
    case 1: subscribe(id); break;
    case 2:
        for (unsigned left = bytes_take(bytes); left > 0; left--) {
            subscribe(id);
            while (buffers > 0 && top_frame(id) != NULL && top_frame(id)->kind == SNAPSHOT &&
                threads[id].depth > FRAMES - 5) {
                go_on(id);
            }
        }
        break;
    case 3:
    case 4: {
        unsigned which = bytes_take(bytes) | bytes_take(bytes) << 8;
        if (made > 0) {
            unsubscribe(id, &observers[which % made]);
        }
        break;
    }
    case 5: {
        // Removes all observers, or all except every n-th, so that chunks shrink.
        unsigned spare = bytes_take(bytes);
        for (unsigned index = 0; index < made; index++) {
            if (spare == 0 || index % (spare % 16 + 2) != 0) {
                unsubscribe(id, &observers[index]);
            }
        }
        break;
    }
    case 6:
    case 7:
    case 8:
        if (may_call(id) && events < EVENTS) {
            send(id, events++);
        }
        break;
    case 9:
        if (bytes_below(bytes, 4) == 0 && may_call(id)) {
            send(id, EVENTS);
        }
        break;
    case 10:
        if (bytes_below(bytes, 8) == 0) {
            dispose(id);
        }
        break;
    case 11: {
        unsigned left = bytes_take(bytes);
        for (; left > 0; left--) {
            go_on(id);
        }
        break;
    }
    default: go_on(id);
    }
    bag_agrees();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, data + size};
    memset(records, 0, sizeof records);
    memset(threads, 0, sizeof threads);
    made = count = events = buffered = stop = 0;
    is_gone = is_closed = is_torn_down = false;
    buffers = bytes_below(&bytes, REPLAYS_MOST + 1);
    crx_subject_init(&subject, released);
    while (bytes_left(&bytes)) {
        operate(&bytes);
    }
    // Each thread finishes its calls. The owner also handles the other threads' inputs.
    for (int rounds = 0; rounds < THREADS * 2; rounds++) {
        for (int id = 0; id < THREADS; id++) {
            while (threads[id].depth > 0) {
                go_on(id);
            }
        }
    }
    bag_agrees();
    if (!is_closed) {
        for (unsigned index = 0; index < count; index++) {
            CHECK(!living[index]->is_opening);
            CHECK_EQUAL(living[index]->hears, living[index]->was_sent);
        }
        dispose(0);
    }
    CHECK(is_torn_down);
    for (unsigned index = 0; index < made; index++) {
        CHECK(observers[index].is_released);
        if (observers[index].is_held) {
            crx_node_drop(observers[index].node);
        }
    }
    CHECK_EQUAL(items, 0);
    for (int id = 0; id < THREADS; id++) {
        CHECK_EQUAL(records[id].gates, 0);
    }
    return 0;
}
