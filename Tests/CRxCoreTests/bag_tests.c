// crx_bag.h defines the operations B1 to B7 and O1 to O4, the lock L and the numbered claims.

#include "hub.h"
#include "tests.h"

#include <string.h>
#include <time.h>

static bool is_released(struct observer *observer) {
    return AO_load_acquire(&observer->released) != 0;
}

static void observers_receive_in_order_of_subscription_across_chunks(void) {
    enum { COUNT = 100 };
    static struct observer observers[COUNT];
    struct hub hub;
    hub_init(&hub, 0);
    for (int index = 0; index < COUNT; index++) {
        observer_init(&observers[index], &hub);
        hub_subscribe(&hub, &observers[index]);
    }
    for (int index = 0; index < COUNT; index += 3) {
        hub_remove(&hub, observers[index].node);
        CHECK(is_released(&observers[index]));
    }
    struct crx_walk walk = crx_bag_walk_acquire(&hub.subject.bag);
    int expected = 0;
    for (size_t index = 0; index < walk.count; index++) {
        struct crx_node *node = crx_chunk_slot_acquire(walk.chunk, index);
        if (node != NULL) {
            expected += expected % 3 == 0;
            CHECK(crx_node_sink(node) == &observers[expected]);
            CHECK_EQUAL(node->index, index);
            expected++;
        }
    }
    CHECK_EQUAL(crx_bag_living_locked(&hub.subject.bag), COUNT - 34);
    hub_next(&hub, 0, 0);
    for (int index = 0; index < COUNT; index++) {
        CHECK_EQUAL(observers[index].received, index % 3 != 0);
        if (index % 3 != 0) {
            hub_remove(&hub, observers[index].node);
        }
    }
    hub_deinit(&hub);
}

/// Chunks take turns: the embedded one serves 4 rounds, and an allocated one the next 16.
static void a_slot_is_used_once_in_a_chunk(void) {
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 0);
    struct crx_chunk *last = NULL;
    size_t last_index = 0;
    for (int round = 0; round < 50; round++) {
        observer_init(&observer, &hub);
        hub_subscribe(&hub, &observer);
        struct crx_chunk *chunk = crx_bag_chunk_acquire(&hub.subject.bag);
        CHECK(chunk != last || observer.node->index > last_index);
        last = chunk;
        last_index = observer.node->index;
        hub_next(&hub, 0, round);
        CHECK_EQUAL(observer.received, 1);
        hub_remove(&hub, observer.node);
        CHECK(is_released(&observer));
        CHECK_EQUAL(chunk->capacity, round % 20 < 4 ? CRX_CHUNK_LEAST : 16);
    }
    hub_deinit(&hub);
}

static void remove_the_next(struct observer *self, const struct event *event) {
    struct observer *next = self + 1;
    (void)event;
    hub_remove(self->hub, next->node);
    // The node is retired, not freed, because the walk still uses it.
    CHECK(!is_released(next));
    CHECK(next->node == self->hub->subject.bag.retired);
}

static void observer_removed_before_its_turn_receives_nothing_and_is_released(void) {
    struct hub hub;
    struct observer observers[3];
    hub_init(&hub, 0);
    for (int index = 0; index < 3; index++) {
        observer_init(&observers[index], &hub);
        hub_subscribe(&hub, &observers[index]);
    }
    observers[0].receive = remove_the_next;
    hub_next(&hub, 0, 0);
    CHECK_EQUAL(observers[1].received, 0);
    CHECK(is_released(&observers[1]));
    CHECK_EQUAL(observers[2].received, 1);
    CHECK_EQUAL(hub.subject.gate.word, 0);
    hub_remove(&hub, observers[0].node);
    hub_remove(&hub, observers[2].node);
    hub_deinit(&hub);
}

enum { LEAVERS = 100 };

static void remove_all_others(struct observer *self, const struct event *event) {
    struct observer *others = self->context;
    (void)event;
    for (int index = 0; index < LEAVERS; index++) {
        hub_remove(self->hub, others[index].node);
    }
}

