extension ObservableType {
    /// The sequences that `selector` makes of the elements, brought together by a coordinator that is made for each
    /// subscription.
    @inlinable
    __consuming func flatten<Source: ObservableConvertibleType, Flattening: FlatteningCoordinator>(
        _ selector: @escaping (Element) throws -> Source, _ coordinator: @escaping (inout Assembly) -> Flattening
    ) -> Observable<Source.Element> where Flattening.Output == Source.Element {
        let source = asObservable()
        return Observable { _, assembly in
            let coordinator = coordinator(&assembly)
            coordinator.isListed = false
            let outer = OwningSink<OuterPort<Element, Source, Flattening>, _>(coordinator, selector)
            coordinator.begins(with: outer.disposer)
            source.subscribe(inner: outer, passes: coordinator.passesOuter)
            return nil
        }
    }
}

/// Whether an element of an outer source becomes an inner source.
@usableFromInline
enum Admission {
    case runs, waits, dropped
}

/// A coordinator whose inner sources are made of the elements of another one, its outer source.
///
/// The thread that sends an element of the outer source calls the selector and subscribes to the inner source, before
/// its `onNext` returns, whether another thread delivers or not. The gate orders only what inner sources send.
@usableFromInline
protocol FlatteningCoordinator: Flattener, TypedCoordinator {
    /// Decides what becomes of an element. Asked before a source is made of it, for the selector may make the outer
    /// source send or end. Called on the thread of the outer source.
    func admit() -> Admission
    /// Takes an inner source. Called on the thread of the outer source.
    func add(_ source: consuming Observable<Output>, _ admission: Admission, _ outer: InnerDisposer)
    /// Receives the chain of its outer source, before that is subscribed.
    func begins(with outer: InnerDisposer)
    /// Whether the outer source is paused with the chain below.
    var passesOuter: Bool { get }

    /// Handles an inner source of one element, which needs no subscription. Called by the gate's owner.
    func handle(scalar element: Output, _ number: Int)
    /// Whether source `number` may be handled nested: no event of a source before it waits in the gate. Called by the
    /// gate's owner.
    func mayNest(_ number: Int) -> Bool
}

extension FlatteningCoordinator {
    @inlinable
    @inline(__always)
    func admit() -> Admission { .runs }

    @inlinable
    @inline(__always)
    func begins(with outer: InnerDisposer) {}

    @inlinable
    @inline(__always)
    var passesOuter: Bool { true }

    @inlinable
    @inline(__always)
    func mayNest(_ number: Int) -> Bool { true }

    /// Brings an inner source of one element to the gate.
    ///
    /// - Parameter outer: the outer source's chain, if the element comes directly from there: it pauses while too many
    ///   elements wait in the gate.
    @inlinable
    @inline(__always)
    func send(scalar element: Output, _ number: Int, of outer: InnerDisposer?) {
        perform(gate, self, mayNest: mayNest(number)) {
            handle(scalar: element, number)
        } enqueue: { me in
            enqueue(scalar: element, number, outer, me)
        }
    }

    @inlinable
    @inline(never)
    func enqueue(scalar element: Output, _ number: Int, _ outer: InnerDisposer?, _ me: UInt) {
        if let outer { innerChains.eventWaits(of: outer) }
        QueuedInput.enqueue(
            QueuedInput(self, (element, number, outer)) { waiting, isDropped in
                let (coordinator, scalar) = QueuedInput<Self, (Output, Int, InnerDisposer?)>.take(waiting)
                if !isDropped && coordinator.isLive { coordinator.handle(scalar: scalar.0, scalar.1) }
                if let outer = scalar.2 { coordinator.innerChains.eventHasWaited(of: outer) }
            }, gate, me, self)
    }
}

/// A coordinator that counts inner sources: it ends once the outer source and all of them have completed.
///
/// Guards:
/// - `made`: the thread of the outer source, until that has ended; a ``LimitedMergeCoordinator`` says more.
/// - `finished`, `hasAll`: the gate's owner. It reads `made` only if `hasAll` is set: the end of the outer source came
///   through the gate, behind all that its thread did.
/// - `isListed`: written before the first source is subscribed.
@usableFromInline
class Flattener: Coordinator {
    /// The number of inner sources so far.
    @usableFromInline
    @exclusivity(unchecked)
    final var made = 0
    /// The number of those whose completion has been handled.
    @usableFromInline
    @exclusivity(unchecked)
    final var finished = 0
    /// Whether there are no more inner sources to come.
    @usableFromInline
    @exclusivity(unchecked)
    final var hasAll = false
    /// Whether its sources come from a list, and not from the elements of an outer source.
    @usableFromInline
    @exclusivity(unchecked)
    final var isListed = true

