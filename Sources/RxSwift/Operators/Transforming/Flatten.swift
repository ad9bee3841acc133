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
            coordinator.sources = .made
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
@usableFromInline
protocol FlatteningCoordinator: Flattener, SourceCoordinator {
    /// What becomes of an element. Asked before a source is made of it, for the selector may make the outer source send
    /// or end. Only the gate's owner calls it.
    func admit() -> Admission
    /// Takes an inner source. Only the gate's owner calls it.
    func add(_ source: consuming Observable<Output>, _ admission: Admission)
    /// Is told the chain of its outer source, before that is subscribed.
    func begins(with outer: InnerDisposer)
    /// Whether the outer source is paused with the chain below.
    var passesOuter: Bool { get }
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
}

/// What counts inner sources: it ends once the outer source and all of them have completed.
///
/// Guards: the gate's owner alone touches what is here, but before the first source is subscribed.
@usableFromInline
class Flattener: Coordinator {
    /// How many inner sources run.
    @usableFromInline
    @exclusivity(unchecked)
    final var active: Int32 = 0
    @usableFromInline
    @exclusivity(unchecked)
    final var sources = Sources.listed

    /// Where its sources come from, and whether there are any more to come.
    @usableFromInline
    enum Sources {
        case listed, allListed
        /// Of the elements of an outer source.
        case made, allMade
    }

    @usableFromInline
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    /// Handles the end of an inner source. Only the gate's owner calls it.
    @usableFromInline
    func ended(_ error: (any Error)?, _ inner: InnerDisposer) {
        if let error { return fail(error) }
        innerChains.dispose(inner)
        innerCompleted()
    }

    /// Ends with an error of a source's, or of the user's closure. Only the gate's owner calls it.
    @usableFromInline
    final func fail(_ error: any Error) {
        let type = type(of: self)
        let isOfList = sources == .listed || sources == .allListed
        Thrower.named(isOfList ? .of(type, port: nil) : .flattening(type), error) { end(error) }
    }

    /// Counts an inner source out. Only the gate's owner calls it.
    @usableFromInline
    final func innerCompleted() {
        active -= 1
        if active == 0 && (sources == .allListed || sources == .allMade) { end(nil) }
    }

    /// Handles the end of the outer source. Only the gate's owner calls it.
    @usableFromInline
    func outerEnded(_ error: (any Error)?, _ outer: InnerDisposer) {
        if let error { return fail(error) }
        sources = .allMade
        innerChains.dispose(outer)
        // Its disposal may have brought the end already.
        if active == 0 && isLive { end(nil) }
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
    static func next(_ element: Input, _ coordinator: Flattening, _ outer: InnerSink<Self>) {
        guard coordinator.isLive else { return }
        let admission = coordinator.admit()
        if admission == .dropped { return }
        do {
            let source = try outer.own(element).asObservable()
            // The disposal may have come meanwhile: then nothing more is begun.
            if coordinator.isLive { coordinator.add(consume source, admission) }
        } catch {
            coordinator.fail(error)
        }
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ outer: InnerSink<Self>) {
        outer.coordinator.outerEnded(error, outer.disposer)
    }
}