static int released_of(struct observer *observers) {
    int count = 0;
    for (int index = 0; index < LEAVERS; index++) {
        count += is_released(&observers[index]);
    }
    return count;
}

/// The owner frees 32 nodes, serves the input, leaves the gate, and then frees the other nodes (crx_bag.h, claim 5).
static void owner_with_waiting_input_frees_some_nodes_at_a_time(void) {
    static struct observer leavers[LEAVERS];
    struct hub hub;
    struct observer first;
    struct crx_input input = {0}, *next;
    struct crx_turn turn = {0};
    struct crx_debris debris = {0};
    uintptr_t me = crx_thread_self();
    hub_init(&hub, 0);
    observer_init(&first, &hub);
    hub_subscribe(&hub, &first);
    first.context = leavers;
    for (int index = 0; index < LEAVERS; index++) {
        observer_init(&leavers[index], &hub);
        hub_subscribe(&hub, &leavers[index]);
    }
    struct crx_gate *gate = &hub.subject.gate;
    CHECK_EQUAL(crx_gate_enter_acquire(gate, me), CRX_ENTERED);
    remove_all_others(&first, NULL);
    CHECK_EQUAL(released_of(leavers), 0);
    // Enqueues as another thread would.
    AO_store(&gate->stack, (AO_t)&input);
    AO_or(&gate->word, CRX_GATE_QUEUED);
    gate->waiting = 1;
    CHECK_EQUAL(crx_gate_next_owner(gate, me, &turn, &next), CRX_DRAIN_TIDY);
    CHECK(!crx_subject_tidy_owner(&hub.subject, me, &debris));
    CHECK_EQUAL(released_of(leavers), 32);
    CHECK(debris.chunks == NULL);
    CHECK_EQUAL(crx_gate_next_owner(gate, me, &turn, &next), CRX_DRAIN_INPUT);
    CHECK(next == &input);
    CHECK(crx_gate_tell_owner(gate));
    CHECK_EQUAL(crx_gate_next_owner(gate, me, &turn, &next), CRX_DRAIN_TIDY);
    CHECK(crx_subject_tidy_owner(&hub.subject, me, &debris));
    CHECK_EQUAL(gate->word, 0);
    CHECK_EQUAL(released_of(leavers), 32);
    crx_bag_free(&hub.subject.bag, debris);
    CHECK_EQUAL(released_of(leavers), LEAVERS);
    hub_remove(&hub, first.node);
    hub_deinit(&hub);
}

static void nodes_retired_during_a_tidying_are_freed_with_the_earlier_ones(void) {
    static struct observer leavers[LEAVERS];
    struct hub hub;
    struct crx_input inputs[2] = {{0}}, *next;
    struct crx_turn turn = {0};
    struct crx_debris debris = {0};
    uintptr_t me = crx_thread_self();
    hub_init(&hub, 0);
    for (int index = 0; index < LEAVERS; index++) {
        observer_init(&leavers[index], &hub);
        hub_subscribe(&hub, &leavers[index]);
    }
    struct crx_gate *gate = &hub.subject.gate;
    CHECK_EQUAL(crx_gate_enter_acquire(gate, me), CRX_ENTERED);
    inputs[1].next = &inputs[0];
    AO_store(&gate->stack, (AO_t)&inputs[1]);
    AO_or(&gate->word, CRX_GATE_QUEUED);
    gate->waiting = 2;
    for (int half = 0; half < 2; half++) {
        for (int index = half * LEAVERS / 2; index < (half + 1) * LEAVERS / 2; index++) {
            hub_remove(&hub, leavers[index].node);
        }
        CHECK_EQUAL(crx_gate_next_owner(gate, me, &turn, &next), CRX_DRAIN_TIDY);
        CHECK(!crx_subject_tidy_owner(&hub.subject, me, &debris));
        CHECK_EQUAL(released_of(leavers), (half + 1) * 32);
        CHECK_EQUAL(crx_gate_next_owner(gate, me, &turn, &next), CRX_DRAIN_INPUT);
    }
    CHECK_EQUAL(crx_gate_next_owner(gate, me, &turn, &next), CRX_DRAIN_EXITED);
    crx_bag_free(&hub.subject.bag, debris);
    CHECK_EQUAL(released_of(leavers), LEAVERS);
    hub_deinit(&hub);
}

