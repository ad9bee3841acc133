extension ObservableType {
    /// Combines each element with the latest element of `second`.
    ///
    ///     source:                                  --1----2--3--|
    ///     second:                                  ----9------8--
    ///     withLatestFrom(second) { $0 * 10 + $1 }: -------29-39-|
    ///
    /// ![Each element with the latest one of the second source](marble-with-latest-from)
    ///
    /// The two sequences may send on different threads at once.
    ///
    /// The source is subscribed to after `second`. Its elements are dropped until the first element of `second`. After
    /// the completion of `second`, its last element is still used. The result completes with the source, and fails with
    /// the first error.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain; `second` continues.
    ///
    /// - Parameters:
    ///   - second: provides the latest element.
    ///   - resultSelector: if it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - ``combineLatest(_:resultSelector:)``
    /// - ``sample(_:defaultValue:)``
    /// - [combinelatest on reactivex.io](https://reactivex.io/documentation/operators/combinelatest.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func withLatestFrom<Source: ObservableConvertibleType, ResultType>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> ResultType
    ) -> Observable<ResultType> {
        let (first, second) = (asObservable(), second.asObservable())
        return Observable { _, context in
            let coordinator = WithLatestFromCoordinator<Source.Element, ResultType>(&context)
            coordinator.subscribe(
                first, OwningInnerObserver<WithLatestFromHandler, _>(coordinator, resultSelector), second,
                otherFirst: true)
            return nil
        }
    }

    /// Sends the latest element of `second` each time this sequence sends. See ``withLatestFrom(_:resultSelector:)``.
    @inlinable
    @inline(never)
    public __consuming func withLatestFrom<Source: ObservableConvertibleType>(
        _ second: Source
    ) -> Observable<Source.Element> {
        withLatestFrom(second) { $1 }
    }
}

@usableFromInline
final class WithLatestFromCoordinator<Second, Output>: Coordinator, OtherCoordinator {
    /// The latest element of `second`. Used only by the owner of the gate (see ``Coordinator``).
    @usableFromInline
    @exclusivity(unchecked)
    var latest: Second?

    @inlinable
    override init(_ context: inout SubscribeContext) {
        super.init(&context)
    }

    @inlinable
    @inline(__always)
    func next(other element: Second, _: InnerLifetime) {
        // Releases the old element after the assignment, because its `deinit` may send an event that reads `latest`.
        withExtendedLifetime(exchange(&latest, with: element)) {}
    }
}

@usableFromInline
enum WithLatestFromHandler<First, Second, Output>: OwningHandler {
    @usableFromInline
    typealias Own = (First, Second) throws -> Output

    @inlinable
    @inline(__always)
    static func next(
        _ element: First, _ coordinator: WithLatestFromCoordinator<Second, Output>, _ source: InnerObserver<Self>
    ) {
        guard let latest = coordinator.latest, coordinator.isLive else { return }
        do {
            coordinator.deliver(try source.own(element, latest))
        } catch {
            coordinator.end(error)
        }
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        source.coordinator.end(error)
    }
}
