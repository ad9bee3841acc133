// The opening: the replay for a new observer. crx_bag.h defines the operations O1 to O4.

#include "hub.h"
#include "tests.h"

static bool is_released(struct observer *observer) {
    return AO_load_acquire(&observer->released) != 0;
}

static struct crx_node *insert(struct hub *hub, struct observer *observer, uintptr_t opener) {
    observer_init(observer, hub);
    crx_bag_lock_with_room(&hub->subject);
    struct crx_node *node = crx_bag_insert_locked(&hub->subject, &observer->place, observer, opener, true);
    crx_bag_unlock(&hub->subject.bag);
    return node;
}

/// Operation O2, called first without an item and then with one.
static void meeting_with_each_node_returns_its_result(void) {
    enum { DEAD = 1, MINE = 2, WAITING = 4 };
    uintptr_t me = crx_thread_self();
    for (int row = 0; row < 8; row++) {
        struct hub hub;
        struct observer observer;
        struct crx_input waits = {0}, item = {0}, *left;
        hub_init(&hub, 1);
        struct crx_node *node = insert(&hub, &observer, 0);
        if (row & WAITING) {
            CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, &waits), CRX_MEET_QUEUED);
        }
        if (row & MINE) {
            // This thread is the opener. An opener delivers its own event at once, unless another event waits in the
            // node's queue.
            struct crx_node *own = insert(&hub, &observer, me);
            if (row & WAITING) {
                CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, own, me + 16, &item), CRX_MEET_QUEUED);
            }
            enum crx_meeting expected = row & WAITING ? CRX_MEET_BRING_ITEM : CRX_MEET_DELIVER;
            CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, own, me, NULL), expected);
            CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, own, me + 16, NULL), CRX_MEET_BRING_ITEM);
            crx_bag_remove(&hub.subject, own);
            CHECK_EQUAL(crx_opening_finish(&hub.subject, own, &left), CRX_FINISH_DONE);
            CHECK(left == (row & WAITING ? &item : NULL));
            observer_init(&observer, &hub);
        }
        CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, NULL), CRX_MEET_BRING_ITEM);
        if (row & DEAD) {
            crx_bag_remove(&hub.subject, node);
            CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, NULL), CRX_MEET_SKIP);
            CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, &item), CRX_MEET_SKIP);
        }
        CHECK(crx_opening_goes_on(&hub.subject, node) == !(row & DEAD));
        if (!(row & DEAD)) {
            crx_bag_remove(&hub.subject, node);
        }
        CHECK(!is_released(&observer));
        CHECK_EQUAL(crx_opening_finish(&hub.subject, node, &left), CRX_FINISH_DONE);
        CHECK(left == (row & WAITING ? &waits : NULL));
        CHECK(is_released(&observer));
        hub_deinit(&hub);
    }
}

/// The opening ends after the call without an item. The call with an item must not enqueue the item, because no thread
/// would deliver it.
static void event_is_delivered_if_the_opening_ends_between_two_calls(void) {
    uintptr_t me = crx_thread_self();
    struct hub hub;
    struct observer observer;
    struct crx_input item = {0}, *left;
    hub_init(&hub, 1);
    struct crx_node *node = insert(&hub, &observer, 0);
    CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, NULL), CRX_MEET_BRING_ITEM);
    CHECK_EQUAL(crx_opening_finish(&hub.subject, node, &left), CRX_FINISH_DONE);
    CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, NULL), CRX_MEET_DELIVER);
    CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, &item), CRX_MEET_DELIVER);
    crx_bag_remove(&hub.subject, node);
    CHECK(is_released(&observer));
    hub_deinit(&hub);
}

/// Operation O3.
static void finishing_with_each_node_returns_its_result(void) {
    enum { REMOVED = 1, WAITING = 2 };
    const enum { ALIVE, ENDED, DISPOSED } subjects[] = {ALIVE, ENDED, DISPOSED};
    for (int subject = 0; subject < 3; subject++) {
        for (int row = 0; row < 4; row++) {
            struct hub hub;
            struct observer observer;
            struct crx_input waits = {0}, *left = NULL;
            hub_init(&hub, 1);
            struct crx_node *node = insert(&hub, &observer, 0);
            if (row & WAITING) {
                CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, crx_thread_self(), &waits), CRX_MEET_QUEUED);
            }
            if (row & REMOVED) {
                crx_bag_remove(&hub.subject, node);
            }
            if (subjects[subject] == DISPOSED) {
                hub_dispose(&hub);
            } else if (subjects[subject] == ENDED) {
                struct crx_walk walk;
                CHECK(hub_mark_ended_owner(&hub, &walk));
                CHECK_EQUAL(walk.count, 1);
                crx_subject_tear_down(&hub.subject);
            }
            CHECK(!is_released(&observer));
            bool dead = row & REMOVED || subjects[subject] == DISPOSED;
            bool submits = row & WAITING && !dead;
            CHECK_EQUAL(crx_opening_finish(&hub.subject, node, &left), submits ? CRX_FINISH_SUBMIT : CRX_FINISH_DONE);
            CHECK(left == (row & WAITING && dead ? &waits : NULL));
            CHECK_EQUAL(is_released(&observer), !submits && (dead || subjects[subject] == ENDED));
            if (submits) {
                CHECK_EQUAL(crx_opening_next_owner(&hub.subject, node, crx_thread_self(), &left), CRX_OPENING_ITEM);
                CHECK(left == &waits);
                CHECK_EQUAL(crx_opening_next_owner(&hub.subject, node, crx_thread_self(), &left), CRX_OPENING_DONE);
                CHECK(left == NULL);
                CHECK_EQUAL(is_released(&observer), subjects[subject] == ENDED);
            }
            if (!(row & REMOVED)) {
                crx_bag_remove(&hub.subject, node);
            }
            CHECK(is_released(&observer));
            hub_deinit(&hub);
        }
    }
}