enum { COMERS = 6 };

/// Removes the next observer, then adds more observers than the embedded chunk has slots.
static void replace_the_next(struct observer *self, const struct event *event) {
    struct observer *comers = self->context;
    if (event->number != 0) {
        return;
    }
    hub_remove(self->hub, (self + 1)->node);
    for (int index = 0; index < COMERS; index++) {
        hub_subscribe(self->hub, &comers[index]);
        if (index < COMERS - 1) {
            hub_remove(self->hub, comers[index].node);
        }
    }
}

static void a_chunk_is_not_used_again_while_it_is_walked(void) {
    struct hub hub;
    struct observer observers[2], comers[COMERS];
    hub_init(&hub, 0);
    for (int index = 0; index < COMERS; index++) {
        observer_init(&comers[index], &hub);
    }
    for (int index = 0; index < 2; index++) {
        observer_init(&observers[index], &hub);
        hub_subscribe(&hub, &observers[index]);
    }
    observers[0].receive = replace_the_next;
    observers[0].context = comers;
    hub_next(&hub, 0, 0);
    CHECK_EQUAL(observers[1].received, 0);
    for (int index = 0; index < COMERS; index++) {
        CHECK_EQUAL(comers[index].received, 0);
        CHECK_EQUAL(is_released(&comers[index]), index < COMERS - 1);
    }
    hub_next(&hub, 0, 1);
    CHECK_EQUAL(observers[0].received, 2);
    CHECK_EQUAL(comers[COMERS - 1].received, 1);
    hub_remove(&hub, observers[0].node);
    hub_remove(&hub, comers[COMERS - 1].node);
    hub_deinit(&hub);
}

/// The embedded chunk serves 4 of every 20 rounds, so it returns twice in 50 rounds.
static void the_chunk_within_the_bag_is_used_again(void) {
    enum { ROUNDS = 50 };
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 0);
    const struct crx_chunk *within = &hub.subject.bag.first, *last = within;
    int returns = 0;
    for (int round = 0; round < ROUNDS; round++) {
        observer_init(&observer, &hub);
        hub_subscribe(&hub, &observer);
        const struct crx_chunk *chunk = crx_bag_chunk_acquire(&hub.subject.bag);
        returns += chunk == within && last != within;
        last = chunk;
        hub_remove(&hub, observer.node);
    }
    CHECK_EQUAL(returns, 2);
    hub_deinit(&hub);
}

static void the_chunk_within_the_bag_is_used_again_after_a_walk(void) {
    struct hub hub;
    struct observer observers[2], comers[COMERS];
    hub_init(&hub, 0);
    for (int index = 0; index < COMERS; index++) {
        observer_init(&comers[index], &hub);
    }
    for (int index = 0; index < 2; index++) {
        observer_init(&observers[index], &hub);
        hub_subscribe(&hub, &observers[index]);
    }
    observers[0].receive = replace_the_next;
    observers[0].context = comers;
    hub_next(&hub, 0, 0);
    const struct crx_chunk *within = &hub.subject.bag.first;
    CHECK(crx_bag_chunk_acquire(&hub.subject.bag) != within);
    bool returns = false;
    for (int round = 0; round < 20; round++) {
        observer_init(&observers[1], &hub);
        hub_subscribe(&hub, &observers[1]);
        returns |= crx_bag_chunk_acquire(&hub.subject.bag) == within;
        hub_remove(&hub, observers[1].node);
    }
    CHECK(returns);
    hub_remove(&hub, observers[0].node);
    hub_remove(&hub, comers[COMERS - 1].node);
    hub_deinit(&hub);
}

enum { NEWCOMERS = 9 };

static void subscribe_newcomers(struct observer *self, const struct event *event) {
    struct observer *newcomers = self->context;
    if (event->number == 0) {
        for (int index = 0; index < NEWCOMERS; index++) {
            observer_init(&newcomers[index], self->hub);
            hub_subscribe(self->hub, &newcomers[index]);
        }
        // The walk still uses the replaced chunk, so the chunk must not be freed yet.
        CHECK(self->hub->subject.bag.retired_chunks != NULL);
    }
}

