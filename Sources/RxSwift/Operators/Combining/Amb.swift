extension ObservableType {
    /// The events of the sequence that is the first to send an event.
    ///
    ///     a:           ----1--2--|
    ///     b:           --9----8--|
    ///     amb([a, b]): --9----8--|
    ///
    /// ![The source that is first wins](marble-amb)
    ///
    /// Sequences may send from several threads at once; one of them wins. A terminal event counts as well. The other
    /// sequences are disposed of before that first event is delivered. An error of the winner ends the result. Without
    /// sequences, nothing is ever sent.
    ///
    /// [Pausing](doc:BoundedMemory): all sources pause with the downstream chain, and resume one after the other.
    ///
    /// - Parameter sequence: the sources, subscribed to in their order.
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

    /// This sequence or `right`, whichever sends an event first. See ``ObservableType/amb(_:)-(Sequence)``.
    @inlinable
    @inline(never)
    public __consuming func amb<O2: ObservableType>(_ right: O2) -> Observable<Element> where O2.Element == Element {
        Observable.amb(among: [asObservable(), right.asObservable()])
    }
}

extension Observable {
    @inlinable
    static func amb(among sources: [Observable<Element>]) -> Observable<Element> {
        Observable { _, context in
            let coordinator = AmbCoordinator<Element>(&context)
            let sinks = sources.map { _ in InnerObserver<AmbHandler>(coordinator) }
            coordinator.enroll(sinks.map { $0.lifetime })
            for (source, sink) in Swift.zip(sources, sinks) {
                source.subscribe(last: sink, sink.lifetime, scope: coordinator.innerChains.scope)
            }
            return nil
        }
    }
}

/// Guards: only the gate's owner accesses the state, except before the first source is subscribed to.
@usableFromInline
final class AmbCoordinator<Output>: Coordinator, TypedCoordinator {
    /// The sources that compete; nil once one of them has won.
    private var rivals: [InnerLifetime]?
    /// The identity of the winner's chain; it is only compared. No source is created after the first event, so none can
    /// reuse the winner's address.
    @usableFromInline
    @exclusivity(unchecked)
    var winner: ObjectIdentifier?

    @inlinable
    override init(_ context: inout SubscribeContext) {
        super.init(&context)
    }

    @usableFromInline
    func enroll(_ rivals: [InnerLifetime]) {
        self.rivals = rivals
        for rival in rivals { innerChains.insert(rival) }
    }

    /// The first source to call this wins, and all other sources are disposed of. Only the gate's owner calls it.
    @inlinable
    @inline(__always)
    func isWon(by source: InnerLifetime) -> Bool {
        winner == ObjectIdentifier(source) || decide(for: source)
    }

    @usableFromInline
    func decide(for source: InnerLifetime) -> Bool {
        guard let rivals = rivals.take() else { return false }
        winner = ObjectIdentifier(source)
        for rival in rivals where rival !== source { innerChains.dispose(rival) }
        return true
    }
}

@usableFromInline
enum AmbHandler<Element>: InnerEventHandler {
    @inlinable
    @inline(__always)
    static func next(_ element: Element, _ coordinator: AmbCoordinator<Element>, _ source: InnerObserver<Self>) {
        if coordinator.isWon(by: source.lifetime) { coordinator.deliver(element) }
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        if source.coordinator.isWon(by: source.lifetime) { source.coordinator.end(error) }
    }
}
