/// A chain while it is put together, from its end to its source.
@usableFromInline
struct Assembly {
    /// Nil while a stage is being put on top.
    @usableFromInline
    var top: SinkBase?

    /// The lifetime of the chain. Not retained: whoever puts the chain together does.
    @usableFromInline
    let lifetime: Unmanaged<SinkDisposer>

    /// An upstream that nothing else keeps.
    var kept: ObservableBase?

    /// What stages want done once the source has been subscribed, the lowest first. Nil for nothing, which costs nothing.
    @usableFromInline
    var actions: [() -> Void]?

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

    /// Gives the chain a teardown; see ``SinkDisposer/adopt(_:)``.
    @inlinable
    @inline(__always)
    func adopt(_ teardown: any Disposable) {
        lifetime._withUnsafeGuaranteedRef { $0.adopt(teardown) }
    }

    /// Keeps an upstream that was made for this subscription, and that no observable below it holds, while it joins.
    @usableFromInline
    mutating func keep(_ observable: ObservableBase) -> Unmanaged<ObservableBase> {
        kept = observable
        return .passUnretained(observable)
    }

    /// Has `action` run once the source has been subscribed, before those of the stages below.
    @usableFromInline
    mutating func afterwards(_ action: @escaping () -> Void) {
        if actions == nil { actions = [] }
        actions?.append(action)
    }

    /// The topmost stage so far: what the next stage above delivers to.
    @inlinable
    var sink: SinkBase {
        get { top! }
        set { top = newValue }
    }

    /// Hands out the topmost stage, which the caller knows to take `Element`, once: to the stage above it, or to the source.
    @inlinable
    @inline(__always)
    mutating func sink<Element>(of _: Element.Type) -> Sink<Element> {
        unsafeDowncast(top.take()!, to: Sink<Element>.self)
    }
}

/// What an observable is without its element: a way to join a chain.
public class ObservableBase {
    /// Joins a chain that is being put together: makes this observable's stage and returns what feeds it, or, when this is the
    /// source, starts it and returns nil. It captures nothing, so that the stage made in specialised code is the specialised one.
    ///
    /// What it returns is not retained: the observable below holds it, and who subscribes holds the lowest. What is made anew
    /// for the subscription goes through ``Assembly/keep(_:)``.
    @usableFromInline
    typealias Join = (ObservableBase, inout Assembly) -> Unmanaged<ObservableBase>?

    @usableFromInline
    let join: Join

    /// Whether subscribing starts a trampoline on a thread that runs none. True but for what ends at once and for subjects.
    @usableFromInline
    var isTrampolined: Bool { true }

    @inlinable
    init(join: @escaping Join) {
        self.join = join
    }

    /// Subscribes `last`, the last sink of a chain, through the public door: on the thread's trampoline.
    ///
    /// The loop goes from the end of the chain to its source. It is no recursion, so that a thousand stages fit a small stack.
    @usableFromInline
    final func subscribe(last: consuming SinkBase, _ disposer: SinkDisposer) {
        var assembly = Assembly(last, disposer)
        if !Trampoline.isRunning && isTrampolined {
            Trampoline.run { connect(&assembly) }
        } else {
            connect(&assembly)
        }
    }

    private func connect(_ assembly: inout Assembly) {
        var kept: ObservableBase?
        var upstream = join(self, &assembly)
        while let observable = upstream {
            // What was kept before may go only now that the join of what it kept has returned.
            if assembly.kept != nil { kept = assembly.kept.take() }
            upstream = observable._withUnsafeGuaranteedRef { $0.join($0, &assembly) }
        }
        withExtendedLifetime(kept) {}
        if let actions = assembly.actions { actions.reversed().forEach { $0() } }
    }
}