static void observer_subscribed_during_an_event_receives_the_next_event(void) {
    struct hub hub;
    struct observer observer, newcomers[NEWCOMERS];
    hub_init(&hub, 0);
    observer_init(&observer, &hub);
    observer.receive = subscribe_newcomers;
    observer.context = newcomers;
    hub_subscribe(&hub, &observer);
    hub_next(&hub, 0, 0);
    for (int index = 0; index < NEWCOMERS; index++) {
        CHECK_EQUAL(newcomers[index].received, 0);
    }
    hub_next(&hub, 0, 1);
    for (int index = 0; index < NEWCOMERS; index++) {
        CHECK_EQUAL(newcomers[index].received, 1);
        hub_remove(&hub, newcomers[index].node);
    }
    hub_remove(&hub, observer.node);
    hub_deinit(&hub);
}

static void the_end_comes_once_and_frees_the_observers(void) {
    struct hub hub;
    struct observer observers[6];
    hub_init(&hub, 0);
    for (int index = 0; index < 6; index++) {
        observer_init(&observers[index], &hub);
        hub_subscribe(&hub, &observers[index]);
    }
    hub_end(&hub);
    hub_end(&hub);
    hub_next(&hub, 0, 0);
    CHECK_EQUAL(AO_load(&hub.torn_down), 1);
    CHECK_EQUAL(crx_bag_stop_acquire(&hub.subject.bag), CRX_STOP_TERMINAL);
    CHECK(crx_bag_chunk_acquire(&hub.subject.bag) == NULL);
    for (int index = 0; index < 6; index++) {
        CHECK_EQUAL(observers[index].ends, 1);
        CHECK_EQUAL(observers[index].received, 0);
        CHECK(is_released(&observers[index]));
        hub_remove(&hub, observers[index].node);
    }
    struct observer late;
    observer_init(&late, &hub);
    CHECK(hub_subscribe(&hub, &late) == NULL);
    CHECK_EQUAL(late.ends, 1);
    // After the end, closing the gate must not tear down again.
    hub_dispose(&hub);
    CHECK(crx_bag_is_gone_locked(&hub.subject.bag));
    CHECK_EQUAL(crx_bag_stop_acquire(&hub.subject.bag), CRX_STOP_TERMINAL);
    hub_deinit(&hub);
}

static void second_end_is_refused(void) {
    struct hub hub;
    hub_init(&hub, 0);
    struct crx_bag *bag = &hub.subject.bag;
    struct crx_walk walk = {0}, none = {0};
    crx_bag_lock(bag);
    CHECK(crx_bag_end_locked(bag, &walk));
    CHECK(walk.chunk != NULL);
    CHECK(!crx_bag_end_locked(bag, &none));
    CHECK(none.chunk == NULL);
    crx_bag_unlock(bag);
    hub_deinit(&hub);
}

static void an_end_after_the_disposal_is_refused(void) {
    struct hub hub;
    hub_init(&hub, 0);
    struct crx_bag *bag = &hub.subject.bag;
    struct crx_walk walk = {0};
    crx_bag_lock(bag);
    crx_bag_dispose_locked(bag);
    CHECK(!crx_bag_end_locked(bag, &walk));
    CHECK_EQUAL(crx_bag_stop_acquire(bag), CRX_STOP_DISPOSED);
    crx_bag_unlock(bag);
    hub_deinit(&hub);
}

static int went;

static void check_release_order(struct observer *self) {
    const struct observer *first = self->context;
    CHECK_EQUAL(self - first, went);
    went++;
}

static void teardown_releases_observers_in_order_of_subscription(void) {
    enum { COUNT = 6 };
    struct hub hub;
    struct observer observers[COUNT];
    hub_init(&hub, 0);
    for (int index = 0; index < COUNT; index++) {
        observer_init(&observers[index], &hub);
        observers[index].context = observers;
        observers[index].goes = check_release_order;
        hub_subscribe(&hub, &observers[index]);
    }
    went = 0;
    hub_dispose(&hub);
    CHECK_EQUAL(went, COUNT);
    for (int index = 0; index < COUNT; index++) {
        hub_remove(&hub, observers[index].node);
    }
    hub_deinit(&hub);
}

