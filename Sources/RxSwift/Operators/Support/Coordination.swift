/// The interface through which an operator of another module subscribes to its sources, sets timers and sends events.
///
/// Each operator has a *gate*, which one thread at a time owns. "Inside the gate" means on the owning thread. Other
/// threads enqueue their inputs for the owner, so the operator's state needs no lock. The operator may call user
/// closures inside the gate. If the owner causes an input while the operator sends, a nested call handles that input.
/// The operator must therefore update its state before it sends.
///
/// ``isLive``, ``hasEnded``, ``keepsForResume(_:)``, ``send(_:)`` and ``end(_:)`` may be used only inside the gate.
///
/// In a bounded subscription, the sources pause when the chain below pauses.
@usableFromInline
package struct Coordination<Output> {
    @usableFromInline
    let coordinator: ClosureCoordinator<Output>

    @inlinable
    init(_ coordinator: ClosureCoordinator<Output>) {
        self.coordinator = coordinator
    }

    /// Whether events can still be sent: neither the operator nor the chain below has ended or been disposed of.
    @inlinable
    package var isLive: Bool { !coordinator.hasEnded && coordinator.isLive }

    /// Like ``isLive``, but may be true after the operator's end. Called on any thread.
    @inlinable
    package var isWanted: Bool { coordinator.isLive }

    /// Whether the chain below is paused. If so, the operator must send no element until the closure of
    /// ``onResume(_:)`` is called.
    ///
    /// - Parameter state: an object that retains the operator's state and this coordination. If the result is true,
    ///   `state` is retained until the resume, because the sources and timers that retain it may be released earlier.
    @inlinable
    package func keepsForResume(_ state: AnyObject) -> Bool { coordinator.keepsForResume(state) }

    /// Runs `body` inside the gate. Used for inputs that no source sends, such as a timer's tick. Called on any thread.
    @inlinable
    package func enter(_ body: @escaping () -> Void) {
        coordinator.enter(body)
    }

    /// Events after the end or the disposal are dropped.
    @inlinable
    package func send(_ event: Event<Output>) {
        guard isLive else { return }
        switch event {
        case .next(let element): coordinator.deliver(element)
        case .error(let error): coordinator.endOnce(error)
        case .completed: coordinator.endOnce(nil)
        }
    }

    /// Whether the operator has sent its end. Unlike ``isLive``, does not depend on the chain below.
    @inlinable
    package var hasEnded: Bool { coordinator.hasEnded }

    /// Wraps a sequence that the operator will send. Subscriptions to it keep the operator's sources subscribed. For
    /// operators made by ``Observable/coordinated(sendingSequences:)``.
    @inlinable
    package func counted<Inner>(_ sequence: Observable<Inner>) -> Observable<Inner> {
        coordinator.upstream?.counted(sequence) ?? sequence
    }

    /// Fails the result, or completes it if `error` is nil. Disposes of all sources, even after the disposal of the
    /// result.
    @usableFromInline
    package func end(_ error: (any Error)?) {
        guard !hasEnded else { return }
        coordinator.endOnce(error)
        coordinator.innerChains.dispose(key: nil)
    }

    /// Subscribes to a source, inside or outside the gate. The returned disposable disposes of only this source.
    ///
    /// - Parameter take: called inside the gate, with each event of the source.
    @discardableResult
    @inlinable
    package func subscribe<Element>(
        _ source: Observable<Element>, _ take: @escaping (Event<Element>) -> Void
    ) -> any Disposable {
        let sink = OwningInnerObserver<ClosureHandler<Element, Output>, _>(coordinator, take)
        source.subscribe(inner: sink)
        return InnerSubscription(sink.lifetime, coordinator.innerChains)
    }

    /// Subscribes to a source whose elements are handled outside the gate: on the sending thread, before `onNext`
    /// returns, even while another thread owns the gate.
    ///
    /// - Parameters:
    ///   - next: may call user closures and subscribe to sequences. Enters the gate through its second argument. If
    ///     `next` throws, the source fails.
    ///   - ended: called inside the gate after all inputs of `next`, with the end of the source.
    @inlinable
    package func subscribe<Element>(
        outside source: Observable<Element>,
        _ next: @escaping (Element, OutsideSource<Element, Output>) throws -> Void,
        ended: @escaping (Event<Never>) -> Void
    ) {
        typealias Handler = OutsideHandler<Element, Output>
        source.subscribe(inner: OwningInnerObserver<Handler, _>(coordinator, (next: next, ended: ended)))
    }

    /// Subscribes to a source, and disposes of it before `take` receives its end. Exception: if the source ends during
    /// `subscribe`, teardowns that are added to its chain after the end may run after `take`.
    package func subscribe<Element>(freeing source: Observable<Element>, _ take: @escaping (Event<Element>) -> Void) {
        source.subscribe(inner: OwningInnerObserver<FreeingHandler<Element, Output>, _>(coordinator, take))
    }

    /// Subscribes to `other`, then to `source`. `other` is not paused with the chain below, and is disposed of last.
    @inlinable
    package func subscribe<Element, Other>(
        _ source: Observable<Element>, _ take: @escaping (Event<Element>) -> Void,
        behind other: Observable<Other>, _ takeOther: @escaping (Event<Other>) -> Void
    ) {
        let sink = OwningInnerObserver<ClosureHandler<Element, Output>, _>(coordinator, take)
        let first = OwningInnerObserver<ClosureHandler<Other, Output>, _>(coordinator, takeOther)
        let innerChains = coordinator.innerChains
        innerChains.insert(sink.lifetime)
        innerChains.insert(first.lifetime, as: .sideInput)
        other.subscribe(last: first, first.lifetime, scope: innerChains.scope)
        source.subscribe(last: sink, sink.lifetime, scope: innerChains.scope)
    }

    /// Sets the closure to call inside the gate when the chain below resumes. The closure must not retain the
    /// coordination.
    @usableFromInline
    package func onResume(_ resumed: @escaping () -> Void) {
        coordinator.whenResumed = resumed
        coordinator.hearsOfResumes()
    }
}

