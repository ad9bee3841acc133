internal import CRxCore

/// A chain that is being subscribed, built from the terminal observer up to the source.
@usableFromInline
struct SubscribeContext {
    /// The topmost stage so far. Nil after a new stage or the source has taken it.
    @usableFromInline
    var top: SinkBase?

    /// The chain's lifetime, which the subscribing function retains.
    @usableFromInline
    let unretainedLifetime: Unmanaged<ChainLifetime>

    /// The scope and the actions, in one object, because each reference costs a release per subscription.
    private var extras: SubscribeContextExtras?

    init(_ sink: SinkBase, _ lifetime: ChainLifetime) {
        top = sink
        unretainedLifetime = .passUnretained(lifetime)
    }

    @inlinable
    var lifetime: ChainLifetime { unretainedLifetime.takeUnretainedValue() }

    @inlinable
    @inline(__always)
    func feed(from source: any Upstream, key: UnsafeMutableRawPointer? = nil) {
        unretainedLifetime._withUnsafeGuaranteedRef { $0.feed(from: source, key: key) }
    }

    @inlinable
    @inline(__always)
    func adopt(_ teardown: any Disposable, keeping: Bool = false) {
        unretainedLifetime._withUnsafeGuaranteedRef { $0.adopt(teardown, keeping: keeping) }
    }

    @usableFromInline
    var scope: FlowScope? {
        get { extras?.scope }
        set { withExtras { $0.scope = newValue } }
    }

    /// Runs `action` after the source has been subscribed to. Actions of upper stages run first.
    @usableFromInline
    mutating func afterwards(_ action: @escaping () -> Void) {
        withExtras { $0.actions.append(action) }
    }

    func sourceIsSubscribed() {
        guard let extras else { return }
        for action in extras.actions.reversed() { action() }
        // A source such as `never()` has not taken `top`.
        top?.sourceIsGone()
    }

    private mutating func withExtras(_ body: (SubscribeContextExtras) -> Void) {
        let extras = extras ?? SubscribeContextExtras()
        self.extras = extras
        body(extras)
    }

    /// Called once, by the stage above or the source.
    @inlinable
    @inline(__always)
    mutating func takeTop() -> SinkBase {
        top.take()!
    }

    /// Returns the topmost stage, which must receive elements of this type.
    @inlinable
    @inline(__always)
    mutating func takeTop<Element>(for _: Element.Type) -> Sink<Element> {
        unsafeDowncast(takeTop(), to: Sink<Element>.self)
    }

    @inlinable
    func end(_ error: (any Error)?) {
        top!.end(error)
    }
}

private final class SubscribeContextExtras {
    var scope: FlowScope?

    var actions: [() -> Void] = []
}
