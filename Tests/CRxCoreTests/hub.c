#include "hub.h"

#include <string.h>

struct item {
    struct crx_input input;
    /// The node whose waiting events this item delivers. Null if the item is an event.
    struct crx_node *opens;
    struct event event;
};

_Static_assert(offsetof(struct item, input) == 0, "an input is cast to its item");

static struct crx_input *item_make(struct hub *hub, struct event event) {
    struct item *item = crx_allocate(sizeof *item, "an item");
    item->opens = NULL;
    item->event = event;
    AO_fetch_and_add1(&hub->items_made);
    return &item->input;
}

static struct crx_input *item_make_open(struct hub *hub, struct crx_node *node) {
    struct crx_input *input = item_make(hub, (struct event){0});
    ((struct item *)input)->opens = node;
    return input;
}

static void item_free(struct hub *hub, struct crx_input *input) {
    AO_fetch_and_add1(&hub->items_freed);
    crx_free(input);
}

static void items_free(struct hub *hub, struct crx_input *inputs) {
    while (inputs != NULL) {
        struct crx_input *next = inputs->next;
        item_free(hub, inputs);
        inputs = next;
    }
}

static struct event event_of(struct crx_input *input) {
    return ((struct item *)input)->event;
}

static struct crx_node *opened_by(struct crx_input *input) {
    return ((struct item *)input)->opens;
}

// MARK: Observers

void observer_init(struct observer *observer, struct hub *hub) {
    memset(observer, 0, sizeof *observer);
    observer->hub = hub;
    observer->last_sequence = -1;
    for (int pusher = 0; pusher < PUSHERS_MOST; pusher++) {
        observer->last_number[pusher] = -1;
    }
}

static void observer_release(void *sink) {
    struct observer *observer = sink;
    CHECK(crx_thread_locks_held() == 0);
    CHECK_EQUAL(AO_load(&observer->released), 0);
    CHECK_EQUAL(observer->depth, 0);
    // Read first, because another thread may free the observer once `released` is set.
    void (*goes)(struct observer *) = observer->goes;
    AO_store_release(&observer->released, 1);
    if (goes != NULL) {
        goes(observer);
    }
}

static void observer_deliver(struct observer *observer, const struct event *event) {
    CHECK(crx_thread_locks_held() == 0);
    CHECK_EQUAL(AO_load(&observer->released), 0);
    CHECK(observer->depth == 0 || observer->inside == crx_thread_self());
    observer->inside = crx_thread_self();
    observer->depth++;
    CHECK_EQUAL(observer->ends, 0);
    if (event->kind == EVENT_END) {
        observer->ends++;
    } else {
        observer->received++;
        CHECK(event->number > observer->last_number[event->pusher]);
        observer->last_number[event->pusher] = event->number;
        if (observer->counts_sequence) {
            CHECK(observer->last_sequence < 0 || event->sequence == observer->last_sequence + 1);
            observer->last_sequence = event->sequence;
        }
    }
    if (observer->receive != NULL) {
        observer->receive(observer, event);
    }
    observer->depth--;
}

// MARK: Delivering

/// Delivers the event. If the node is opening, may enqueue the event instead.
static void hub_deliver(struct hub *hub, struct crx_node *node, const struct event *event, uintptr_t me) {
    uintptr_t state = crx_node_state_acquire(node);
    if (state & CRX_NODE_DEAD) {
        return;
    }
    if (state & CRX_NODE_OPENING) {
        enum crx_meeting meeting = crx_opening_meet_owner(&hub->subject, node, me, NULL);
        if (meeting == CRX_MEET_BRING_ITEM) {
            struct crx_input *item = item_make(hub, *event);
            meeting = crx_opening_meet_owner(&hub->subject, node, me, item);
            if (meeting != CRX_MEET_QUEUED) {
                item_free(hub, item);
            }
        }
        if (meeting != CRX_MEET_DELIVER) {
            return;
        }
    }
    observer_deliver(crx_node_sink(node), event);
}

static void hub_walk(struct hub *hub, struct crx_walk walk, const struct event *event, uintptr_t me, bool asks_first) {
    bool ends = event->kind == EVENT_END;
    for (size_t index = 0; index < walk.count; index++) {
        struct crx_node *node = crx_chunk_slot_acquire(walk.chunk, index);
        if (node == NULL) {
            continue;
        }
        if (!ends && asks_first && crx_gate_is_closed_acquire(&hub->subject.gate)) {
            return;
        }
        asks_first = true;
        hub_deliver(hub, node, event, me);
    }
}

