/// What an operator of another module of this package is written with: it subscribes to its sources, sets its timers
/// and sends what it makes of them.
///
/// Everything that happens in it happens one at a time: a thread that comes while another one is within leaves what it
/// brings to that one. So the state of an operator needs no lock, and what it calls may be a user's. What its own
/// delivery leads to, it handles at once, nested: its state is in order before it sends.
///
/// In a bounded subscription its sources pause with what is below it.
@usableFromInline
package struct Coordination<Output> {
    @usableFromInline
    let coordinator: ClosureCoordinator<Output>

    @inlinable
    init(_ coordinator: ClosureCoordinator<Output>) {
        self.coordinator = coordinator
    }

    /// Whether anybody still wants events. Asked from within.
    @inlinable
    package var isLive: Bool { !coordinator.hasEnded && coordinator.isLive }

    /// Whether what is below is paused; then what ``onResume(_:)`` was given will be called. Asked from within, for
    /// what is due and has to wait.
    ///
    /// - Parameter state: what that needs, this coordination among it. It is kept until then, for sources and timers
    ///   may be gone.
    @inlinable
    package func keepsForResume(_ state: AnyObject) -> Bool { coordinator.keepsForResume(state) }

    /// Does something within: what no source brings, such as a timer's tick.
    @inlinable
    package func enter(_ body: @escaping () -> Void) {
        coordinator.enter(body)
    }

    /// Sends an event, from within. What comes after the end, or the disposal, is dropped.
    @inlinable
    package func send(_ event: Event<Output>) {
        guard isLive else { return }
        switch event {
        case .next(let element): coordinator.deliver(element)
        case .error(let error): coordinator.endOnce(error)
        case .completed: coordinator.endOnce(nil)
        }
    }

    /// Subscribes to a source, on this thread, from wherever.
    ///
    /// - Parameter take: called within, with each of its events.
    /// - Returns: what disposes of that source alone; all of them are disposed of with the result.
    @discardableResult
    @inlinable
    package func subscribe<Element>(
        _ source: Observable<Element>, _ take: @escaping (Event<Element>) -> Void
    ) -> any Disposable {
        let sink = OwningSink<ClosurePort<Element, Output>, _>(coordinator, take)
        source.subscribe(inner: sink)
        return InnerSubscription(sink.disposer, coordinator.innerChains)
    }

    /// Subscribes to a source that is torn down before its end is taken: what it had in use is free by then, but for
    /// what it adopts later, where it ends while it is being subscribed to.
    package func subscribe<Element>(freeing source: Observable<Element>, _ take: @escaping (Event<Element>) -> Void) {
        source.subscribe(inner: OwningSink<FreeingPort<Element, Output>, _>(coordinator, take))
    }

    /// Subscribes to a source, and before it to another one, which goes on during a pause and is disposed of after it.
    @inlinable
    package func subscribe<Element, Other>(
        _ source: Observable<Element>, _ take: @escaping (Event<Element>) -> Void,
        behind other: Observable<Other>, _ takeOther: @escaping (Event<Other>) -> Void
    ) {
        let sink = OwningSink<ClosurePort<Element, Output>, _>(coordinator, take)
        let first = OwningSink<ClosurePort<Other, Output>, _>(coordinator, takeOther)
        let innerChains = coordinator.innerChains
        innerChains.insert(sink.disposer)
        innerChains.insert(first.disposer, passes: false)
        other.subscribe(last: first, first.disposer, scope: innerChains.scope)
        source.subscribe(last: sink, sink.disposer, scope: innerChains.scope)
    }

    /// Says what is called, within, when what is below goes on after a pause. It must not keep the coordination.
    @usableFromInline
    package func onResume(_ resumed: @escaping () -> Void) {
        coordinator.whenResumed = resumed
        coordinator.hearsOfResumes()
    }
}

extension Observable {
    /// A sequence that `begin` makes, anew for each subscription.
    ///
    /// - Parameter begin: called on the subscribing thread. What it returns is disposed of after the sources.
    @inlinable
    package static func coordinated(
        _ begin: @escaping (Coordination<Element>) -> any Disposable
    ) -> Observable<Element> {
        Observable { _, assembly in
            let coordinator = ClosureCoordinator<Element>(&assembly)
            assembly.adopt(begin(Coordination(coordinator)), keeping: true)
            // Until then, because it may be the last, and what there is to tear down decides whether the chain is let
            // go.
            withExtendedLifetime(coordinator) {}
            return nil
        }
    }
}

/// A coordinator whose sources each have a closure.
///
/// Guards: `hasEnded` belongs to the gate's owner; `whenResumed` is written before there is a source, and belongs to
/// the gate's owner then.
@usableFromInline
final class ClosureCoordinator<Output>: Coordinator, TypedCoordinator {
    fileprivate var whenResumed: (() -> Void)?
    /// Whether the end is on its way: a stage that is handling it may push into a source once more.
    @usableFromInline
    @exclusivity(unchecked)
    private(set) var hasEnded = false

    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    @usableFromInline
    func endOnce(_ error: (any Error)?) {
        hasEnded = true
        end(error)
    }

    @usableFromInline
    override func resumed() {
        whenResumed?()
    }
}

@usableFromInline
enum ClosurePort<Element, Output>: OwningPort {
    @usableFromInline
    typealias Own = (Event<Element>) -> Void

    @inlinable
    static func next(_ element: Element, _ coordinator: ClosureCoordinator<Output>, _ source: InnerSink<Self>) {
        source.own(.next(element))
    }

    @inlinable
    static func ended(_ error: (any Error)?, _ source: InnerSink<Self>) {
        source.own(Event(end: error))
        source.coordinator.innerChains.dispose(source.disposer)
    }
}

/// The port of a source that is torn down before its end is taken.
private enum FreeingPort<Element, Output>: OwningPort {
    typealias Own = (Event<Element>) -> Void

    static func next(_ element: Element, _ coordinator: ClosureCoordinator<Output>, _ source: InnerSink<Self>) {
        source.own(.next(element))
    }

    static func ended(_ error: (any Error)?, _ source: InnerSink<Self>) {
        let own = source.own
        source.coordinator.innerChains.dispose(source.disposer)
        own(Event(end: error))
    }
}

/// One source of several.
@usableFromInline
final class InnerSubscription: Disposable, @unchecked Sendable {  // immutable
    private let inner: InnerDisposer
    private let innerChains: InnerChains

    @usableFromInline
    init(_ inner: InnerDisposer, _ innerChains: InnerChains) {
        self.inner = inner
        self.innerChains = innerChains
    }

    @usableFromInline
    func dispose() {
        innerChains.dispose(inner)
    }
}
