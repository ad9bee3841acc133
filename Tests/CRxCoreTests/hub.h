#ifndef HUB_H
#define HUB_H

#include "CRxCore.h"
#include "check.h"

// A subject in plain C: the smallest client of the gate, the bag and the opening.

enum { PUSHERS_MOST = 8, REPLAYS_MOST = 4 };

enum event_kind { EVENT_NEXT, EVENT_END };

struct event {
    enum event_kind kind;
    /// The index of the pusher. Each pusher numbers its events in ascending order.
    int pusher;
    long number;
    /// If the hub replays: the consecutive number that the gate's owner gives to each `EVENT_NEXT`.
    long sequence;
};

struct hub;

/// A sink. Most fields are not atomic, so that ThreadSanitizer reports concurrent deliveries.
struct observer {
    struct hub *hub;
    /// May be null.
    void (*receive)(struct observer *self, const struct event *event);
    long received;
    long ends;
    long last_number[PUSHERS_MOST];
    long last_sequence;
    /// The thread of the current or last delivery.
    uintptr_t inside;
    int depth;
    struct crx_node *node;
    void *context;
    /// The node's memory if `is_placed` is set.
    struct crx_node place;
    bool is_placed;
    /// Whether the bag has released the observer. Other threads must read it with acquire.
    AO_t released;
    /// If not null, called at the end of the release callback. The function may free the observer.
    void (*goes)(struct observer *self);
    /// Whether the `sequence` of the received `EVENT_NEXT` events must be consecutive.
    bool counts_sequence;
};

/// Replays nothing (a PublishSubject) or the last few events (a BehaviorSubject, a ReplaySubject).
struct hub {
    struct crx_subject subject;
    int replays;
    /// The events to replay, oldest first. Guard: the bag's lock.
    struct event buffer[REPLAYS_MOST];
    int buffered;
    /// The next event's `sequence`. Only the owner uses it.
    long sequence;
    uintptr_t stepper;
    int step_depth;
    AO_t torn_down;
    /// The counts of allocated and freed items. They are equal at the end.
    AO_t items_made;
    AO_t items_freed;
};

void hub_init(struct hub *hub, int replays);
/// Call it after all threads have ended.
void hub_deinit(struct hub *hub);

void hub_next(struct hub *hub, int pusher, long number);
void hub_end(struct hub *hub);
void hub_dispose(struct hub *hub);
/// Marks the subject as ended and stores its observers in `walk`, but does not notify them. Returns false if the
/// subject has already stopped. Call it only as the gate's owner.
bool hub_mark_ended_owner(struct hub *hub, struct crx_walk *walk);

/// If the hub has ended, notifies the observer of the end and returns null. The observer then still belongs to the
/// caller. `observer->node` is set before the first delivery.
struct crx_node *hub_subscribe(struct hub *hub, struct observer *observer);
/// Call it once for each node of `hub_subscribe`.
void hub_remove(struct hub *hub, struct crx_node *node);

void observer_init(struct observer *observer, struct hub *hub);

#endif