static void hub_remember_locked(struct hub *hub, const struct event *event) {
    if (hub->buffered == hub->replays) {
        memmove(hub->buffer, hub->buffer + 1, (size_t)(hub->replays - 1) * sizeof *hub->buffer);
        hub->buffered--;
    }
    hub->buffer[hub->buffered++] = *event;
}

bool hub_mark_ended_owner(struct hub *hub, struct crx_walk *walk) {
    crx_bag_lock(&hub->subject.bag);
    bool ends = crx_bag_end_locked(&hub->subject.bag, walk);
    crx_bag_unlock(&hub->subject.bag);
    if (ends) {
        crx_gate_close(&hub->subject.gate);
    }
    return ends;
}

static void hub_handle(struct hub *hub, struct event event, uintptr_t me, bool asks_first) {
    struct crx_bag *bag = &hub->subject.bag;
    struct crx_walk walk;
    if (event.kind == EVENT_END) {
        if (hub_mark_ended_owner(hub, &walk)) {
            hub_walk(hub, walk, &event, me, true);
        }
        return;
    }
    if (hub->replays == 0) {
        hub_walk(hub, crx_bag_walk_acquire(bag), &event, me, asks_first);
        return;
    }
    crx_bag_lock(bag);
    bool passes = crx_bag_stop_locked(bag) == CRX_STOP_NONE;
    if (passes) {
        event.sequence = hub->sequence++;
        hub_remember_locked(hub, &event);
        walk = crx_bag_walk_locked(bag);
    }
    crx_bag_unlock(bag);
    if (passes) {
        hub_walk(hub, walk, &event, me, asks_first);
    }
}

static void hub_step(struct hub *hub, struct event event, uintptr_t me, bool asks_first) {
    CHECK(hub->step_depth == 0 || hub->stepper == me);
    hub->stepper = me;
    hub->step_depth++;
    hub_handle(hub, event, me, asks_first);
    hub->step_depth--;
}

/// Called by the owner. If the gate is closed, called by the subscriber or by `hub_drop`.
static void hub_open(struct hub *hub, struct crx_node *node, uintptr_t me) {
    struct crx_input *item;
    while (crx_opening_next_owner(&hub->subject, node, me, &item) == CRX_OPENING_ITEM) {
        struct event event = event_of(item);
        item_free(hub, item);
        observer_deliver(crx_node_sink(node), &event);
    }
    items_free(hub, item);
}

static void hub_tear_down(struct hub *hub) {
    CHECK_EQUAL(AO_fetch_and_add1(&hub->torn_down), 0);
    crx_subject_tear_down(&hub->subject);
}

static void hub_drop(struct hub *hub, struct crx_input *inputs, uintptr_t me) {
    while (inputs != NULL) {
        struct crx_input *next = inputs->next;
        struct crx_node *opens = opened_by(inputs);
        item_free(hub, inputs);
        if (opens != NULL) {
            hub_open(hub, opens, me);
        }
        inputs = next;
    }
}

static void hub_drain(struct hub *hub, uintptr_t me) {
    struct crx_input *input;
    struct crx_turn turn = {0};
    struct crx_debris debris = {0};
    bool left = false;
    while (!left) {
        switch (crx_gate_next_owner(&hub->subject.gate, me, &turn, &input)) {
        case CRX_DRAIN_INPUT: {
            struct crx_node *opens = opened_by(input);
            struct event event = event_of(input);
            item_free(hub, input);
            if (opens != NULL) {
                hub_open(hub, opens, me);
            } else {
                hub_step(hub, event, me, true);
            }
            break;
        }
        case CRX_DRAIN_TIDY:
            left = crx_subject_tidy_owner(&hub->subject, me, &debris);
            break;
        case CRX_DRAIN_EXITED:
            left = true;
            break;
        case CRX_DRAIN_CLOSED:
            hub_drop(hub, input, me);
            hub_tear_down(hub);
            left = true;
            break;
        }
    }
    crx_bag_free(&hub->subject.bag, debris);
}

static void hub_enqueue(struct hub *hub, uintptr_t me, struct crx_input *input) {
    struct crx_input *dropped;
    switch (crx_gate_enqueue(&hub->subject.gate, me, input, &dropped)) {
    case CRX_ENQUEUED:
        return;
    case CRX_ENQUEUED_AND_OWNED:
        hub_drain(hub, me);
        return;
    case CRX_ENQUEUE_REFUSED:
        hub_drop(hub, dropped, me);
        return;
    }
}

