extension ObservableType {
    /// The sequence of those given that is the first to send anything.
    ///
    ///     a:           ----1--2--|
    ///     b:           --9----8--|
    ///     amb([a, b]): --9----8--|
    ///
    /// ![The source that is first wins](marble-amb)
    ///
    /// A terminal event counts as well. The others are disposed before that event is delivered. Without sequences
    /// nothing is ever sent. Sequences may fire from several threads at once; one of them wins. An error of the winner
    /// ends the result.
    ///
    /// [Pausing](doc:BoundedMemory): all sources pause with what is below, and go on one after the other.
    ///
    /// - Parameter sequence: the sources, subscribed in their order, all of them.
    ///
    /// ## See Also
    ///
    /// - [amb on reactivex.io](https://reactivex.io/documentation/operators/amb.html)
    @inlinable
    @inline(never)
    public static func amb<Sequence: Swift.Sequence>(_ sequence: Sequence) -> Observable<Element>
    where Sequence.Element == Observable<Element> {
        Observable.amb(among: Array(sequence))
    }

    /// This sequence or `right`, whichever is the first to send anything. See ``ObservableType/amb(_:)-(Sequence)``.
    @inlinable
    @inline(never)
    public __consuming func amb<O2: ObservableType>(_ right: O2) -> Observable<Element> where O2.Element == Element {
        Observable.amb(among: [asObservable(), right.asObservable()])
    }
}

extension Observable {
    @inlinable
    static func amb(among sources: [Observable<Element>]) -> Observable<Element> {
        Observable { _, assembly in
            let coordinator = AmbCoordinator<Element>(&assembly)
            let sinks = sources.map { _ in InnerSink<AmbPort>(coordinator) }
            coordinator.enroll(sinks.map { $0.disposer })
            for (source, sink) in Swift.zip(sources, sinks) {
                source.subscribe(last: sink, sink.disposer, scope: coordinator.innerChains.scope)
            }
            return nil
        }
    }
}

/// Delivers what the first of its sources to send anything sends. Its state is the gate's owner's, but before the first
/// is subscribed.
@usableFromInline
final class AmbCoordinator<Output>: Coordinator, TypedCoordinator {
    /// Who is in the race; nil once it is decided.
    private var rivals: [InnerDisposer]?
    /// By its identity, for it is only compared. No source is made after the race, so that another cannot have the
    /// winner's place in memory.
    @usableFromInline
    @exclusivity(unchecked)
    var winner: ObjectIdentifier?

    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    @usableFromInline
    func enroll(_ rivals: [InnerDisposer]) {
        self.rivals = rivals
        for rival in rivals { innerChains.insert(rival) }
    }

    /// Whether `source` has won, or wins: the first to ask does, and the others are disposed. Only the gate's owner
    /// calls it.
    @inlinable
    @inline(__always)
    func isWon(by source: InnerDisposer) -> Bool {
        winner == ObjectIdentifier(source) || decide(for: source)
    }

    @usableFromInline
    func decide(for source: InnerDisposer) -> Bool {
        guard let rivals = rivals.take() else { return false }
        winner = ObjectIdentifier(source)
        for rival in rivals where rival !== source { innerChains.dispose(rival) }
        return true
    }
}

/// A source of an amb.
@usableFromInline
enum AmbPort<Element>: Port {
    @inlinable
    @inline(__always)
    static func next(_ element: Element, _ coordinator: AmbCoordinator<Element>, _ source: InnerSink<Self>) {
        if coordinator.isWon(by: source.disposer) { coordinator.deliver(element) }
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerSink<Self>) {
        if source.coordinator.isWon(by: source.disposer) { source.coordinator.end(error) }
    }
}