static void dispose_the_hub(struct observer *self, const struct event *event) {
    (void)event;
    hub_dispose(self->hub);
    CHECK_EQUAL(AO_load(&self->hub->torn_down), 0);
}

static void a_hub_disposed_by_its_observer_stops_the_walk_and_is_torn_down_after_it(void) {
    struct hub hub;
    struct observer observers[2];
    hub_init(&hub, 0);
    for (int index = 0; index < 2; index++) {
        observer_init(&observers[index], &hub);
        hub_subscribe(&hub, &observers[index]);
    }
    observers[0].receive = dispose_the_hub;
    hub_next(&hub, 0, 0);
    CHECK_EQUAL(observers[1].received, 0);
    CHECK_EQUAL(observers[1].ends, 0);
    CHECK_EQUAL(AO_load(&hub.torn_down), 1);
    CHECK_EQUAL(crx_bag_stop_acquire(&hub.subject.bag), CRX_STOP_DISPOSED);
    CHECK_EQUAL(hub.subject.gate.word, CRX_GATE_CLOSED);
    for (int index = 0; index < 2; index++) {
        CHECK(is_released(&observers[index]));
        hub_remove(&hub, observers[index].node);
    }
    hub_deinit(&hub);
}

static void push_two_more(struct observer *self, const struct event *event) {
    if (event->number == 0) {
        hub_next(self->hub, 0, 1);
        CHECK_EQUAL(self->received, 2);
        hub_next(self->hub, 0, 2);
        CHECK_EQUAL(self->received, 3);
    }
}

static void an_event_from_inside_an_observer_is_delivered_at_once(void) {
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 0);
    observer_init(&observer, &hub);
    observer.receive = push_two_more;
    hub_subscribe(&hub, &observer);
    hub_next(&hub, 0, 0);
    CHECK_EQUAL(observer.received, 3);
    hub_remove(&hub, observer.node);
    hub_deinit(&hub);
}

static void a_node_outlives_its_subject_with_its_handle(void) {
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 0);
    observer_init(&observer, &hub);
    struct crx_node *node = hub_subscribe(&hub, &observer);
    hub_deinit(&hub);
    CHECK(is_released(&observer));
    CHECK_EQUAL(crx_node_state_acquire(node), CRX_NODE_DEAD | CRX_NODE_CUT);
    crx_node_drop(node);
}

static void node_is_counted_as_released_exactly_if_counted_as_created(void) {
    bool usual = crx_resources_is_tracing();
    for (int counts = 0; counts < 2; counts++) {
        struct hub hub;
        struct observer observer;
        hub_init(&hub, 0);
        observer_init(&observer, &hub);
        intptr_t before = crx_resources_total();
        crx_resources_set_tracing(counts);
        hub_subscribe(&hub, &observer);
        CHECK_EQUAL(crx_resources_total() - before, counts);
        crx_resources_set_tracing(!counts);
        hub_remove(&hub, observer.node);
        CHECK_EQUAL(crx_resources_total(), before);
        hub_deinit(&hub);
    }
    crx_resources_set_tracing(usual);
}

static void forget_the_place(struct observer *self) {
    memset(&self->place, 0xdd, sizeof self->place);
}

static void placed_node_is_not_accessed_after_its_sink_is_released(void) {
    enum { COUNT = 5 };
    struct hub hub;
    struct observer observers[COUNT];
    hub_init(&hub, 0);
    for (int index = 0; index < COUNT; index++) {
        observer_init(&observers[index], &hub);
        observers[index].is_placed = true;
        observers[index].goes = forget_the_place;
        CHECK(hub_subscribe(&hub, &observers[index]) == &observers[index].place);
    }
    hub_deinit(&hub);
    for (int index = 0; index < COUNT; index++) {
        CHECK(is_released(&observers[index]));
        CHECK_EQUAL(((unsigned char *)&observers[index].place)[0], 0xdd);
    }
}

