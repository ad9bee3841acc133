extension ObservableType {
    /// The events of the sequence that is the first to send an event.
    ///
    ///     a:           ----1--2--|
    ///     b:           --9----8--|
    ///     amb([a, b]): --9----8--|
    ///
    /// ![The first source to send wins](marble-amb)
    ///
    /// Sequences may send on several threads at once. The first event may be an error or the completion. Before that
    /// event is delivered, the other subscriptions are disposed of. Without sequences, nothing is ever sent.
    ///
    /// [Pausing](doc:BoundedMemory): all sources pause with the downstream chain.
    ///
    /// - Parameter sequence: the sources, subscribed to in this order.
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

    /// The events of this sequence or of `right`, whichever is first. See ``ObservableType/amb(_:)-(Sequence)``.
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

/// Guards: before any source is subscribed to, the subscribing thread uses the state. Afterwards, only the owner of the
/// gate (see ``Coordinator``) uses the state.
@usableFromInline
final class AmbCoordinator<Output>: Coordinator, TypedCoordinator {
    /// Nil after a source has sent an event.
    private var rivals: [InnerLifetime]?
    /// The address of the winning chain. All chains exist before the first event, so no later chain can reuse the
    /// address.
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

    /// The first call selects `source` and disposes of the other sources.
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
