#ifndef HUB_H
#define HUB_H

#include "CRxCore.h"
#include "check.h"

// A subject in plain C: the least client of the gate, the bag and the opening, written as the Swift subjects use them.

enum { PUSHERS_MOST = 8, REPLAYS_MOST = 4 };

enum event_kind { EVENT_NEXT, EVENT_END };

struct event {
    enum event_kind kind;
    /// Who pushed it, and the pusher's own count.
    int pusher;
    long number;
    /// What the step made of it in a hub that replays: one more than the event before.
    long sequence;
};

struct hub;

/// A sink. All of it is plain memory on purpose: what the protocols promise is that nobody needs more.
struct observer {
    struct hub *hub;
    /// Called for each event; null does nothing.
    void (*receive)(struct observer *self, const struct event *event);
    long received;
    long ends;
    long last_number[PUSHERS_MOST];
    long last_sequence;
    /// Whether a delivery is under way, and on which thread: a second thread in it breaks the grammar.
    uintptr_t inside;
    int depth;
    /// The client's.
    struct crx_node *node;
    void *context;
    /// Where its node lies, if it `is_placed`.
    struct crx_node place;
    bool is_placed;
    /// Set by the bag's release callback, once; read with acquire by other threads.
    AO_t released;
    /// Called last by the release callback, and may free the observer; null does nothing.
    void (*goes)(struct observer *self);
    /// Whether `last_sequence` must be the first's successor.
    bool counts_sequence;
};

/// A hub replays nothing (a PublishSubject) or the last few events (a BehaviorSubject, a ReplaySubject).
struct hub {
    struct crx_subject subject;
    int replays;
    /// Under L: the last events, oldest first.
    struct event buffer[REPLAYS_MOST];
    int buffered;
    /// The owner's.
    long sequence;
    uintptr_t stepper;
    int step_depth;
    AO_t torn_down;
    /// Items made and destroyed; equal when all is over.
    AO_t items_made;
    AO_t items_freed;
};

void hub_init(struct hub *hub, int replays);
/// As the last reference to it: everything must have ended.
void hub_deinit(struct hub *hub);

void hub_next(struct hub *hub, int pusher, long number);
void hub_end(struct hub *hub);
void hub_dispose(struct hub *hub);
/// B5 up to the walk: marks under L, then closes the gate. False: it was marked already. The owner only.
bool hub_mark_ended_owner(struct hub *hub, struct crx_walk *walk);

/// Null when the hub has ended: the observer was told, and is the caller's still. `observer->node` is set before it is
/// called.
struct crx_node *hub_subscribe(struct hub *hub, struct observer *observer);
/// Once for each node that was given.
void hub_remove(struct hub *hub, struct crx_node *node);

void observer_init(struct observer *observer, struct hub *hub);

#endif
