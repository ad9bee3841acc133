#include "hub.h"
#include "tests.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

// Stress tests with exact counts. Most fields of hub.h are not atomic, so that ThreadSanitizer finds races. The last
// user of a `struct visitor` or `struct reader` frees it, so that AddressSanitizer finds a later use.

static double scale = 1;

static int times(int count) {
    int scaled = (int)(count * scale);
    return scaled > 0 ? scaled : 1;
}

// MARK: Threads

enum { CREW_MOST = 8 };

struct crew {
    void (*work)(int index, void *context);
    void *context;
    int count;
    AO_t arrived;
};

struct member {
    struct crew *crew;
    int index;
};

/// All threads of a crew begin together, because the relevant races last only a few instructions.
static void *member_work(void *argument) {
    struct member *member = argument;
    struct crew *crew = member->crew;
    AO_fetch_and_add_full(&crew->arrived, 1);
    while (AO_load_acquire(&crew->arrived) < (AO_t)crew->count) {
        sched_yield();
    }
    crew->work(member->index, crew->context);
    CHECK_EQUAL(crx_thread_locks_held(), 0);
    CHECK_EQUAL(crx_thread_gates_owned(), 0);
    return NULL;
}

static void run_crew(int count, void (*work)(int, void *), void *context) {
    struct crew crew = {work, context, count, 0};
    struct member members[CREW_MOST];
    pthread_t threads[CREW_MOST];
    for (int index = 0; index < count; index++) {
        members[index] = (struct member){&crew, index};
        CHECK(pthread_create(&threads[index], NULL, member_work, &members[index]) == 0);
    }
    for (int index = 0; index < count; index++) {
        CHECK(pthread_join(threads[index], NULL) == 0);
    }
}

static unsigned roll(unsigned *state, unsigned sides) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % sides;
}

