internal import CRxCore

/// A chain while it is put together, from its end to its source.
@usableFromInline
struct Assembly {
    /// The topmost stage so far: what the next stage above delivers to. Nil while that is being put there, and once the
    /// source has it.
    @usableFromInline
    var top: SinkBase?

    /// The lifetime of the chain. Not retained: the assembling function does that.
    @usableFromInline
    let lifetime: Unmanaged<SinkDisposer>

    /// What few chains need. One reference, because each costs a release in every subscription.
    private var extras: AssemblyExtras?

    init(_ sink: SinkBase, _ disposer: SinkDisposer) {
        top = sink
        lifetime = .passUnretained(disposer)
    }

    /// The lifetime of the chain.
    @inlinable
    var disposer: SinkDisposer { lifetime.takeUnretainedValue() }

    /// Names what feeds the chain; see ``SinkDisposer/feed(from:key:)``.
    @inlinable
    @inline(__always)
    func feed(from source: any Upstream, key: UnsafeMutableRawPointer? = nil) {
        lifetime._withUnsafeGuaranteedRef { $0.feed(from: source, key: key) }
    }

    /// Gives the chain a teardown; see ``SinkDisposer/adopt(_:keeping:)``.
    @inlinable
    @inline(__always)
    func adopt(_ teardown: any Disposable, keeping: Bool = false) {
        lifetime._withUnsafeGuaranteedRef { $0.adopt(teardown, keeping: keeping) }
    }

    /// The scope of flow control that the chain is in, if it is in one.
    @usableFromInline
    var scope: FlowScope? {
        get { extras?.scope }
        set { withExtras { $0.scope = newValue } }
    }

    /// Names what feeds the chain and is told, in a scope, what becomes of its level.
    func feed(fromListening source: any Upstream) {
        if scope != nil {
            _ = crx_state_fetch_or_acq_rel(disposer.chain, CRX_CHAIN_LISTENS | CRX_CHAIN_HEEDS)
        }
        feed(from: source)
    }

    /// Whether it is in one.
    @usableFromInline
    var isInScope: Bool { extras?.scope != nil }

    /// What a boundary does with what waits; nil where all wait. In a scope all wait as well, but none is delivered
    /// while the chain below is paused, and what is above is in the scope, too.
    ///
    /// - Parameter own: what it was told by itself.
    @usableFromInline
    func bounds(_ own: Buffering?) -> Buffering? {
        let buffering = own ?? scope?.buffering ?? Hooks.bounds
        if let buffering, buffering != .unbounded { return buffering }
        return isInScope ? .pausing(.max) : nil
    }

    /// The scope of what is above a boundary.
    ///
    /// - Parameters:
    ///   - buffering: the boundary's policy.
    ///   - home: where it delivers. What runs on the thread that happens to be there goes on where it would below.
    @usableFromInline
    func handOn(_ buffering: Buffering, home: FlowHome) -> FlowScope? {
        guard buffering.pauses else { return scope }
        let isOfThread = home.scheduler.isCurrentThread
        return FlowScope(scope?.buffering, home: isOfThread ? scope?.home ?? .global : home)
    }

    /// Keeps an upstream that was made for this subscription, and that no observable below it holds, while it joins.
    @usableFromInline
    mutating func keep(_ observable: ObservableBase) -> Unmanaged<ObservableBase> {
        withExtras { extras in
            extras.keptBefore = extras.kept
            extras.kept = observable
        }
        return .passUnretained(observable)
    }

    /// Has `action` run once the source has been subscribed, before those of the stages below.
    @usableFromInline
    mutating func afterwards(_ action: @escaping () -> Void) {
        withExtras { $0.actions.append(action) }
    }

    /// The source has been subscribed.
    func sourceIsSubscribed() {
        guard let extras else { return }
        for action in extras.actions.reversed() { action() }
        // A source that sends nothing, ever, has not taken it.
        top?.sourceIsGone()
    }

    private mutating func withExtras(_ body: (AssemblyExtras) -> Void) {
        let extras = extras ?? AssemblyExtras()
        self.extras = extras
        body(extras)
    }

    /// Takes the topmost stage so far, once: for the stage above it, or for the source.
    @inlinable
    @inline(__always)
    mutating func takeTop() -> SinkBase {
        top.take()!
    }

    /// Takes the topmost stage so far, which the caller knows to take `Element`.
    @inlinable
    @inline(__always)
    mutating func takeTop<Element>(for _: Element.Type) -> Sink<Element> {
        unsafeDowncast(takeTop(), to: Sink<Element>.self)
    }

    /// Ends the chain before it has a source.
    @inlinable
    func end(_ error: (any Error)?) {
        top!.end(error)
    }
}

/// What few chains need while they are put together. Its assembly's alone.
private final class AssemblyExtras {
    /// An upstream that nothing else keeps, and the one before it: its join, or that of an upstream which it holds, may
    /// be what made the other.
    var kept: ObservableBase?
    var keptBefore: ObservableBase?

    var scope: FlowScope?

    /// What stages want done once the source has been subscribed, the lowest first.
    var actions: [() -> Void] = []
}