extension Observable {
    /// A sequence that calls `begin` at each subscription, on the subscribing thread. The disposable that `begin`
    /// returns is disposed of after the sources.
    @inlinable
    package static func coordinated(
        _ begin: @escaping (Coordination<Element>) -> any Disposable
    ) -> Observable<Element> {
        Observable { _, context in
            let coordinator = ClosureCoordinator<Element>(&context)
            context.adopt(begin(Coordination(coordinator)), keeping: true)
            // The coordinator is retained until here, because the release of its last reference would free the chain.
            withExtendedLifetime(coordinator) {}
            return nil
        }
    }
}

extension Observable {
    /// Like ``coordinated(_:)``, for an operator whose elements are or contain sequences. Its sources stay subscribed
    /// while the result or a sent sequence is observed. To end, the operator calls ``Coordination/end(_:)``.
    @inlinable
    package static func coordinated(sendingSequences begin: @escaping (Coordination<Element>) -> Void) -> Observable {
        Observable { _, context in
            let coordinator = ClosureCoordinator<Element>(&context, RefCountedUpstream())
            begin(Coordination(coordinator))
            return nil
        }
    }
}

/// The coordinator of a ``Coordination``.
///
/// Guards: only the thread that owns the gate uses `hasEnded` and `whenResumed`. Before there is a source, the
/// subscribing thread may write `whenResumed`.
@usableFromInline
final class ClosureCoordinator<Output>: Coordinator, TypedCoordinator {
    fileprivate var whenResumed: (() -> Void)?
    /// Counts the observers of sent sequences; nil if the elements are not sequences.
    @usableFromInline
    let upstream: RefCountedUpstream?
    /// Whether the operator has sent its end. Inputs may still come afterwards: a downstream stage that handles the end
    /// may make a source send.
    @usableFromInline
    @exclusivity(unchecked)
    private(set) var hasEnded = false

    @inlinable
    override init(_ context: inout SubscribeContext) {
        upstream = nil
        super.init(&context)
    }

