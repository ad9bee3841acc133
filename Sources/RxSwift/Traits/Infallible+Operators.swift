public import Dispatch

// What an infallible has of one source. Each is the observable's operator: its documentation says more.

extension Infallible {
    /// Calls the given closures as events pass. See
    /// ``ObservableType/do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)``.
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Infallible<Element> {
        Infallible(
            source.do(
                onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }
}

extension InfallibleType {
    /// The elements, transformed.
    ///
    /// As ``ObservableType/map(_:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<Result> {
        Infallible<Result>(asObservable().map(transform))
    }

    /// The elements, transformed; without those of which nil is made.
    ///
    /// As ``ObservableType/compactMap(_:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) -> Result?) -> Infallible<Result> {
        Infallible<Result>(asObservable().compactMap(transform))
    }

    /// The elements that satisfy `predicate`.
    ///
    /// As ``ObservableType/filter(_:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().filter(predicate))
    }

    /// What `accumulator` makes of each element and its last result.
    ///
    /// As ``ObservableType/scan(into:accumulator:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func scan<Seed>(into seed: Seed, accumulator: @escaping @Sendable (inout Seed, Element) -> Void)
        -> Infallible<Seed>
    {
        Infallible<Seed>(asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// What `accumulator` makes of each element and its last result.
    ///
    /// As ``ObservableType/scan(_:accumulator:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func scan<Seed>(_ seed: Seed, accumulator: @escaping @Sendable (Seed, Element) -> Seed) -> Infallible<Seed> {
        Infallible<Seed>(asObservable().scan(seed, accumulator: accumulator))
    }

    /// `element`, then the elements of this sequence.
    ///
    /// As ``ObservableType/startWith(_:)``, but that it cannot fail.
    @inlinable
    public func startWith(_ element: Element) -> Infallible<Element> {
        Infallible(asObservable().startWith(element))
    }

    /// The elements, each with `obj`, while it lives; then completes.
    ///
    /// As ``ObservableType/withUnretained(_:resultSelector:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func withUnretained<Object: AnyObject, Out>(
        _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Infallible<Out> {
        Infallible<Out>(asObservable().withUnretained(obj, resultSelector: resultSelector))
    }

    /// The elements, each with `obj`, while it lives; then completes.
    ///
    /// As ``ObservableType/withUnretained(_:)``, but that it cannot fail.
    @inlinable
    public func withUnretained<Object: AnyObject>(_ obj: Object) -> Infallible<(Object, Element)> {
        withUnretained(obj) { ($0, $1) }
    }

    /// One subscription to this sequence for all observers.
    ///
    /// As ``ObservableType/share(replay:scope:)``, but that it cannot fail.
    @inlinable
    public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<Element> {
        Infallible(asObservable().share(replay: replay, scope: scope))
    }

    /// Prints every event.
    ///
    /// As ``ObservableType/debug(_:trimOutput:file:line:function:)``, but that it cannot fail.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible(asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }
}

// MARK: distinctUntilChanged

extension InfallibleType where Element: Equatable {
    /// The elements that differ from the one before.
    ///
    /// As ``ObservableType/distinctUntilChanged()``, but that it cannot fail.
    @inlinable
    public func distinctUntilChanged() -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged())
    }
}

extension InfallibleType {
    /// The elements whose property at `keyPath` differs from that of the one before.
    ///
    /// As ``ObservableType/distinctUntilChanged(at:)``, but that it cannot fail.
    @inlinable
    public func distinctUntilChanged(at keyPath: KeyPath<Element, some Equatable>) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(at: keyPath))
    }

    /// The elements whose key differs from that of the one before.
    ///
    /// As ``ObservableType/distinctUntilChanged(_:)-((Self.Element)->Equatable)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func distinctUntilChanged(
        _ keySelector: @escaping @Sendable (Element) throws -> some Equatable
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector))
    }

    /// The elements that `comparer` does not find equal to the one before.
    ///
    /// As ``ObservableType/distinctUntilChanged(_:)-((Self.Element,Self.Element)->Bool)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func distinctUntilChanged(_ comparer: @escaping @Sendable (Element, Element) throws -> Bool) -> Infallible<
        Element
    > {
        Infallible(asObservable().distinctUntilChanged(comparer))
    }

    /// The elements whose key `comparer` does not find equal to that of the one before.
    ///
    /// As ``ObservableType/distinctUntilChanged(_:comparer:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func distinctUntilChanged<K>(
        _ keySelector: @escaping @Sendable (Element) throws -> K, comparer: @escaping @Sendable (K, K) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }
}

// MARK: take, skip

extension InfallibleType {
    /// The first `count` elements.
    ///
    /// As ``ObservableType/take(_:)``, but that it cannot fail.
    @inlinable
    public func take(_ count: Int) -> Infallible<Element> {
        Infallible(asObservable().take(count))
    }

    /// The elements that come before `duration` has passed.
    ///
    /// As ``ObservableType/take(for:scheduler:)``, but that it cannot fail.
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().take(for: duration, scheduler: scheduler))
    }

    /// The elements before the first one of `other`.
    ///
    /// As ``ObservableType/take(until:)``, but that it cannot fail.
    public func take(until other: some InfallibleType) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable()))
    }

    /// The elements before the first one of `other`.
    ///
    /// As ``ObservableType/take(until:)``, but that it cannot fail.
    public func take(until other: some ObservableType) -> Infallible<Element> {
        Infallible(asObservable().take(until: other))
    }

    /// The elements before the first one that satisfies `predicate`, and that one, too, if `behavior` says so.
    ///
    /// As ``ObservableType/take(until:behavior:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(until: predicate, behavior: behavior))
    }

    /// The elements before the first one that does not satisfy `predicate`, and that one, too, if `behavior` says so.
    ///
    /// As ``ObservableType/take(while:behavior:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(while: predicate, behavior: behavior))
    }

    /// The elements from the first one on that does not satisfy `predicate`.
    ///
    /// As ``ObservableType/skip(while:)``, but that it cannot fail.
    @inlinable
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Infallible<Element> {
        Infallible(asObservable().skip(while: predicate))
    }

    /// The elements after the first one of `other`.
    ///
    /// As ``ObservableType/skip(until:)``, but that it cannot fail.
    public func skip(until other: some ObservableType) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other))
    }
}

// MARK: throttle, debounce

extension InfallibleType {
    /// The elements, at most one in `dueTime`.
    ///
    /// As ``ObservableType/throttle(_:latest:scheduler:)``, but that it cannot fail.
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    /// The elements after which none comes for `dueTime`.
    ///
    /// As ``ObservableType/debounce(_:scheduler:)``, but that it cannot fail.
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().debounce(dueTime, scheduler: scheduler))
    }
}
