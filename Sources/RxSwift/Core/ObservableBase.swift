internal import CRxCore

/// The part of an observable that does not depend on the type of the elements.
public class ObservableBase {
    /// Adds the stage of this observable to a chain that is being subscribed, and returns the upstream observable. The
    /// closure of a source starts the source and returns nil. The closure is made in specialised code, so that the
    /// stage is specialised too.
    ///
    /// The returned observable may exist only for this subscription, so the caller retains it until its `join` has
    /// returned.
    @usableFromInline
    typealias Join = (ObservableBase, inout SubscribeContext) -> ObservableBase?

    @usableFromInline
    let join: Join

    @usableFromInline
    var subjectCore: Unretained<SubjectBase>? { nil }

    /// Whether `subscribe` starts a trampoline if this thread runs none. False for subjects, and for sources that end
    /// at once.
    @usableFromInline
    var isTrampolined: Bool { subjectCore == nil }

    /// Whether this is a ``Concatenation``. A longer concatenation can use the sources of this one directly.
    var isRow: Bool { false }

    /// Pushes the sources of a concatenation onto `rest`, the first source on top.
    func unfold(onto rest: inout RowStack) {}

    /// Whether `give(to:)` moves sources out, so that nested observables can be freed in a loop.
    var isFreedIteratively: Bool { isRow }

    func give(to freed: inout [ObservableBase]) {}

    /// Whether this is a ``Deferred``. A subscribing operator may call the deferred closure directly.
    var isDeferred: Bool { false }

    var operatorName: OperatorName { .of(type(of: self), handler: nil) }

    @inlinable
    init(join: @escaping Join) {
        self.join = join
    }

    /// Subscribes `last`, the terminal observer, on the trampoline of this thread. A loop connects the stages from the
    /// end of the chain to its source, so long chains need no large stack.
    @usableFromInline
    final func subscribe(last: consuming SinkBase, _ lifetime: ChainLifetime, scope: FlowScope? = nil) {
        assert(isControlPoint("subscribe"))
        var context = SubscribeContext(last, lifetime)
        if let scope { context.scope = scope }
        if crx_watch_any(CRX_WATCH_COUNTERS | CRX_WATCH_LISTING) { return subscribe(watched: &context) }
        if !Trampoline.isRunning && isTrampolined {
            Trampoline.run { connect(&context) }
        } else {
            connect(&context)
        }
    }

    @inline(never)
    private func subscribe(watched context: inout SubscribeContext) {
        let record = crx_watch_any(CRX_WATCH_LISTING) ? SubscriptionRecord.list(context) : nil
        context.watch(record)
        let connects = { [self] (context: inout SubscribeContext) in
            guard let record else { return connect(&context) }
            record.whileConnecting { connect(&context, noting: record) }
        }
        if !Trampoline.isRunning && isTrampolined {
            Trampoline.run { connects(&context) }
        } else {
            connects(&context)
        }
    }

    private func connect(_ context: inout SubscribeContext, noting record: SubscriptionRecord) {
        var upstream: ObservableBase? = self
        while let observable = upstream {
            record.passes(observable)
            upstream = observable.join(observable, &context)
        }
        context.sourceIsSubscribed()
    }

    private func connect(_ context: inout SubscribeContext) {
        var upstream = join(self, &context)
        while let observable = upstream {
            upstream = observable.join(observable, &context)
        }
        context.sourceIsSubscribed()
    }
}

extension ObservableBase {
    /// Frees nested observables in a loop, because recursion could overflow the stack.
    final func freeIteratively() {
        var freed: [ObservableBase] = []
        give(to: &freed)
        while var source = freed.popLast() {
            if source.isFreedIteratively && isKnownUniquelyReferenced(&source) { source.give(to: &freed) }
        }
    }
}
