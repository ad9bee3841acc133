extension ObservableType {
    @inlinable
    __consuming func flatten<Source: ObservableConvertibleType, Flattening: FlatteningCoordinator>(
        _ selector: @escaping (Element) throws -> Source,
        _ coordinator: @escaping (inout SubscribeContext) -> Flattening
    ) -> Observable<Source.Element> where Flattening.Output == Source.Element {
        let source = asObservable()
        return Observable { _, context in
            let coordinator = coordinator(&context)
            coordinator.ending.isListed = false
            let outer = OwningInnerObserver<OuterHandler<Element, Source, Flattening>, _>(coordinator, selector)
            coordinator.begins(with: outer.lifetime)
            source.subscribe(inner: outer, as: coordinator.outerRole)
            return nil
        }
    }
}

@usableFromInline
enum Admission {
    case runs, waits, dropped
}

/// A coordinator whose inner sources are made from the elements of an outer source.
///
/// The thread that sends an outer element calls the selector and subscribes to the inner source, before `onNext`
/// returns, even while another thread is delivering. Only the events of inner sources and the end of the outer source
/// pass the gate (see ``Coordinator``). Except where noted, the thread that owns the gate calls the functions of this
/// protocol.
@usableFromInline
protocol FlatteningCoordinator: Flattener, TypedCoordinator {
    /// Decides how to handle an element. Called on the thread of the outer source, before the selector. Before `add` is
    /// called, the selector may make the outer source send or end.
    func admit() -> Admission
    /// By default, subscribes to the inner source. Called on the thread of the outer source.
    func add(_ source: consuming Observable<Output>, _ admission: Admission, _ outer: InnerLifetime)
    /// Called before the outer source is subscribed to.
    func begins(with outer: InnerLifetime)
    var outerRole: SourceRole { get }

    /// By default, delivers the element of inner source `number`.
    func next(_ element: Output, _ number: Int, _ inner: InnerLifetime)
    func ended(_ error: (any Error)?, _ number: Int, _ inner: InnerLifetime)
    /// By default, delivers the only element of inner source `number` and counts the source as completed.
    func handle(scalar element: Output, _ number: Int)

    /// Whether an event of inner source `number` may be handled in a nested call.
    func mayNest(_ number: Int) -> Bool
    func mayNest(scalar number: Int) -> Bool

    /// Disposes of an inner source that has ended. Called inside the gate. If the end was enqueued, also called by the
    /// thread that sent the end, outside the gate.
    func remove(_ inner: InnerLifetime)
    /// See ``InnerEventHandler``.
    func hasSentEnd(_ error: (any Error)?, _ source: FlattenedSource<Self>, isSubscribing: Bool)
}

extension FlatteningCoordinator {
    @inlinable
    @inline(__always)
    func admit() -> Admission { .runs }

    @inlinable
    @inline(__always)
    func add(_ source: consuming Observable<Output>, _: Admission, _ outer: InnerLifetime) {
        made += 1
        run(source, of: outer)
    }

    @inlinable
    @inline(__always)
    func begins(with outer: InnerLifetime) {}

    @inlinable
    @inline(__always)
    var outerRole: SourceRole { .primary }

    @inlinable
    @inline(__always)
    func next(_ element: Output, _: Int, _: InnerLifetime) {
        deliver(element)
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _: Int, _ inner: InnerLifetime) {
        if let error { return fail(error) }
        remove(inner)
        innerCompleted()
    }

    @inlinable
    @inline(__always)
    func handle(scalar element: Output, _: Int) {
        deliver(element)
        innerCompleted()
    }

    @inlinable
    @inline(__always)
    func mayNest(_ number: Int) -> Bool { true }

    @inlinable
    @inline(__always)
    func mayNest(scalar number: Int) -> Bool { mayNest(number) }

    @usableFromInline
    func remove(_ inner: InnerLifetime) {
        innerChains.dispose(inner)
    }

    @inlinable
    @inline(__always)
    func hasSentEnd(_ error: (any Error)?, _ source: FlattenedSource<Self>, isSubscribing: Bool) {}

    /// Subscribes to an inner source. If the source is known to send exactly one element (see ``Scalar``), sends this
    /// element through the gate instead, and returns true.
    @inlinable
    @inline(__always)
    @discardableResult
    func run(_ source: Observable<Output>, _ number: Int = 0, of outer: InnerLifetime?) -> Bool {
        guard let element = Scalar.element(of: source) else {
            subscribe(source, number)
            return false
        }
        send(scalar: element, number, of: outer)
        return true
    }

    @inlinable
    @inline(__always)
    func subscribe(_ source: Observable<Output>, _ number: Int = 0) {
        source.subscribe(inner: FlattenedSource<Self>(self, number))
    }

    /// Sends an element through the gate. `outer` is the chain of the outer source, which pauses if too many elements
    /// wait in the gate; nil if the inner source may have waited in a queue.
    @inlinable
    @inline(__always)
    func send(scalar element: Output, _ number: Int, of outer: InnerLifetime?) {
        perform(gate, self, mayNest: mayNest(scalar: number)) {
            handle(scalar: element, number)
        } enqueue: { me in
            enqueue(scalar: element, number, outer, me)
        }
    }

    @inlinable
    @inline(never)
    func enqueue(scalar element: Output, _ number: Int, _ outer: InnerLifetime?, _ me: UInt) {
        if let outer { innerChains.eventWaits(of: outer) }
        QueuedInput.enqueue(
            QueuedInput(self, (element, number, outer)) { waiting, isDropped in
                let (coordinator, scalar) = QueuedInput<Self, (Output, Int, InnerLifetime?)>.take(waiting)
                if !isDropped && coordinator.isLive { coordinator.handle(scalar: scalar.0, scalar.1) }
                if let outer = scalar.2 { coordinator.innerChains.eventHasWaited(of: outer) }
            }, gate, me, self)
    }
}