/// The thread that delivers the waiting events becomes the opener.
static void thread_that_delivers_waiting_events_receives_its_own_nested(void) {
    uintptr_t me = crx_thread_self();
    struct hub hub;
    struct observer observer;
    struct crx_input waits[2] = {{0}}, late = {0}, *item;
    hub_init(&hub, 1);
    struct crx_node *node = insert(&hub, &observer, 0);
    for (int index = 0; index < 2; index++) {
        CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, &waits[index]), CRX_MEET_QUEUED);
    }
    CHECK_EQUAL(crx_opening_finish(&hub.subject, node, &item), CRX_FINISH_SUBMIT);
    CHECK_EQUAL(crx_opening_next_owner(&hub.subject, node, me, &item), CRX_OPENING_ITEM);
    CHECK(item == &waits[0] && item->next == NULL);
    CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, NULL), CRX_MEET_BRING_ITEM);
    CHECK_EQUAL(crx_opening_next_owner(&hub.subject, node, me, &item), CRX_OPENING_ITEM);
    CHECK(item == &waits[1]);
    CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, NULL), CRX_MEET_DELIVER);
    CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me + 16, &late), CRX_MEET_QUEUED);
    CHECK_EQUAL(crx_opening_next_owner(&hub.subject, node, me, &item), CRX_OPENING_ITEM);
    CHECK(item == &late);
    CHECK_EQUAL(crx_opening_next_owner(&hub.subject, node, me, &item), CRX_OPENING_DONE);
    CHECK(item == NULL);
    CHECK_EQUAL(crx_node_state_acquire(node), 0);
    crx_bag_remove(&hub.subject, node);
    hub_deinit(&hub);
}

/// The opening finishes after the disposal. The gate still has an owner then, so the teardown comes later.
static void observer_opened_after_the_disposal_is_skipped(void) {
    for (int waits = 0; waits < 2; waits++) {
        uintptr_t me = crx_thread_self();
        struct hub hub;
        struct observer observer;
        struct crx_input item = {0}, *left;
        hub_init(&hub, 1);
        struct crx_node *node = insert(&hub, &observer, 0);
        CHECK_EQUAL(crx_gate_enter_acquire(&hub.subject.gate, me), CRX_ENTERED);
        if (waits) {
            CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, &item), CRX_MEET_QUEUED);
        }
        crx_bag_lock(&hub.subject.bag);
        crx_bag_dispose_locked(&hub.subject.bag);
        crx_bag_unlock(&hub.subject.bag);
        CHECK_EQUAL(crx_opening_finish(&hub.subject, node, &left), CRX_FINISH_DONE);
        CHECK(left == (waits ? &item : NULL));
        CHECK_EQUAL(crx_node_state_acquire(node), CRX_NODE_DEAD);
        CHECK_EQUAL(crx_opening_meet_owner(&hub.subject, node, me, NULL), CRX_MEET_SKIP);
        CHECK(!crx_opening_goes_on(&hub.subject, node));
        CHECK(!is_released(&observer));
        CHECK(crx_gate_exit_release_owner(&hub.subject.gate, me));
        crx_subject_tear_down(&hub.subject);
        CHECK(is_released(&observer));
        crx_bag_remove(&hub.subject, node);
        hub_deinit(&hub);
    }
}

static void a_new_observer_receives_what_is_remembered_and_what_comes_after(void) {
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 3);
    for (int number = 0; number < 5; number++) {
        hub_next(&hub, 0, number);
    }
    observer_init(&observer, &hub);
    observer.counts_sequence = true;
    hub_subscribe(&hub, &observer);
    CHECK_EQUAL(observer.received, 3);
    CHECK_EQUAL(crx_node_state_acquire(observer.node), 0);
    hub_next(&hub, 0, 5);
    CHECK_EQUAL(observer.received, 4);
    CHECK_EQUAL(observer.last_sequence, 5);
    hub_remove(&hub, observer.node);
    hub_deinit(&hub);
}

