/// A chain while it is put together, from its end to its source.
@usableFromInline
struct Assembly {
    /// Nil while a stage is being put on top.
    @usableFromInline
    var top: SinkBase?

    /// The lifetime of the chain. Not retained: whoever puts the chain together does.
    @usableFromInline
    unowned(unsafe) let disposer: SinkDisposer

    /// What stages want done once the source has been subscribed, the lowest first. Nil for nothing, which costs nothing.
    @usableFromInline
    var actions: [() -> Void]?

    init(_ sink: SinkBase, _ disposer: SinkDisposer) {
        top = sink
        self.disposer = disposer
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
    @usableFromInline
    typealias Join = (ObservableBase, inout Assembly) -> ObservableBase?

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
        // Unmanaged, because the loop would count each observable thrice.
        var upstream = join(self, &assembly).map(Unmanaged.passRetained)
        while let observable = upstream {
            upstream = observable._withUnsafeGuaranteedRef { $0.join($0, &assembly) }.map(Unmanaged.passRetained)
            observable.release()
        }
        if let actions = assembly.actions { actions.reversed().forEach { $0() } }
    }
}