static void a_node_is_placed_unless_the_subject_has_stopped(void) {
    for (int disposes = 0; disposes <= 1; disposes++) {
        struct hub hub;
        struct observer before, after;
        hub_init(&hub, 0);
        observer_init(&before, &hub);
        observer_init(&after, &hub);
        before.is_placed = after.is_placed = true;
        before.node = &before.place;
        CHECK(crx_bag_place(&hub.subject, &before.place, &before));
        hub_next(&hub, 0, 1);
        CHECK_EQUAL(before.received, 1);
        (disposes ? hub_dispose : hub_end)(&hub);
        CHECK(!crx_bag_place(&hub.subject, &after.place, &after));
        CHECK(!is_released(&after));
        hub_deinit(&hub);
    }
}

static void a_placed_node_outlives_its_subject_with_its_handle(void) {
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 0);
    observer_init(&observer, &hub);
    observer.is_placed = true;
    struct crx_node *node = hub_subscribe(&hub, &observer);
    hub_dispose(&hub);
    CHECK(is_released(&observer));
    CHECK_EQUAL(crx_node_state_acquire(node), CRX_NODE_DEAD | CRX_NODE_CUT);
    hub_remove(&hub, node);
    crx_node_drop(node);
    CHECK_EQUAL(crx_node_state_acquire(node), CRX_NODE_DEAD | CRX_NODE_CUT);
    hub_deinit(&hub);
}

/// A node is a live resource until the bag and the subscriber have both released it.
static void counted_node_has_memory_of_its_own(void) {
    bool usual = crx_resources_is_tracing();
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 0);
    observer_init(&observer, &hub);
    observer.is_placed = true;
    intptr_t before = crx_resources_total();
    crx_resources_set_tracing(true);
    struct crx_node *node = hub_subscribe(&hub, &observer);
    CHECK(node != &observer.place);
    CHECK_EQUAL(crx_resources_total() - before, 1);
    hub_deinit(&hub);
    CHECK_EQUAL(crx_resources_total() - before, 1);
    crx_node_drop(node);
    CHECK_EQUAL(crx_resources_total(), before);
    crx_resources_set_tracing(usual);
}

/// A placed node has no memory for a queue, so an opening node is allocated.
static void opening_node_has_memory_of_its_own(void) {
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 1);
    observer_init(&observer, &hub);
    observer.is_placed = true;
    CHECK(hub_subscribe(&hub, &observer) != &observer.place);
    hub_remove(&hub, observer.node);
    hub_deinit(&hub);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Quadratic work would take minutes.
static void hundred_thousand_observers_are_added_and_removed_in_linear_time(void) {
    enum { COUNT = 100000 };
    static struct observer observers[COUNT];
    struct hub hub;
    double start = seconds();
    hub_init(&hub, 0);
    for (int index = 0; index < COUNT; index++) {
        observer_init(&observers[index], &hub);
        hub_subscribe(&hub, &observers[index]);
    }
    for (int index = 0; index < COUNT - 1; index++) {
        hub_remove(&hub, observers[(index * 7L) % (COUNT - 1)].node);
        if (index % 1000 == 999) {
            hub_next(&hub, 0, index);
        }
    }
    struct crx_walk walk = crx_bag_walk_acquire(&hub.subject.bag);
    CHECK(walk.count < 64);
    CHECK_EQUAL(observers[COUNT - 1].received, 99);
    hub_remove(&hub, observers[COUNT - 1].node);
    hub_deinit(&hub);
    CHECK(seconds() - start < 10);
}