static void spend_random_time(unsigned *state, unsigned most) {
    for (volatile unsigned left = roll(state, most + 1); left > 0; left--) {
    }
    if (roll(state, 8) == 0) {
        sched_yield();
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void await_at_least(const AO_t *word, AO_t least) {
    double end = seconds() + 60;
    while (AO_load_acquire(word) < least) {
        CHECK(seconds() < end);
        sched_yield();
    }
}

/// The longest gap between two deliveries shows how long the system stopped the owner. Used by the owner.
struct pauses {
    double last;
    double longest;
};

static void note_delivery(struct pauses *pauses) {
    double now = seconds();
    double pause = pauses->last > 0 ? now - pauses->last : 0;
    pauses->longest = pause > pauses->longest ? pause : pauses->longest;
    pauses->last = now;
}

/// A failed test runs again if the system stopped the owner for longer than `LONG_PAUSE` seconds. During such a stop,
/// pushers may enqueue without waiting. A test runs at most `TRIES` times.
static const double LONG_PAUSE = 20e-3;
enum { TRIES = 20 };

// MARK: The lock

struct tally {
    struct crx_lock lock;
    long count;
    int each;
};

static void tally_work(int index, void *context) {
    struct tally *tally = context;
    (void)index;
    for (int turn = 0; turn < tally->each; turn++) {
        crx_lock_acquire(&tally->lock);
        tally->count++;
        crx_lock_release(&tally->lock);
    }
}

static void a_lock_excludes(void) {
    struct tally tally = {{0}, 0, times(100000)};
    run_crew(4, tally_work, &tally);
    CHECK_EQUAL(tally.count, 4L * tally.each);
    CHECK_EQUAL(AO_int_load(&tally.lock.word), 0);
}

// MARK: Bits of a chain

enum { SETTERS = 2, BITS_EACH = 8, SETTINGS = 20000 };

struct settings {
    struct crx_chain chains[SETTINGS];
    int rounds;
    AO_t done;
};

static void settings_set(int index, void *context) {
    struct settings *settings = context;
    for (int round = 0; round < settings->rounds; round++) {
        for (int bit = 0; bit < BITS_EACH; bit++) {
            crx_state_fetch_or_acq_rel(&settings->chains[round], (uintptr_t)1 << (SETTERS * bit + index));
        }
        AO_fetch_and_add_full(&settings->done, 1);
        while (AO_load_acquire(&settings->done) < (AO_t)SETTERS * (AO_t)(round + 1)) {
            sched_yield();
        }
    }
}

static void concurrently_set_bits_are_all_kept(void) {
    static struct settings settings;
    memset(&settings, 0, sizeof settings);
    settings.rounds = times(SETTINGS) < SETTINGS ? times(SETTINGS) : SETTINGS;
    run_crew(SETTERS, settings_set, &settings);
    for (int round = 0; round < settings.rounds; round++) {
        CHECK_EQUAL(crx_state_load_acquire(&settings.chains[round]), (1 << SETTERS * BITS_EACH) - 1);
    }
}

// MARK: Every event once, in each thread's order

enum { PUSHERS = 4, OBSERVERS = 3 };

struct parade {
    struct hub hub;
    struct observer observers[OBSERVERS];
    int each;
    /// The number of events that the first observer pushed. Used by the owner.
    long nested;
};

static void parade_push(int index, void *context) {
    struct parade *parade = context;
    for (int number = 0; number < parade->each; number++) {
        hub_next(&parade->hub, index, number);
    }
}

static void push_from_inside(struct observer *self, const struct event *event) {
    struct parade *parade = self->context;
    if (event->pusher != PUSHERS && event->number % 4 == 0) {
        hub_next(self->hub, PUSHERS, parade->nested++);
    }
}

static void parade_run(bool nests) {
    static struct parade parade;
    memset(&parade, 0, sizeof parade);
    parade.each = times(100000);
    hub_init(&parade.hub, 0);
    for (int index = 0; index < OBSERVERS; index++) {
        observer_init(&parade.observers[index], &parade.hub);
        hub_subscribe(&parade.hub, &parade.observers[index]);
    }
    if (nests) {
        parade.observers[0].receive = push_from_inside;
        parade.observers[0].context = &parade;
    }
    run_crew(PUSHERS, parade_push, &parade);
    CHECK_EQUAL(parade.hub.subject.gate.word, 0);
    CHECK_EQUAL(parade.hub.subject.gate.waiting, 0);
    for (int index = 0; index < OBSERVERS; index++) {
        CHECK_EQUAL(parade.observers[index].received, (long)PUSHERS * parade.each + parade.nested);
        hub_remove(&parade.hub, parade.observers[index].node);
    }
    hub_deinit(&parade.hub);
}

static void every_event_arrives_once_in_the_order_of_its_thread(void) {
    parade_run(false);
}

static void every_nested_event_arrives_once_in_the_order_of_its_thread(void) {
    parade_run(true);
}

// MARK: Bounded queues

struct jam {
    struct hub hub;
    struct observer observer;
    int each;
    /// The maximum number of waiting inputs that a delivery has seen. Used by the owner.
    unsigned most;
    struct pauses pauses;
};

static void look_at_the_queue(struct observer *self, const struct event *event) {
    struct jam *jam = self->context;
    (void)event;
    note_delivery(&jam->pauses);
    unsigned waiting = AO_int_load(&self->hub->subject.gate.waiting);
    jam->most = waiting > jam->most ? waiting : jam->most;
    for (volatile int left = 400; left > 0; left--) {
    }
}

static void jam_push(int index, void *context) {
    struct jam *jam = context;
    for (int number = 0; number < jam->each; number++) {
        hub_next(&jam->hub, index, number);
    }
}

static void jam_run(struct jam *jam) {
    memset(jam, 0, sizeof *jam);
    jam->each = times(100000);
    hub_init(&jam->hub, 0);
    observer_init(&jam->observer, &jam->hub);
    jam->observer.receive = look_at_the_queue;
    jam->observer.context = jam;
    hub_subscribe(&jam->hub, &jam->observer);
    run_crew(PUSHERS, jam_push, jam);
    CHECK_EQUAL(jam->observer.received, (long)PUSHERS * jam->each);
    hub_remove(&jam->hub, jam->observer.node);
    hub_deinit(&jam->hub);
}

// If pushers did not wait for room, the queue would contain nearly all inputs. The factor 8 allows for pauses of the
// owner's thread.
static void number_of_waiting_inputs_is_bounded(void) {
    static struct jam jam;
    int tries = 0;
    do {
        jam_run(&jam);
    } while (jam.most >= 8 * CRX_GATE_WAITING_LIMIT && jam.pauses.longest > LONG_PAUSE && ++tries < TRIES);
    CHECK(jam.most < 8 * CRX_GATE_WAITING_LIMIT);
    printf("   at most %u waited\n", jam.most);
}

// MARK: Threads share the draining

struct chore {
    struct hub hub;
    struct observer observer;
    int each;
    AO_t left;
    /// Used by the owner. `row` counts the successive deliveries by `thread`. `longest` is the largest `row`.
    uintptr_t thread;
    long row;
    long longest;
    struct pauses pauses;
};

/// Lasts at least 10 µs, and until another input waits or all other threads have finished.
static void keep_busy(struct observer *self, const struct event *event) {
    struct chore *chore = self->context;
    (void)event;
    note_delivery(&chore->pauses);
    chore->row = chore->thread == crx_thread_self() ? chore->row + 1 : 1;
    chore->thread = crx_thread_self();
    chore->longest = chore->row > chore->longest ? chore->row : chore->longest;
    double end = seconds() + 10e-6;
    while (seconds() < end || (AO_int_load(&self->hub->subject.gate.waiting) == 0 && AO_load(&chore->left) > 1)) {
        if (seconds() > end) {
            sched_yield();
        }
    }
}

static void chore_push(int index, void *context) {
    struct chore *chore = context;
    for (int number = 0; number < chore->each; number++) {
        hub_next(&chore->hub, index, number);
    }
    AO_fetch_and_sub1(&chore->left);
}

static void chore_run(struct chore *chore) {
    memset(chore, 0, sizeof *chore);
    chore->each = 2000 + times(8000);
    chore->left = PUSHERS;
    hub_init(&chore->hub, 0);
    observer_init(&chore->observer, &chore->hub);
    chore->observer.receive = keep_busy;
    chore->observer.context = chore;
    hub_subscribe(&chore->hub, &chore->observer);
    run_crew(PUSHERS, chore_push, chore);
    CHECK_EQUAL(chore->observer.received, (long)PUSHERS * chore->each);
    hub_remove(&chore->hub, chore->observer.node);
    hub_deinit(&chore->hub);
}

// Without offers, the owner would serve nearly all inputs.
static void no_thread_serves_most_inputs_alone(void) {
    static struct chore chore;
    int tries = 0;
    do {
        chore_run(&chore);
    } while (2 * chore.longest >= (long)PUSHERS * chore.each && chore.pauses.longest > LONG_PAUSE && ++tries < TRIES);
    CHECK(2 * chore.longest < (long)PUSHERS * chore.each);
    printf("   at most %ld of %ld in succession on one thread\n", chore.longest, (long)PUSHERS * chore.each);
}

// MARK: Two gates that feed each other

struct tennis {
    struct hub hubs[2];
    struct observer observers[2];
    int each;
    AO_t done;
};

enum { HOPS = 5 };

static void hand_on(struct observer *self, const struct event *event) {
    struct tennis *tennis = self->context;
    self->last_number[event->pusher] = -1; // Events arrive on two paths, so their order is not checked.
    if (event->number < HOPS) {
        hub_next(self->hub == &tennis->hubs[0] ? &tennis->hubs[1] : &tennis->hubs[0], event->pusher, event->number + 1);
    } else {
        AO_fetch_and_add1(&tennis->done);
    }
}

static void tennis_serve(int index, void *context) {
    struct tennis *tennis = context;
    for (int ball = 0; ball < tennis->each; ball++) {
        hub_next(&tennis->hubs[index % 2], index, 0);
    }
}

static void two_gates_that_feed_each_other_lose_nothing(void) {
    static struct tennis tennis;
    memset(&tennis, 0, sizeof tennis);
    tennis.each = times(20000);
    for (int side = 0; side < 2; side++) {
        hub_init(&tennis.hubs[side], 0);
        observer_init(&tennis.observers[side], &tennis.hubs[side]);
        tennis.observers[side].receive = hand_on;
        tennis.observers[side].context = &tennis;
        hub_subscribe(&tennis.hubs[side], &tennis.observers[side]);
    }
    run_crew(PUSHERS, tennis_serve, &tennis);
    CHECK_EQUAL(AO_load(&tennis.done), PUSHERS * tennis.each);
    CHECK_EQUAL(tennis.observers[0].received + tennis.observers[1].received, (long)PUSHERS * tennis.each * (HOPS + 1));
    for (int side = 0; side < 2; side++) {
        hub_remove(&tennis.hubs[side], tennis.observers[side].node);
        hub_deinit(&tennis.hubs[side]);
    }
}

// MARK: Observers that come and go

enum { CHURN_PUSHERS = 2, CHURNERS = 2 };

struct churn {
    struct hub hub;
    struct observer stays[2];
    int each;
    AO_t came;
    AO_t went;
};

struct visitor {
    struct observer observer;
    struct churn *churn;
    int pusher;
    long number;
    /// The number of users of this record: the bag and the churner. The last user frees the record.
    unsigned references;
    AO_t seen;
};

static void visitor_drop(struct visitor *visitor) {
    if (AO_int_fetch_and_sub1_full(&visitor->references) == 1) {
        crx_free(visitor);
    }
}

static void visitor_goes(struct observer *self) {
    struct visitor *visitor = (struct visitor *)self;
    AO_fetch_and_add1(&visitor->churn->went);
    visitor_drop(visitor);
}

static void visitor_receive(struct observer *self, const struct event *event) {
    struct visitor *visitor = (struct visitor *)self;
    if (event->pusher == visitor->pusher) {
        // The churner pushes larger numbers only after it removes this visitor. Smaller numbers may have waited at the
        // gate.
        CHECK(event->number <= visitor->number);
        AO_store_release(&visitor->seen, event->number == visitor->number);
    }
}

static void churn_visit(struct churn *churn, int index, int turn, unsigned *dice) {
    struct visitor *visitor = crx_allocate(sizeof *visitor, "a visitor");
    observer_init(&visitor->observer, &churn->hub);
    visitor->observer.receive = visitor_receive;
    visitor->observer.goes = visitor_goes;
    visitor->observer.is_placed = roll(dice, 2) != 0;
    visitor->churn = churn;
    visitor->pusher = CHURN_PUSHERS + index;
    visitor->number = turn * 2L;
    visitor->references = 2;
    visitor->seen = 0;
    AO_fetch_and_add1(&churn->came);
    struct crx_node *node = hub_subscribe(&churn->hub, &visitor->observer);
    hub_next(&churn->hub, visitor->pusher, visitor->number);
    if (roll(dice, 4) != 0) {
        await_at_least(&visitor->seen, 1);
    }
    spend_random_time(dice, 50);
    hub_remove(&churn->hub, node);
    hub_next(&churn->hub, visitor->pusher, visitor->number + 1);
    visitor_drop(visitor);
}

static void churn_work(int index, void *context) {
    struct churn *churn = context;
    unsigned dice = (unsigned)index + 1;
    for (int turn = 0; turn < churn->each; turn++) {
        if (index < CHURN_PUSHERS) {
            hub_next(&churn->hub, index, turn);
        } else {
            churn_visit(churn, index - CHURN_PUSHERS, turn, &dice);
        }
    }
}

static void observers_added_and_removed_during_pushes_receive_their_events(void) {
    static struct churn churn;
    memset(&churn, 0, sizeof churn);
    churn.each = times(20000);
    hub_init(&churn.hub, 0);
    for (int index = 0; index < 2; index++) {
        observer_init(&churn.stays[index], &churn.hub);
        hub_subscribe(&churn.hub, &churn.stays[index]);
    }
    run_crew(CHURN_PUSHERS + CHURNERS, churn_work, &churn);
    CHECK_EQUAL(churn.came, (long)CHURNERS * churn.each);
    CHECK_EQUAL(churn.went, churn.came);
    for (int index = 0; index < 2; index++) {
        CHECK_EQUAL(churn.stays[index].received, (long)churn.each * (CHURN_PUSHERS + 2 * CHURNERS));
        hub_remove(&churn.hub, churn.stays[index].node);
    }
    hub_deinit(&churn.hub);
}

// MARK: Insertion during a walk

struct queue {
    struct hub hub;
    struct observer observer;
    int each;
    AO_t done;
};

/// Clears `released`, because all nodes share this observer.
static void queue_goes(struct observer *observer) {
    AO_store_release(&observer->released, 0);
}

/// Reads the count and the last counted node, as a walking owner does.
static void queue_look(struct queue *queue) {
    struct crx_subject *subject = &queue->hub.subject;
    uintptr_t me = crx_thread_self();
    CHECK_EQUAL(crx_gate_enter_acquire(&subject->gate, me), CRX_ENTERED);
    for (int turn = 0; turn < 1000; turn++) {
        struct crx_walk walk = crx_bag_walk_acquire(&subject->bag);
        if (walk.count > 0) {
            struct crx_node *last = crx_chunk_slot_acquire(walk.chunk, walk.count - 1);
            CHECK(last != NULL);
            CHECK(crx_node_sink(last) == &queue->observer);
        }
    }
    if (!crx_gate_exit_release_owner(&subject->gate, me)) {
        struct crx_input *input;
        struct crx_turn turn = {0};
        struct crx_debris debris = {0};
        enum crx_drain next = CRX_DRAIN_TIDY;
        while (next == CRX_DRAIN_TIDY) {
            next = crx_gate_next_owner(&subject->gate, me, &turn, &input);
            if (next == CRX_DRAIN_TIDY && crx_subject_tidy_owner(subject, me, &debris)) {
                next = CRX_DRAIN_EXITED;
            }
        }
        CHECK_EQUAL(next, CRX_DRAIN_EXITED);
        crx_bag_free(&subject->bag, debris);
    }
}

static void queue_work(int index, void *context) {
    struct queue *queue = context;
    if (index == 0) {
        for (int number = 0; number < queue->each; number++) {
            crx_bag_lock_with_room(&queue->hub.subject);
            struct crx_node *node = crx_bag_insert_locked(&queue->hub.subject, NULL, &queue->observer, 0, false);
            crx_bag_unlock(&queue->hub.subject.bag);
            crx_node_drop(node);
        }
        AO_store_release(&queue->done, 1);
    } else {
        while (!AO_load_acquire(&queue->done)) {
            queue_look(queue);
        }
    }
}

/// No node is removed, so each slot below the count has a node (crx_bag.h, claim 1).
static void walk_finds_a_node_in_each_counted_slot(void) {
    for (int round = 0; round < times(20); round++) {
        static struct queue queue;
        memset(&queue, 0, sizeof queue);
        queue.each = 100000;
        hub_init(&queue.hub, 0);
        observer_init(&queue.observer, &queue.hub);
        queue.observer.goes = queue_goes;
        run_crew(2, queue_work, &queue);
        crx_subject_tear_down(&queue.hub.subject);
        hub_deinit(&queue.hub);
    }
}

// MARK: A teardown during an insertion

/// The number of nodes that fill a chunk. While the next, larger chunk is allocated, the bag's lock is free for a long
/// time.
enum { GROWN = 4096 };

struct growth {
    struct crx_subject subject;
    struct crx_node *nodes[GROWN];
    AO_t stage;
    bool was_met;
};

static void growth_release(void *sink) {
    (void)sink;
}

static void growth_work(int index, void *context) {
    struct growth *growth = context;
    struct crx_bag *bag = &growth->subject.bag;
    if (index == 0) {
        crx_bag_lock(bag);
        AO_store_release(&growth->stage, 1);
        await_at_least(&growth->stage, 2);
        crx_bag_replace_chunk_locked(&growth->subject);
        growth->was_met = crx_bag_chunk_acquire(bag) == NULL;
        crx_bag_unlock(bag);
    } else {
        await_at_least(&growth->stage, 1);
        AO_store_release(&growth->stage, 2);
        // Spins, because after a sleep this thread would miss the release of the lock.
        while (AO_int_load(&bag->lock.word) != 0) {
        }
        crx_subject_tear_down(&growth->subject);
    }
}

/// Repeats until the teardown has run while `crx_bag_replace_chunk_locked` had released the lock.
static void teardown_during_the_allocation_of_a_chunk_is_handled(void) {
    static struct growth growth;
    struct crx_bag *bag = &growth.subject.bag;
    growth.was_met = false;
    for (int round = 0; round < times(200) && !growth.was_met; round++) {
        crx_subject_init(&growth.subject, growth_release);
        for (int index = 0; index < GROWN; index++) {
            crx_bag_lock_with_room(&growth.subject);
            growth.nodes[index] = crx_bag_insert_locked(&growth.subject, NULL, &growth, 0, false);
            crx_bag_unlock(bag);
        }
        crx_bag_lock(bag);
        crx_bag_dispose_locked(bag);
        crx_bag_unlock(bag);
        CHECK(crx_gate_close(&growth.subject.gate));
        AO_store(&growth.stage, 0);
        run_crew(2, growth_work, &growth);
        CHECK(crx_bag_chunk_acquire(bag) == NULL);
        CHECK_EQUAL(bag->living, 0);
        for (int index = 0; index < GROWN; index++) {
            crx_node_drop(growth.nodes[index]);
        }
    }
}

// MARK: The end, and disposal

enum { LAST_EVENTS = 20 };

struct finale {
    struct hub hub;
    struct observer observers[2];
    struct observer late;
    bool disposes;
    unsigned seed;
};

static void finale_work(int index, void *context) {
    struct finale *finale = context;
    unsigned dice = finale->seed + (unsigned)index * 7919;
    if (index == 0) {
        spend_random_time(&dice, 300);
        if (finale->disposes) {
            hub_dispose(&finale->hub);
        } else {
            hub_end(&finale->hub);
        }
    } else if (index == 1) {
        spend_random_time(&dice, 300);
        struct crx_node *node = hub_subscribe(&finale->hub, &finale->late);
        spend_random_time(&dice, 100);
        if (node != NULL) {
            hub_remove(&finale->hub, node);
        }
    } else {
        for (int number = 0; number < LAST_EVENTS; number++) {
            hub_next(&finale->hub, index, number);
        }
    }
}

static void finale_run(bool disposes, int replays) {
    for (int round = 0; round < times(1500); round++) {
        struct finale finale = {.disposes = disposes, .seed = (unsigned)round};
        hub_init(&finale.hub, replays);
        for (int index = 0; index < 2; index++) {
            observer_init(&finale.observers[index], &finale.hub);
            finale.observers[index].counts_sequence = replays > 0;
            hub_subscribe(&finale.hub, &finale.observers[index]);
        }
        observer_init(&finale.late, &finale.hub);
        finale.late.counts_sequence = replays > 0;
        run_crew(4, finale_work, &finale);
        CHECK_EQUAL(finale.hub.subject.gate.word, CRX_GATE_CLOSED);
        CHECK_EQUAL(AO_load(&finale.hub.torn_down), 1);
        for (int index = 0; index < 2; index++) {
            CHECK_EQUAL(finale.observers[index].ends, !disposes);
            CHECK_EQUAL(AO_load_acquire(&finale.observers[index].released), 1);
            hub_remove(&finale.hub, finale.observers[index].node);
        }
        CHECK_EQUAL(finale.observers[0].received >= finale.observers[1].received, 1);
        hub_deinit(&finale.hub);
    }
}

static void an_end_comes_once_and_last(void) {
    finale_run(false, 0);
    finale_run(false, 1);
    finale_run(false, 3);
}

static void disposed_subject_leaves_nothing_allocated(void) {
    finale_run(true, 0);
    finale_run(true, 1);
    finale_run(true, 3);
}

// MARK: Opening

enum { READERS = 2, WRITERS = 2 };

struct library {
    struct hub hub;
    int each;
    AO_t writing;
    /// One more than the last sequence number that the first observer has seen.
    AO_t published;
    struct observer first;
    AO_t came;
    AO_t went;
};

struct reader {
    struct observer observer;
    struct library *library;
    unsigned references;
    /// One more than the last sequence number that the reader has seen.
    AO_t seen;
};

static void reader_drop(struct reader *reader) {
    if (AO_int_fetch_and_sub1_full(&reader->references) == 1) {
        crx_free(reader);
    }
}

static void reader_goes(struct observer *self) {
    struct reader *reader = (struct reader *)self;
    AO_fetch_and_add1(&reader->library->went);
    reader_drop(reader);
}

static void reader_receive(struct observer *self, const struct event *event) {
    struct reader *reader = (struct reader *)self;
    if (event->kind == EVENT_NEXT) {
        AO_store_release(&reader->seen, (AO_t)event->sequence + 1);
    }
}

static void publish(struct observer *self, const struct event *event) {
    struct library *library = self->context;
    AO_store_release(&library->published, (AO_t)event->sequence + 1);
}

static void library_read(struct library *library, unsigned *dice) {
    struct reader *reader = crx_allocate(sizeof *reader, "a reader");
    observer_init(&reader->observer, &library->hub);
    reader->observer.receive = reader_receive;
    reader->observer.goes = reader_goes;
    reader->observer.is_placed = roll(dice, 2) != 0;
    reader->observer.counts_sequence = true;
    reader->library = library;
    reader->references = 2;
    reader->seen = 0;
    AO_fetch_and_add1(&library->came);
    AO_t published = AO_load_acquire(&library->published);
    struct crx_node *node = hub_subscribe(&library->hub, &reader->observer);
    CHECK(AO_load_acquire(&reader->seen) >= published);
    switch (roll(dice, 4)) {
    case 0:
        break;
    case 1:
        await_at_least(&reader->seen, AO_load_acquire(&library->published));
        break;
    default:
        spend_random_time(dice, 200);
        break;
    }
    hub_remove(&library->hub, node);
    reader_drop(reader);
}

static void library_work(int index, void *context) {
    struct library *library = context;
    unsigned dice = (unsigned)index + 1;
    if (index < WRITERS) {
        for (int number = 0; number < library->each; number++) {
            hub_next(&library->hub, index, number);
            spend_random_time(&dice, 20);
        }
        AO_fetch_and_add_full(&library->writing, (AO_t)-1);
    } else {
        while (AO_load_acquire(&library->writing) > 0) {
            library_read(library, &dice);
        }
    }
}

static void library_run(int replays) {
    static struct library library;
    memset(&library, 0, sizeof library);
    library.each = times(30000);
    library.writing = WRITERS;
    hub_init(&library.hub, replays);
    observer_init(&library.first, &library.hub);
    library.first.counts_sequence = true;
    library.first.receive = publish;
    library.first.context = &library;
    hub_subscribe(&library.hub, &library.first);
    run_crew(WRITERS + READERS, library_work, &library);
    CHECK_EQUAL(library.first.received, (long)WRITERS * library.each);
    CHECK_EQUAL(library.went, library.came);
    hub_remove(&library.hub, library.first.node);
    hub_deinit(&library.hub);
}

static void new_observer_receives_each_event_once(void) {
    library_run(1);
    library_run(3);
}

/// An observer receives the last event and then the end, even if the observer is still opening when the end is pushed.
struct premiere {
    struct hub hub;
    struct observer observers[READERS];
    unsigned seed;
};

static void premiere_work(int index, void *context) {
    struct premiere *premiere = context;
    unsigned dice = premiere->seed + (unsigned)index * 104729;
    if (index < READERS) {
        spend_random_time(&dice, 400);
        hub_subscribe(&premiere->hub, &premiere->observers[index]);
    } else {
        for (int number = 0; number < LAST_EVENTS; number++) {
            hub_next(&premiere->hub, index, number);
            spend_random_time(&dice, 10);
        }
        hub_end(&premiere->hub);
    }
}

static void an_opening_observer_receives_the_end(void) {
    for (int round = 0; round < times(3000); round++) {
        struct premiere premiere = {.seed = (unsigned)round};
        hub_init(&premiere.hub, 1 + round % 3);
        for (int index = 0; index < READERS; index++) {
            observer_init(&premiere.observers[index], &premiere.hub);
            premiere.observers[index].counts_sequence = true;
        }
        run_crew(READERS + 1, premiere_work, &premiere);
        for (int index = 0; index < READERS; index++) {
            struct observer *observer = &premiere.observers[index];
            CHECK_EQUAL(observer->ends, 1);
            CHECK_EQUAL(observer->last_sequence, LAST_EVENTS - 1);
            if (observer->node != NULL) {
                CHECK_EQUAL(AO_load_acquire(&observer->released), 1);
                hub_remove(&premiere.hub, observer->node);
            }
        }
        hub_deinit(&premiere.hub);
    }
}

// MARK: Words

/// `STROKE` is above the flag bits of a gate's word. Its multiples stand for owners.
enum { STROKE = 1 << 16, STROKES = (1 << 16) - 1 };
/// The maximum number of inputs that a chain's word counts.
enum { INPUTS = (1 << 14) - 1 };

struct anvil {
    struct crx_chain chain;
    struct crx_gate gate;
    AO_t is_done;
};

/// One thread counts up and down in the chain's word. The other thread changes the other bits.
static void anvil_work(int index, void *context) {
    struct anvil *anvil = context;
    if (index == 0) {
        for (int input = 0; input < 3 * INPUTS; input++) {
            bool down = input / INPUTS == 1;
            CHECK(!(down ? crx_pause_input_has_waited(&anvil->chain) : crx_pause_input_waits(&anvil->chain, UINT_MAX)));
        }
        AO_store_release(&anvil->is_done, 1);
        return;
    }
    while (AO_load_acquire(&anvil->is_done) == 0) {
        CHECK(crx_pause_change(&anvil->chain, CRX_CHAIN_FULL, 0) == false);
        CHECK_EQUAL(crx_state_load_relaxed(&anvil->chain) & CRX_CHAIN_REASONS, CRX_CHAIN_FULL);
        CHECK_EQUAL(crx_pause_park(&anvil->chain), CRX_PARK_DONE);
        CHECK_EQUAL(crx_state_load_relaxed(&anvil->chain) & CRX_CHAIN_PARKED, CRX_CHAIN_PARKED);
        CHECK_EQUAL(crx_pause_put_back(&anvil->chain), CRX_PUT_BACK_DONE);
        CHECK_EQUAL(crx_state_load_relaxed(&anvil->chain) & CRX_CHAIN_SOURCE_SET, CRX_CHAIN_SOURCE_SET);
        CHECK(crx_pause_change(&anvil->chain, 0, CRX_CHAIN_FULL));
        CHECK_EQUAL(crx_state_load_relaxed(&anvil->chain) & CRX_CHAIN_NOTIFYING, CRX_CHAIN_NOTIFYING);
        CHECK_EQUAL(crx_pause_put_back(&anvil->chain), CRX_PUT_BACK_DONE);
    }
}

static void concurrent_changes_of_a_word_are_all_seen(void) {
    for (int turn = 0; turn < times(200); turn++) {
        struct anvil anvil = {0};
        run_crew(2, anvil_work, &anvil);
        uintptr_t word = crx_state_load_acquire(&anvil.chain);
        CHECK_EQUAL(word / CRX_CHAIN_WAITING, INPUTS);
        CHECK_EQUAL(word & (CRX_CHAIN_REASONS | CRX_CHAIN_PARKED | CRX_CHAIN_NOTIFYING), 0);
    }
}

/// One thread changes the queued bit of a gate with an owner. The other thread asks the owner to tidy up.
static void knock_work(int index, void *context) {
    struct anvil *anvil = context;
    AO_t *word = &anvil->gate.word;
    if (index == 0) {
        for (int knock = 0; knock < STROKES; knock++) {
            AO_or(word, CRX_GATE_QUEUED);
            AO_and(word, ~(AO_t)CRX_GATE_QUEUED);
        }
        AO_store_release(&anvil->is_done, 1);
        return;
    }
    while (AO_load_acquire(&anvil->is_done) == 0) {
        CHECK(crx_gate_tell_owner(&anvil->gate));
        CHECK(AO_load(word) & CRX_GATE_UNTIDY);
        AO_and(word, ~(AO_t)CRX_GATE_UNTIDY);
    }
}

static void owner_is_notified_while_the_queue_changes(void) {
    static struct crx_thread owner;
    for (int turn = 0; turn < times(200); turn++) {
        struct anvil anvil = {.gate = {.word = (AO_t)&owner}};
        run_crew(2, knock_work, &anvil);
        CHECK_EQUAL(anvil.gate.word, (AO_t)&owner);
    }
}

/// One thread changes the gate's owner, each time to a new value. The other thread closes and reopens the gate.
static void shut_work(int index, void *context) {
    struct anvil *anvil = context;
    AO_t *word = &anvil->gate.word;
    if (index == 0) {
        for (int stroke = 0; stroke < STROKES; stroke++) {
            AO_fetch_and_add_full(word, STROKE);
        }
        AO_store_release(&anvil->is_done, 1);
        return;
    }
    while (AO_load_acquire(&anvil->is_done) == 0) {
        CHECK(!crx_gate_close(&anvil->gate));
        CHECK(AO_load(word) & CRX_GATE_CLOSED);
        AO_and(word, ~(AO_t)CRX_GATE_CLOSED);
    }
}

static void gate_is_closed_while_its_owner_changes(void) {
    for (int turn = 0; turn < times(200); turn++) {
        struct anvil anvil = {.gate = {.word = STROKE}};
        run_crew(2, shut_work, &anvil);
        CHECK_EQUAL(anvil.gate.word, (AO_t)STROKE * (STROKES + 1));
    }
}

void stress_tests(double wanted) {
    scale = wanted;
    RUN(a_lock_excludes);
    RUN(concurrently_set_bits_are_all_kept);
    RUN(every_event_arrives_once_in_the_order_of_its_thread);
    RUN(every_nested_event_arrives_once_in_the_order_of_its_thread);
    RUN(number_of_waiting_inputs_is_bounded);
    RUN(no_thread_serves_most_inputs_alone);
    RUN(two_gates_that_feed_each_other_lose_nothing);
    RUN(observers_added_and_removed_during_pushes_receive_their_events);
    RUN(walk_finds_a_node_in_each_counted_slot);
    RUN(teardown_during_the_allocation_of_a_chunk_is_handled);
    RUN(an_end_comes_once_and_last);
    RUN(disposed_subject_leaves_nothing_allocated);
    RUN(new_observer_receives_each_event_once);
    RUN(an_opening_observer_receives_the_end);
    RUN(concurrent_changes_of_a_word_are_all_seen);
    RUN(owner_is_notified_while_the_queue_changes);
    RUN(gate_is_closed_while_its_owner_changes);
}
