// Measures an indirect call and the core's operations without contention, in nanoseconds, for
// CSources/CRxCore/README.md. Each figure is the best of several rounds. scripts/test-c.sh --measure runs it.

#include "CRxCore.h"

#include <stdio.h>
#include <time.h>

enum { ROUNDS = 100 };

static long delivered;

/// A sink behind a function pointer, so that its work is not inlined into the walk.
struct counter {
    void (*receive)(struct counter *self, long value);
    long sum;
};

static void counter_receive(struct counter *self, long value) {
    self->sum += value;
}

static void counter_release(void *sink) {
    (void)sink;
    delivered++;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void walk(struct crx_subject *subject, long value, bool asks_first) {
    struct crx_walk walk = crx_bag_walk_acquire(&subject->bag);
    for (size_t index = 0; index < walk.count; index++) {
        struct crx_node *node = crx_chunk_slot_acquire(walk.chunk, index);
        if (node == NULL) {
            continue;
        }
        if (asks_first && crx_gate_is_closed_acquire(&subject->gate)) {
            return;
        }
        asks_first = true;
        if (crx_node_state_acquire(node) == 0) {
            struct counter *counter = crx_node_sink(node);
            counter->receive(counter, value);
        }
    }
}

static void emit(struct crx_subject *subject, long value) {
    uintptr_t me = crx_thread_self();
    switch (crx_gate_enter_acquire(&subject->gate, me)) {
    case CRX_ENTERED:
        walk(subject, value, false);
        if (!crx_gate_exit_release_owner(&subject->gate, me)) {
            struct crx_input *input;
            struct crx_turn turn = {0};
            crx_gate_next_owner(&subject->gate, me, &turn, &input);
        }
        return;
    case CRX_NESTED:
        walk(subject, value, true);
        return;
    default:
        return;
    }
}

static struct crx_node *subscribe(struct crx_subject *subject, struct counter *counter) {
    crx_bag_lock_with_room(subject);
    struct crx_node *node = crx_bag_insert_locked(subject, NULL, counter, 0, false);
    crx_bag_unlock(&subject->bag);
    return node;
}

static struct crx_subject subject;
static struct counter counters[100];
static struct crx_node *nodes[100];

static void call_indirectly(long count) {
    for (long turn = 0; turn < count; turn++) {
        struct counter *counter = &counters[turn & 1];
        __asm__ volatile("" : "+r"(counter) : : "memory");
        counter->receive(counter, turn);
    }
}

static void enter_and_exit(long count) {
    uintptr_t me = crx_thread_self();
    for (long turn = 0; turn < count; turn++) {
        if (crx_gate_enter_acquire(&subject.gate, me) == CRX_ENTERED) {
            crx_gate_exit_release_owner(&subject.gate, me);
        }
    }
}

static void only_walk(long count) {
    for (long turn = 0; turn < count; turn++) {
        walk(&subject, turn, false);
    }
}

static void emit_each(long count) {
    for (long turn = 0; turn < count; turn++) {
        emit(&subject, turn);
    }
}

static void come_and_go(long count) {
    for (long turn = 0; turn < count; turn++) {
        crx_bag_remove(&subject, subscribe(&subject, &counters[0]));
    }
}

/// Returns the time of one operation in the fastest round, because other load only adds time.
static double best(void (*work)(long), long count) {
    double least = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        work(count);
        double each = (now() - begin) / (double)count;
        least = each < least ? each : least;
    }
    return least;
}

static void observe(int count) {
    crx_subject_init(&subject, counter_release);
    for (int index = 0; index < count; index++) {
        nodes[index] = subscribe(&subject, &counters[index]);
    }
}

static void forget(int count) {
    for (int index = 0; index < count; index++) {
        crx_bag_remove(&subject, nodes[index]);
    }
    crx_subject_tear_down(&subject);
}

static double floor_ns;

static void report(const char *what, double each) {
    printf("| %-42s | %7.2f | %6.1f |\n", what, each, each / floor_ns);
}

int main(void) {
    for (int index = 0; index < 100; index++) {
        counters[index].receive = counter_receive;
    }
    floor_ns = best(call_indirectly, 100000);
    printf("| %-42s | %7s | %6s |\n|---|---|---|\n", "what", "ns", "calls");
    report("an indirect call", floor_ns);

    observe(1);
    report("gate: enter and leave", best(enter_and_exit, 100000));
    report("walk to one observer, no gate", best(only_walk, 100000));
    report("gate and one observer", best(emit_each, 100000));
    uintptr_t me = crx_thread_self();
    if (crx_gate_enter_acquire(&subject.gate, me) == CRX_ENTERED) {
        report("nested emission to one observer", best(emit_each, 100000));
        crx_gate_exit_release_owner(&subject.gate, me);
    }
    report("subscribe and dispose beside one observer", best(come_and_go, 20000));
    forget(1);

    observe(0);
    report("subscribe and dispose, no other observer", best(come_and_go, 20000));
    forget(0);

    observe(100);
    report("gate and 100 observers, each", best(emit_each, 2000) / 100);
    forget(100);
    return 0;
}
