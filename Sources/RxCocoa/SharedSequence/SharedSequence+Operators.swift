public import Dispatch
import RxSwift

// For threads and closures, see ``SharedSequence``.

extension SharedSequenceConvertibleType {
    /// The elements, transformed.
    ///
    /// See `ObservableType.map(_:)`.
    @inlinable
    @preconcurrency
    public func map<Result>(
        _ selector: @escaping @Sendable (Element) -> Result
    ) -> SharedSequence<SharingStrategy, Result> {
        SharedSequence<SharingStrategy, Result>(asObservable().map(selector))
    }

    /// The transformed elements, without nil.
    ///
    /// See `ObservableType.compactMap(_:)`.
    @inlinable
    @preconcurrency
    public func compactMap<Result>(
        _ selector: @escaping @Sendable (Element) -> Result?
    ) -> SharedSequence<SharingStrategy, Result> {
        SharedSequence<SharingStrategy, Result>(asObservable().compactMap(selector))
    }

    /// The elements that satisfy `predicate`.
    ///
    /// See `ObservableType.filter(_:)`.
    @inlinable
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().filter(predicate))
    }

    /// The elements after the first `count`.
    ///
    /// See `ObservableType.skip(_:)`.
    @inlinable
    public func skip(_ count: Int) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().skip(count))
    }

    /// `element`, then the elements of this sequence.
    ///
    /// See `ObservableType.startWith(_:)`.
    @inlinable
    public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().startWith(element))
    }

    /// The results of `accumulator`, which is called with its last result and each element.
    ///
    /// See `ObservableType.scan(_:accumulator:)`.
    @inlinable
    @preconcurrency
    public func scan<A>(
        _ seed: A, accumulator: @escaping @Sendable (A, Element) -> A
    ) -> SharedSequence<SharingStrategy, A> {
        SharedSequence<SharingStrategy, A>(asObservable().scan(seed, accumulator: accumulator))
    }

    /// Calls the given closures as events pass. See
    /// `ObservableType.do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)`.
    @inlinable
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) -> Void)? = nil,
        afterNext: (@Sendable (Element) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        afterCompleted: (@Sendable () -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(
            asObservable().do(
                onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Prints every event.
    ///
    /// See `ObservableType.debug(_:trimOutput:file:line:function:)`.
    @inlinable
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(
            asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }
}

// MARK: distinctUntilChanged

extension SharedSequenceConvertibleType where Element: Equatable {
    /// The elements that differ from the previous element.
    ///
    /// See `ObservableType.distinctUntilChanged()`.
    @inlinable
    public func distinctUntilChanged() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinctUntilChanged())
    }
}

extension SharedSequenceConvertibleType {
    /// The elements whose key differs from the previous element's key.
    ///
    /// See `ObservableType.distinctUntilChanged(_:)`.
    @inlinable
    @preconcurrency
    public func distinctUntilChanged(
        _ keySelector: @escaping @Sendable (Element) -> some Equatable
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinctUntilChanged(keySelector))
    }

    /// The elements for which `comparer`, called with the previous element and the new one, returns false.
    ///
    /// See `ObservableType.distinctUntilChanged(_:)`.
    @inlinable
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) -> Bool
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinctUntilChanged(comparer))
    }

    /// The elements for which `comparer`, called with the keys of the previous element and the new one, returns false.
    ///
    /// See `ObservableType.distinctUntilChanged(_:comparer:)`.
    @inlinable
    @preconcurrency
    public func distinctUntilChanged<K>(
        _ keySelector: @escaping @Sendable (Element) -> K, comparer: @escaping @Sendable (K, K) -> Bool
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }
}

// MARK: throttle, debounce, delay

extension SharedSequenceConvertibleType {
    /// The elements, at most one in each span of `dueTime`. If `latest` is true, the last element of a span is sent at
    /// the end of the span.
    ///
    /// Like `ObservableType.throttle(_:latest:scheduler:)`, on the sharing scheduler.
    @inlinable
    public func throttle(_ dueTime: RxTimeInterval, latest: Bool = true) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().throttle(dueTime, latest: latest, scheduler: SharingStrategy.scheduler))
    }

    /// The elements that are not followed by another element within `dueTime`.
    ///
    /// Like `ObservableType.debounce(_:scheduler:)`, on the sharing scheduler.
    @inlinable
    public func debounce(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().debounce(dueTime, scheduler: SharingStrategy.scheduler))
    }

    /// The elements, each `dueTime` later.
    ///
    /// Like `ObservableType.delay(_:scheduler:)`, on the sharing scheduler.
    @inlinable
    public func delay(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().delay(dueTime, scheduler: SharingStrategy.scheduler))
    }
}

// MARK: withUnretained

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
    /// The results of `resultSelector` for `obj` and each element. Completes at the first element after the release of
    /// `obj`.
    ///
    /// See `ObservableType.withUnretained(_:resultSelector:)`.
    @inlinable
    @preconcurrency
    public func withUnretained<Object: AnyObject, Out>(
        _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> SharedSequence<SharingStrategy, Out> {
        SharedSequence<SharingStrategy, Out>(asObservable().withUnretained(obj, resultSelector: resultSelector))
    }

    /// The elements, each with `obj`. Completes at the first element after the release of `obj`.
    ///
    /// See `ObservableType.withUnretained(_:)`.
    @inlinable
    public func withUnretained<Object: AnyObject>(_ obj: Object) -> SharedSequence<SharingStrategy, (Object, Element)> {
        withUnretained(obj) { ($0, $1) }
    }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
    /// Unavailable, because a driver retains its latest element and would thereby retain the object.
    @available(
        *, unavailable,
        message:
            "withUnretained has been deprecated for Driver. Consider using `drive(with:onNext:onCompleted:onDisposed:)`, instead"
    )
    @preconcurrency
    public func withUnretained<Object: AnyObject, Out>(
        _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> SharedSequence<SharingStrategy, Out> {
        fatalError()
    }

    /// Unavailable, because a driver retains its latest element and would thereby retain the object.
    @available(
        *, unavailable,
        message:
            "withUnretained has been deprecated for Driver. Consider using `drive(with:onNext:onCompleted:onDisposed:)`, instead"
    )
    public func withUnretained<Object: AnyObject>(_ obj: Object) -> SharedSequence<SharingStrategy, (Object, Element)> {
        fatalError()
    }
}