static void push_one_more(struct observer *self, const struct event *event) {
    if (event->number == 0) {
        hub_next(self->hub, 0, 100);
        // With one replayed item, the thread delivers its own event at once. With several items, the event waits.
        CHECK_EQUAL(self->received, self->hub->replays == 1 ? 2 : 1);
    }
}

static void an_event_from_inside_a_replay_keeps_the_order(void) {
    for (int replays = 1; replays <= 2; replays++) {
        struct hub hub;
        struct observer observer;
        hub_init(&hub, replays);
        for (int number = 0; number < replays; number++) {
            hub_next(&hub, 0, number);
        }
        observer_init(&observer, &hub);
        observer.receive = push_one_more;
        observer.counts_sequence = true;
        hub_subscribe(&hub, &observer);
        CHECK_EQUAL(observer.received, replays + 1);
        CHECK_EQUAL(observer.last_number[0], 100);
        hub_remove(&hub, observer.node);
        hub_deinit(&hub);
    }
}

static void end_the_hub(struct observer *self, const struct event *event) {
    if (event->kind == EVENT_NEXT && event->sequence == 0) {
        hub_end(self->hub);
    }
}

static void an_end_from_inside_a_replay_comes_after_it(void) {
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 3);
    for (int number = 0; number < 3; number++) {
        hub_next(&hub, 0, number);
    }
    observer_init(&observer, &hub);
    observer.receive = end_the_hub;
    observer.counts_sequence = true;
    hub_subscribe(&hub, &observer);
    CHECK_EQUAL(observer.received, 3);
    CHECK_EQUAL(observer.ends, 1);
    CHECK(is_released(&observer));
    hub_remove(&hub, observer.node);
    struct observer late;
    observer_init(&late, &hub);
    CHECK(hub_subscribe(&hub, &late) == NULL);
    CHECK_EQUAL(late.received, 3);
    CHECK_EQUAL(late.ends, 1);
    hub_deinit(&hub);
}

static void remove_oneself(struct observer *self, const struct event *event) {
    (void)event;
    hub_remove(self->hub, self->node);
    CHECK(!is_released(self));
}

static void dispose_everything(struct observer *self, const struct event *event) {
    (void)event;
    hub_dispose(self->hub);
    CHECK(!is_released(self));
}

static void a_replay_ends_with_its_observer_or_its_subject(void) {
    void (*const ways[])(struct observer *, const struct event *) = {remove_oneself, dispose_everything};
    for (int way = 0; way < 2; way++) {
        struct hub hub;
        struct observer observer;
        hub_init(&hub, 3);
        for (int number = 0; number < 3; number++) {
            hub_next(&hub, 0, number);
        }
        observer_init(&observer, &hub);
        observer.receive = ways[way];
        hub_subscribe(&hub, &observer);
        CHECK_EQUAL(observer.received, 1);
        CHECK_EQUAL(observer.ends, 0);
        CHECK(is_released(&observer));
        if (way == 1) {
            hub_remove(&hub, observer.node);
        }
        hub_deinit(&hub);
    }
}

static void push_and_dispose(struct observer *self, const struct event *event) {
    if (event->number == 0) {
        hub_next(self->hub, 0, 100);
        hub_dispose(self->hub);
    }
}

static void subscribe_the_other(struct observer *self, const struct event *event) {
    if (event->number == 1) {
        hub_subscribe(self->hub, self->context);
    }
}

// The disposal happens during a delivery, so the teardown has not yet marked the observer as dead.
static void events_waiting_behind_a_replay_are_dropped_with_the_subject(void) {
    struct hub hub;
    struct observer outer, inner;
    hub_init(&hub, 2);
    observer_init(&outer, &hub);
    observer_init(&inner, &hub);
    outer.receive = subscribe_the_other;
    outer.context = &inner;
    inner.receive = push_and_dispose;
    hub_subscribe(&hub, &outer);
    for (int number = 0; number < 2; number++) {
        hub_next(&hub, 0, number);
    }
    CHECK_EQUAL(outer.received, 3);
    CHECK_EQUAL(inner.received, 1);
    CHECK_EQUAL(AO_load(&hub.items_made), 1);
    CHECK_EQUAL(AO_load(&hub.torn_down), 1);
    CHECK(is_released(&inner));
    hub_remove(&hub, outer.node);
    hub_remove(&hub, inner.node);
    hub_deinit(&hub);
}

void opening_tests(void) {
    RUN(meeting_with_each_node_returns_its_result);
    RUN(event_is_delivered_if_the_opening_ends_between_two_calls);
    RUN(finishing_with_each_node_returns_its_result);
    RUN(thread_that_delivers_waiting_events_receives_its_own_nested);
    RUN(observer_opened_after_the_disposal_is_skipped);
    RUN(a_new_observer_receives_what_is_remembered_and_what_comes_after);
    RUN(an_event_from_inside_a_replay_keeps_the_order);
    RUN(an_end_from_inside_a_replay_comes_after_it);
    RUN(a_replay_ends_with_its_observer_or_its_subject);
    RUN(events_waiting_behind_a_replay_are_dropped_with_the_subject);
}