    @usableFromInline
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    /// Handles the end of an inner source. Only the gate's owner calls it.
    @usableFromInline
    final func ended(_ error: (any Error)?, _ inner: InnerDisposer) {
        if let error { return fail(error) }
        innerChains.dispose(inner)
        innerCompleted()
    }

    /// Ends with an error of a source's, or of the user's closure. Only the gate's owner calls it.
    @usableFromInline
    final func fail(_ error: any Error) {
        let type = type(of: self)
        Thrower.named(isListed ? .of(type, port: nil) : .flattening(type), error) { end(error) }
    }

    /// Counts an inner source out. Only the gate's owner calls it.
    @inlinable
    @inline(__always)
    final func innerCompleted() {
        finished += 1
        if hasAll { endIfFinished() }
    }

    /// Ends if no source is left. Only the gate's owner calls it, once there are no more to come.
    @usableFromInline
    final func endIfFinished() {
        if finished == made && isLive { end(nil) }
    }

    /// Handles the end of the outer source. Only the gate's owner calls it.
    @usableFromInline
    func outerEnded(_ error: (any Error)?, _ outer: InnerDisposer) {
        if let error { return fail(error) }
        hasAll = true
        innerChains.dispose(outer)
        // Its disposal may have brought the end already.
        endIfFinished()
    }
}

/// The outer source of a ``FlatteningCoordinator``. What it has of its own is the user's closure that makes sources of
/// its elements.
@usableFromInline
enum OuterPort<Input, Source: ObservableConvertibleType, Flattening: FlatteningCoordinator>: OwningPort
where Flattening.Output == Source.Element {
    @usableFromInline
    typealias Own = (Input) throws -> Source

    @inlinable
    @inline(__always)
    static var isOutsideGate: Bool { true }

    @inlinable
    @inline(__always)
    static func next(_ element: Input, _ coordinator: Flattening, _ outer: InnerSink<Self>) {
        // The chain of the outer source is over once the selector has thrown, also while that error waits in the gate.
        guard coordinator.isLive, outer.isLive else { return }
        let admission = coordinator.admit()
        if admission == .dropped { return }
        do {
            let source = try outer.own(element).asObservable()
            // The disposal may have come meanwhile: then nothing more is begun.
            if coordinator.isLive { coordinator.add(consume source, admission, outer.disposer) }
        } catch {
            outer.end(error)
        }
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ outer: InnerSink<Self>) {
        outer.coordinator.outerEnded(error, outer.disposer)
    }
}

/// The inner sources of a ``FlatteningCoordinator`` that each have a number.
///
/// Guards: `hasEndedHere` belongs to the thread `subscriber`.
@usableFromInline
final class NumberedSink<P: Port>: InnerSink<P> {
    /// Its place among the sources of the coordinator, which says what that means.
    @usableFromInline
    let number: Int
    /// The thread that subscribes to the source in a loop and goes on to the next one; 0 if there is none.
    @usableFromInline
    let subscriber: UInt
    /// Whether the source has ended on that thread while it was being subscribed.
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
        super.init(coordinator, InnerDisposer(subscribing: ()))
    }
}

/// The inner sources of a ``FlatteningCoordinator``: what all ports of theirs do.
///
/// Elements that wait are handled also after the end of their source: the thread that sent the end has disposed of the
/// source at once, and the end waits behind them.
@usableFromInline
protocol InnerPort: Port where Target: FlatteningCoordinator, Element == Target.Output {}

extension InnerPort {
    @inlinable
    @inline(__always)
    static func isWanted(_ source: InnerSink<Self>) -> Bool { source.coordinator.isLive }

    @inlinable
    @inline(__always)
    static func number(of source: InnerSink<Self>) -> Int {
        unsafeDowncast(source, to: NumberedSink<Self>.self).number
    }
}
