#ifndef HUB_H
#define HUB_H

#include "CRxCore.h"
#include "check.h"

// A subject in plain C: the smallest client of the gate, the bag and the opening.

enum { PUSHERS_MOST = 8, REPLAYS_MOST = 4 };

enum event_kind { EVENT_NEXT, EVENT_END };

struct event {
    enum event_kind kind;
    /// The event is the `number`th of this pusher.
    int pusher;
    long number;
    /// The previous event's `sequence` plus 1; assigned by the gate's owner in a hub that replays.
    long sequence;
};

struct hub;

/// A sink. Its fields are deliberately not atomic, because the protocols guarantee that a sink needs no atomics.
struct observer {
    struct hub *hub;
    /// May be null.
    void (*receive)(struct observer *self, const struct event *event);
    long received;
    long ends;
    long last_number[PUSHERS_MOST];
    long last_sequence;
    /// The delivering thread, to detect a concurrent second delivery.
    uintptr_t inside;
    int depth;
    struct crx_node *node;
    void *context;
    /// The node's memory if `is_placed` is set.
    struct crx_node place;
    bool is_placed;
    /// Whether the bag has released the observer. Set once, by its release callback. Other threads read it with
    /// acquire.
    AO_t released;
    /// Called at the end of the release callback; may free the observer. May be null.
    void (*goes)(struct observer *self);
    /// Whether each number must be the successor of `last_sequence`.
    bool counts_sequence;
};

/// Replays nothing (a PublishSubject) or the last few events (a BehaviorSubject, a ReplaySubject).
struct hub {
    struct crx_subject subject;
    int replays;
    /// The events to replay, oldest first. Guard: the lock L.
    struct event buffer[REPLAYS_MOST];
    int buffered;
    /// The next event's `sequence`, used by the owner only.
    long sequence;
    uintptr_t stepper;
    int step_depth;
    AO_t torn_down;
    /// The numbers of items made and freed, which are equal at the end.
    AO_t items_made;
    AO_t items_freed;
};

void hub_init(struct hub *hub, int replays);
/// Called with the last reference, after all threads have ended.
void hub_deinit(struct hub *hub);

void hub_next(struct hub *hub, int pusher, long number);
void hub_end(struct hub *hub);
void hub_dispose(struct hub *hub);
/// Ends the subject and stores its observers in `walk`, without notifying them. Returns false if the end was already
/// marked. Called only by the owner.
bool hub_mark_ended_owner(struct hub *hub, struct crx_walk *walk);

/// Returns null if the hub has ended. The observer was then notified of the end, and still belongs to the caller.
/// `observer->node` is set before the observer is called.
struct crx_node *hub_subscribe(struct hub *hub, struct observer *observer);
/// Call it once for each node of `hub_subscribe`.
void hub_remove(struct hub *hub, struct crx_node *node);

void observer_init(struct observer *observer, struct hub *hub);

#endif
