extension Infallible {
    /// Receives the events of an ``Infallible``.
    public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

    /// A sequence with the events that the closure `subscribe` sends.
    ///
    ///     let ticks = Infallible<Int>.create { observer in
    ///         observer(.next(1))
    ///         observer(.completed)
    ///         return Disposables.create()
    ///     }
    ///
    /// Like ``ObservableType/create(_:)-2aing``.
    ///
    /// [Pausing](doc:BoundedMemory): not possible.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
    ) -> Infallible<Element> {
        let source = Observable<Element>.create { observer in
            subscribe { event in
                switch event {
                case .next(let element): observer.onNext(element)
                case .completed: observer.onCompleted()
                }
            }
        }
        return Infallible(source)
    }

    /// The given elements.
    ///
    /// See ``ObservableType/from(_:scheduler:)-(Sequence,_)``.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(Observable.from(elements, scheduler: scheduler))
    }

    /// The elements of `array`. See ``ObservableType/from(_:scheduler:)-(Sequence,_)``.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(Observable.from(array, scheduler: scheduler))
    }

    /// Like ``ObservableType/from(_:scheduler:)-(Sequence,_)``.
    @inlinable
    public static func from<Sequence: Swift.Sequence>(
        _ sequence: Sequence, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Sequence.Element == Element {
        Infallible(Observable.from(sequence, scheduler: scheduler))
    }
}

extension InfallibleType {
    /// Like ``ObservableType/just(_:)``.
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> {
        Infallible(Observable.just(element))
    }

    /// Like ``ObservableType/just(_:scheduler:)``.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(Observable.just(element, scheduler: scheduler))
    }

    /// Like ``ObservableType/empty()``.
    @inlinable
    public static func empty() -> Infallible<Element> {
        Infallible(Observable.empty())
    }

    /// Like ``ObservableType/never()``.
    @inlinable
    public static func never() -> Infallible<Element> {
        Infallible(Observable.never())
    }

    /// Like ``ObservableType/deferred(_:)``.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(Observable.deferred { try observableFactory().source })
    }
}