    @inlinable
    init(_ context: inout SubscribeContext, _ upstream: RefCountedUpstream) {
        self.upstream = upstream
        super.init(&context, innerChains: upstream.innerChains, from: upstream)
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
enum ClosureHandler<Element, Output>: OwningHandler {
    @usableFromInline
    typealias Own = (Event<Element>) -> Void

    @inlinable
    static func next(_ element: Element, _ coordinator: ClosureCoordinator<Output>, _ source: InnerObserver<Self>) {
        source.own(.next(element))
    }

    @inlinable
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        source.own(Event(end: error))
        source.coordinator.innerChains.dispose(source.lifetime)
    }
}

private enum FreeingHandler<Element, Output>: OwningHandler {
    typealias Own = (Event<Element>) -> Void

    static func next(_ element: Element, _ coordinator: ClosureCoordinator<Output>, _ source: InnerObserver<Self>) {
        source.own(.next(element))
    }

    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        let own = source.own
        source.coordinator.innerChains.dispose(source.lifetime)
        own(Event(end: error))
    }
}

@usableFromInline
enum OutsideHandler<Element, Output>: OwningHandler {
    @usableFromInline
    typealias Own = (next: (Element, OutsideSource<Element, Output>) throws -> Void, ended: (Event<Never>) -> Void)

    @inlinable
    @inline(__always)
    static var isOutsideGate: Bool { true }

    @inlinable
    @inline(__always)
    static func next(_ element: Element, _ coordinator: ClosureCoordinator<Output>, _ source: InnerObserver<Self>) {
        // If `next` has thrown, the chain has ended, even while the error waits in the gate.
        guard source.isLive else { return }
        do { try source.own.next(element, OutsideSource(observer: source)) } catch { source.end(error) }
    }

    @inlinable
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        source.own.ended(Event(end: error))
        source.coordinator.innerChains.dispose(source.lifetime)
    }
}

/// Access to the gate, for a handler that runs outside the gate.
@usableFromInline
package struct OutsideSource<Element, Output> {
    @usableFromInline
    let observer: InnerObserver<OutsideHandler<Element, Output>>

    @inlinable
    init(observer: InnerObserver<OutsideHandler<Element, Output>>) {
        self.observer = observer
    }

    /// Runs `body` inside the gate, in the order of the source's inputs, unless the source is disposed of first.
    /// `input` is passed to `body`, so that `body` need not capture it.
    @inlinable
    @inline(__always)
    package func enter<Input>(_ input: Input, _ body: @escaping (Input) -> Void) {
        let coordinator = observer.coordinator
        // With `source`, an input waits for all earlier inputs of its source. Otherwise a nested element could overtake
        // some of them (crx_gate.h, claim 13), and an operator with groups could send an element before its group.
        perform(coordinator.gate, coordinator, source: observer.identity) {
            if OutsideHandler<Element, Output>.isWanted(observer) { body(input) }
        } enqueue: { me in
            enqueue(input, body, me)
        }
    }

    @inlinable
    @inline(never)
    func enqueue<Input>(_ input: Input, _ body: @escaping (Input) -> Void, _ me: UInt) {
        let coordinator = observer.coordinator
        coordinator.innerChains.eventWaits(of: observer.lifetime)
        QueuedInput.enqueue(
            QueuedInput(observer, (input, body), from: observer) { waiting, isDropped in
                let (observer, (input, body)) = QueuedInput<
                    InnerObserver<OutsideHandler<Element, Output>>, (Input, (Input) -> Void)
                >.take(waiting)
                if !isDropped && OutsideHandler<Element, Output>.isWanted(observer) { body(input) }
                observer.coordinator.innerChains.eventHasWaited(of: observer.lifetime)
            }, coordinator.gate, me, coordinator)
    }
}

@usableFromInline
final class InnerSubscription: Disposable, @unchecked Sendable {  // immutable
    private let inner: InnerLifetime
    private let innerChains: InnerChains

    @usableFromInline
    init(_ inner: InnerLifetime, _ innerChains: InnerChains) {
        self.inner = inner
        self.innerChains = innerChains
    }

    @usableFromInline
    func dispose() {
        innerChains.dispose(inner)
    }
}