static void hub_exit(struct hub *hub, uintptr_t me) {
    if (!crx_gate_exit_release_owner(&hub->subject.gate, me)) {
        hub_drain(hub, me);
    }
}

// MARK: Pushing

static void hub_push(struct hub *hub, struct event event) {
    uintptr_t me = crx_thread_self();
    switch (crx_gate_enter_acquire(&hub->subject.gate, me)) {
    case CRX_ENTERED:
        hub_step(hub, event, me, false);
        hub_exit(hub, me);
        return;
    case CRX_NESTED:
        hub_step(hub, event, me, true);
        return;
    case CRX_CONTENDED:
        hub_enqueue(hub, me, item_make(hub, event));
        return;
    case CRX_CLOSED:
        return;
    }
}

void hub_next(struct hub *hub, int pusher, long number) {
    hub_push(hub, (struct event){EVENT_NEXT, pusher, number, 0});
}

void hub_end(struct hub *hub) {
    hub_push(hub, (struct event){EVENT_END, 0, 0, 0});
}

void hub_dispose(struct hub *hub) {
    crx_bag_lock(&hub->subject.bag);
    crx_bag_dispose_locked(&hub->subject.bag);
    crx_bag_unlock(&hub->subject.bag);
    if (crx_gate_close(&hub->subject.gate)) {
        hub_tear_down(hub);
    }
}

// MARK: Observing

static void hub_submit_open(struct hub *hub, struct crx_node *node, uintptr_t me) {
    switch (crx_gate_enter_acquire(&hub->subject.gate, me)) {
    case CRX_ENTERED:
        hub_open(hub, node, me);
        hub_exit(hub, me);
        return;
    case CRX_NESTED:
    case CRX_CLOSED:
        hub_open(hub, node, me);
        return;
    case CRX_CONTENDED:
        hub_enqueue(hub, me, item_make_open(hub, node));
        return;
    }
}

struct crx_node *hub_subscribe(struct hub *hub, struct observer *observer) {
    struct crx_bag *bag = &hub->subject.bag;
    uintptr_t me = crx_thread_self();
    struct event snapshot[REPLAYS_MOST];
    crx_bag_lock_with_room(&hub->subject);
    bool gone = crx_bag_is_gone_locked(bag);
    bool ended = crx_bag_stop_locked(bag) != CRX_STOP_NONE;
    int count = gone ? 0 : hub->buffered;
    memcpy(snapshot, hub->buffer, (size_t)count * sizeof *snapshot);
    struct crx_node *node = NULL;
    if (!gone && !ended) {
        struct crx_node *place = observer->is_placed ? &observer->place : NULL;
        node = crx_bag_insert_locked(&hub->subject, place, observer, count <= 1 ? me : 0, hub->replays > 0);
        observer->node = node;
    }
    crx_bag_unlock(bag);

    for (int index = 0; index < count && (node == NULL || crx_opening_goes_on(&hub->subject, node)); index++) {
        observer_deliver(observer, &snapshot[index]);
    }
    if (node == NULL) {
        observer_deliver(observer, &(struct event){EVENT_END, 0, 0, 0});
    } else if (hub->replays > 0) {
        struct crx_input *dropped;
        enum crx_finish finish = crx_opening_finish(&hub->subject, node, &dropped);
        items_free(hub, dropped);
        if (finish == CRX_FINISH_SUBMIT) {
            hub_submit_open(hub, node, me);
        }
    }
    return node;
}

void hub_remove(struct hub *hub, struct crx_node *node) {
    crx_bag_remove(&hub->subject, node);
}

// MARK: Lifetime

void hub_init(struct hub *hub, int replays) {
    memset(hub, 0, sizeof *hub);
    hub->replays = replays;
    crx_subject_init(&hub->subject, observer_release);
}

void hub_deinit(struct hub *hub) {
    crx_subject_free_unshared(&hub->subject);
    CHECK(hub->subject.bag.retired == NULL);
    CHECK(hub->subject.bag.retired_chunks == NULL);
    CHECK_EQUAL(AO_load(&hub->items_freed), AO_load(&hub->items_made));
    CHECK_EQUAL(crx_thread_locks_held(), 0);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
}
