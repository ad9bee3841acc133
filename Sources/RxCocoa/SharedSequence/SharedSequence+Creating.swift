import RxSwift

extension SharedSequence {
    /// A sequence that completes at once.
    ///
    /// Like `ObservableType.empty()`, on the sharing scheduler.
    @inlinable
    public static func empty() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.empty().subscribe(on: SharingStrategy.scheduler))
    }

    /// A sequence that never sends anything.
    ///
    /// See `ObservableType.never()`.
    @inlinable
    public static func never() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.never())
    }

    /// A sequence of one element.
    ///
    /// Like `ObservableType.just(_:)`, on the sharing scheduler.
    @inlinable
    public static func just(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.just(element).subscribe(on: SharingStrategy.scheduler))
    }

    /// A sequence that `observableFactory` makes for the first observer. When all observers have left, a new sequence
    /// is made for the next observer.
    ///
    /// Like `ObservableType.deferred(_:)`, but shared.
    @inlinable
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () -> SharedSequence<SharingStrategy, Element>
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.deferredUnchecked { observableFactory().asObservable() })
    }

    /// The given elements.
    ///
    /// Like `ObservableType.from(_:scheduler:)`, on the sharing scheduler.
    @inlinable
    public static func of(_ elements: Element...) -> SharedSequence<SharingStrategy, Element> {
        from(elements)
    }

    /// The elements of `array`.
    ///
    /// Like `ObservableType.from(_:scheduler:)`, on the sharing scheduler.
    @inlinable
    public static func from(_ array: [Element]) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.from(array, scheduler: SharingStrategy.scheduler))
    }

    /// The elements of `sequence`; each subscription makes an iterator.
    ///
    /// Like `ObservableType.from(_:scheduler:)`, on the sharing scheduler.
    @inlinable
    public static func from<Sequence: Swift.Sequence>(_ sequence: Sequence) -> SharedSequence<SharingStrategy, Element>
    where Sequence.Element == Element {
        SharedSequence(raw: Observable.from(sequence, scheduler: SharingStrategy.scheduler))
    }

    /// A sequence of the value in `optional`; empty if it is nil.
    ///
    /// Like `ObservableType.from(optional:)`, on the sharing scheduler.
    @inlinable
    public static func from(optional: Element?) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.from(optional: optional, scheduler: SharingStrategy.scheduler))
    }
}

extension SharedSequence where Element: RxAbstractInteger {
    /// Counts from zero, once per `period`. The first element comes after one `period`.
    ///
    /// All observers share one timer, which runs while there are observers.
    ///
    /// Like `ObservableType.interval(_:scheduler:)`, on the sharing scheduler.
    @inlinable
    public static func interval(_ period: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.interval(period, scheduler: SharingStrategy.scheduler))
    }

    /// Counts from zero, once per `period`. The first element comes after `dueTime`.
    ///
    /// Like `ObservableType.timer(_:period:scheduler:)`, but shared, on the sharing scheduler.
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.timer(dueTime, period: period, scheduler: SharingStrategy.scheduler))
    }
}
