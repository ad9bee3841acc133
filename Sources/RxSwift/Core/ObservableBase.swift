internal import CRxCore

/// What an observable is without its element: a way to join a chain.
public class ObservableBase {
    /// Joins a chain that is being put together: makes this observable's stage and returns what feeds it, or, when this
    /// is the source, starts it and returns nil. It is made in specialised code, and so is the stage that it makes.
    ///
    /// What it returns is not retained: the observable below holds it, and who subscribes holds the lowest. What is
    /// made anew for the subscription goes through ``Assembly/keep(_:)``.
    @usableFromInline
    typealias Join = (ObservableBase, inout Assembly) -> Unmanaged<ObservableBase>?

    @usableFromInline
    let join: Join

    /// Whether subscribing starts a trampoline on a thread that runs none. True but for what ends at once and for
    /// subjects.
    @usableFromInline
    var isTrampolined: Bool { true }

    /// The core of a subject that a ``SubjectSubscription`` may be made to.
    @usableFromInline
    var subjectCore: Unmanaged<SubjectBase>? { nil }

    /// Whether it is a row of sources, which takes their place in a longer row (``Concatenation``).
    var isRow: Bool { false }

    /// Of a row: puts its sources onto a stack, the first on top.
    func unfold(onto rest: inout RowStack) {}

    /// Whether `give(to:)` moves sources out, so that a nest of these observables is freed in a loop.
    var isFreedIteratively: Bool { isRow }

    /// Moves the sources out of an observable that is freed.
    func give(to freed: inout [ObservableBase]) {}

    /// Whether it makes its source anew for each subscription, which who subscribes it may do in its place.
    var isDeferred: Bool { false }

    /// The operators that it stands for, the uppermost first; for a listing of subscriptions.
    var operators: [OperatorName] { [.of(type(of: self), port: nil)] }

    @inlinable
    init(join: @escaping Join) {
        self.join = join
    }

    /// Subscribes `last`, the last sink of a chain, through the public door: on the thread's trampoline.
    ///
    /// The loop goes from the end of the chain to its source. It is no recursion, so that a thousand stages fit a small
    /// stack.
    @usableFromInline
    final func subscribe(last: consuming SinkBase, _ disposer: SinkDisposer, scope: FlowScope? = nil) {
        var assembly = Assembly(last, disposer)
        if let scope { assembly.scope = scope }
        if crx_watch_any(CRX_WATCH_COUNTERS | CRX_WATCH_LISTING) { return subscribe(watched: &assembly) }
        if !Trampoline.isRunning && isTrampolined {
            Trampoline.run { connect(&assembly) }
        } else {
            connect(&assembly)
        }
    }

    /// Subscribes a chain that is counted or listed.
    @inline(never)
    private func subscribe(watched assembly: inout Assembly) {
        let record = crx_watch_any(CRX_WATCH_LISTING) ? SubscriptionRecord.list(assembly) : nil
        assembly.watch(record)
        let connects = { [self] (assembly: inout Assembly) in
            guard let record else { return connect(&assembly) }
            record.whileConnecting { connect(&assembly, noting: record) }
        }
        if !Trampoline.isRunning && isTrampolined {
            Trampoline.run { connects(&assembly) }
        } else {
            connects(&assembly)
        }
    }

    private func connect(_ assembly: inout Assembly, noting record: SubscriptionRecord) {
        var upstream: Unmanaged<ObservableBase>? = .passUnretained(self)
        while let observable = upstream {
            upstream = observable._withUnsafeGuaranteedRef {
                record.passes($0)
                return $0.join($0, &assembly)
            }
        }
        assembly.sourceIsSubscribed()
    }

    private func connect(_ assembly: inout Assembly) {
        var upstream = join(self, &assembly)
        while let observable = upstream {
            upstream = observable._withUnsafeGuaranteedRef { $0.join($0, &assembly) }
        }
        assembly.sourceIsSubscribed()
    }
}

extension ObservableBase {
    /// Frees nested observables in a loop: the nest may be deeper than the stack. Called by `deinit`.
    final func freeIteratively() {
        var freed: [ObservableBase] = []
        give(to: &freed)
        while var source = freed.popLast() {
            if source.isFreedIteratively && isKnownUniquelyReferenced(&source) { source.give(to: &freed) }
        }
    }
}