/// A coordinator that counts inner sources. Only the thread that owns the gate calls the functions.
///
/// Guards:
/// - `made`: used by the thread of the outer source, until the outer source has ended. The gate's owner reads `made`
///   only after it has received the end of the outer source, which passes the gate after the last change of `made`.
/// - `ending`: used by the gate's owner. `ending.isListed` is written before the first source is subscribed to.
@usableFromInline
class Flattener: Coordinator {
    /// The number of inner sources so far.
    @usableFromInline
    @exclusivity(unchecked)
    final var made = 0
    @usableFromInline
    @exclusivity(unchecked)
    final var ending = Ending()

    @usableFromInline
    struct Ending {
        /// The number of inner sources whose completion has been handled.
        @usableFromInline
        var finished = 0
        /// Whether no inner source will be added.
        @usableFromInline
        var hasAll = false
        /// Whether the sources come from a list instead of an outer source.
        @usableFromInline
        var isListed = true
    }

    @usableFromInline
    override init(_ context: inout SubscribeContext) {
        super.init(&context)
    }

    @usableFromInline
    final func fail(_ error: any Error) {
        let type = type(of: self)
        ErrorTrace.named(ending.isListed ? .of(type, handler: nil) : .flattening(type), error) { end(error) }
    }

    @inlinable
    @inline(__always)
    final func innerCompleted() {
        ending.finished += 1
        if ending.hasAll { endIfFinished() }
    }

    @usableFromInline
    final func endIfFinished() {
        if ending.finished == made && isLive { end(nil) }
    }

    @usableFromInline
    func outerEnded(_ error: (any Error)?, _ outer: InnerLifetime) {
        if let error { return fail(error) }
        ending.hasAll = true
        innerChains.dispose(outer)
        // The disposal calls user teardowns, which may end the sequence.
        endIfFinished()
    }
}

@usableFromInline
enum OuterHandler<Input, Source: ObservableConvertibleType, Flattening: FlatteningCoordinator>: OwningHandler
where Flattening.Output == Source.Element {
    @usableFromInline
    typealias Own = (Input) throws -> Source

    @inlinable
    @inline(__always)
    static var isOutsideGate: Bool { true }

    @inlinable
    @inline(__always)
    static func next(_ element: Input, _ coordinator: Flattening, _ outer: InnerObserver<Self>) {
        // If the selector has thrown, the outer chain has ended, even while the error waits in the gate.
        guard coordinator.isLive, outer.isLive else { return }
        let admission = coordinator.admit()
        if admission == .dropped { return }
        do {
            var source = try outer.own(element).asObservable()
            // The selector may have disposed of the subscription.
            guard coordinator.isLive else { return }
            if coordinator.outerRole == .sampled { source = coordinator.startable(source) }
            coordinator.add(consume source, admission, outer.lifetime)
        } catch {
            outer.end(error)
        }
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ outer: InnerObserver<Self>) {
        outer.coordinator.outerEnded(error, outer.lifetime)
    }
}

@usableFromInline
typealias FlattenedSource<Target: FlatteningCoordinator> = NumberedInnerObserver<FlattenedHandler<Target>>

/// Guards: only the thread `subscriber` accesses `hasEndedHere`.
@usableFromInline
final class NumberedInnerObserver<P: InnerEventHandler>: InnerObserver<P> {
    /// The source's number. It need not be unique; its meaning depends on the coordinator.
    @usableFromInline
    let number: Int
    /// The thread that subscribes to waiting sources in a loop; 0 if there is no such loop.
    @usableFromInline
    let subscriber: UInt
    /// Whether the source has ended on `subscriber` while it was being subscribed to.
    @usableFromInline
    @exclusivity(unchecked)
    var hasEndedHere = false

    @inlinable
    init(_ coordinator: P.Target, _ number: Int) {
        self.number = number
        subscriber = 0
        super.init(coordinator)
    }

    @inlinable
    init(_ coordinator: P.Target, _ number: Int, subscriber: UInt) {
        self.number = number
        self.subscriber = subscriber
        super.init(coordinator, InnerLifetime(subscribing: ()))
    }
}

/// Handles the events of inner sources. If the end of a source is queued behind its elements, the sending thread
/// disposes of that source at once. The queued elements are still handled.
@usableFromInline
enum FlattenedHandler<Target: FlatteningCoordinator>: InnerEventHandler {
    @inlinable
    @inline(__always)
    static func next(_ element: Target.Output, _ coordinator: Target, _ source: InnerObserver<Self>) {
        coordinator.next(element, numbered(source).number, source.lifetime)
    }

    @inlinable
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        source.coordinator.ended(error, numbered(source).number, source.lifetime)
    }

    @inlinable
    @inline(__always)
    static func isWanted(_ source: InnerObserver<Self>) -> Bool { source.coordinator.isLive }

    @inlinable
    @inline(__always)
    static func mayNest(_ source: InnerObserver<Self>) -> Bool { source.coordinator.mayNest(numbered(source).number) }

    @inlinable
    static func hasSentEnd(_ error: (any Error)?, _ source: InnerObserver<Self>, isSubscribing: Bool, waits: Bool) {
        if waits { source.coordinator.remove(source.lifetime) }
        source.coordinator.hasSentEnd(error, numbered(source), isSubscribing: isSubscribing)
    }

    @inlinable
    @inline(__always)
    static func numbered(_ source: InnerObserver<Self>) -> FlattenedSource<Target> {
        unsafeDowncast(source, to: FlattenedSource<Target>.self)
    }
}