static void a_node_is_found_where_replacements_have_moved_it(void) {
    enum { COUNT = 5000, ROUNDS = 6 };
    static struct observer observers[COUNT];
    unsigned dice = 1;
    long number = 0;
    struct hub hub;
    hub_init(&hub, 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int index = 0; index < COUNT; index++) {
            if (observers[index].node == NULL) {
                observer_init(&observers[index], &hub);
                observers[index].is_placed = index % 2 != 0;
                hub_subscribe(&hub, &observers[index]);
            }
        }
        for (int index = 0; index < COUNT; index++) {
            if ((dice = dice * 1103515245 + 12345) >> 16 & 7) {
                hub_remove(&hub, observers[index].node);
                CHECK(is_released(&observers[index]));
                observers[index].node = NULL;
            }
            if (index % 500 == 499) {
                hub_next(&hub, 0, number++);
            }
        }
        long before[COUNT];
        for (int index = 0; index < COUNT; index++) {
            before[index] = observers[index].received;
        }
        hub_next(&hub, 0, number++);
        for (int index = 0; index < COUNT; index++) {
            CHECK_EQUAL(observers[index].received - before[index], observers[index].node != NULL);
        }
    }
    for (int index = 0; index < COUNT; index++) {
        if (observers[index].node != NULL) {
            hub_remove(&hub, observers[index].node);
        }
    }
    CHECK_EQUAL(crx_bag_living_locked(&hub.subject.bag), 0);
    hub_deinit(&hub);
}

static void last_reference_releases_the_remaining_observers(void) {
    struct hub hub;
    struct observer observer;
    hub_init(&hub, 0);
    observer_init(&observer, &hub);
    hub_subscribe(&hub, &observer);
    crx_subject_free_unshared(&hub.subject);
    CHECK(is_released(&observer));
    hub_remove(&hub, observer.node);
    hub_deinit(&hub);
}

/// A few removals leave the allocated chunk in place until the subject is freed.
static void the_last_reference_frees_a_chunk_of_its_own(void) {
    enum { COUNT = CRX_CHUNK_LEAST + 1 };
    struct hub hub;
    struct observer observers[COUNT];
    hub_init(&hub, 0);
    for (int index = 0; index < COUNT; index++) {
        observer_init(&observers[index], &hub);
        hub_subscribe(&hub, &observers[index]);
    }
    for (int index = 0; index < COUNT; index++) {
        hub_remove(&hub, observers[index].node);
    }
    CHECK(crx_bag_chunk_acquire(&hub.subject.bag) != &hub.subject.bag.first);
    crx_subject_free_unshared(&hub.subject);
    CHECK(crx_bag_chunk_acquire(&hub.subject.bag) == NULL);
    hub_deinit(&hub);
}

void bag_tests(void) {
    RUN(observers_receive_in_order_of_subscription_across_chunks);
    RUN(a_slot_is_used_once_in_a_chunk);
    RUN(observer_removed_before_its_turn_receives_nothing_and_is_released);
    RUN(owner_with_waiting_input_frees_some_nodes_at_a_time);
    RUN(nodes_retired_during_a_tidying_are_freed_with_the_earlier_ones);
    RUN(a_chunk_is_not_used_again_while_it_is_walked);
    RUN(the_chunk_within_the_bag_is_used_again);
    RUN(the_chunk_within_the_bag_is_used_again_after_a_walk);
    RUN(observer_subscribed_during_an_event_receives_the_next_event);
    RUN(the_end_comes_once_and_frees_the_observers);
    RUN(second_end_is_refused);
    RUN(an_end_after_the_disposal_is_refused);
    RUN(teardown_releases_observers_in_order_of_subscription);
    RUN(a_hub_disposed_by_its_observer_stops_the_walk_and_is_torn_down_after_it);
    RUN(an_event_from_inside_an_observer_is_delivered_at_once);
    RUN(last_reference_releases_the_remaining_observers);
    RUN(the_last_reference_frees_a_chunk_of_its_own);
    RUN(a_node_outlives_its_subject_with_its_handle);
    RUN(node_is_counted_as_released_exactly_if_counted_as_created);
    RUN(placed_node_is_not_accessed_after_its_sink_is_released);
    RUN(a_node_is_placed_unless_the_subject_has_stopped);
    RUN(a_placed_node_outlives_its_subject_with_its_handle);
    RUN(counted_node_has_memory_of_its_own);
    RUN(opening_node_has_memory_of_its_own);
    RUN(hundred_thousand_observers_are_added_and_removed_in_linear_time);
    RUN(a_node_is_found_where_replacements_have_moved_it);
}
