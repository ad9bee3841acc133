public import Dispatch

// Operators of Infallible with one source. Each forwards to the observable's operator that its comment names.

extension Infallible {
    /// Calls closures for the events. See
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
    /// See ``ObservableType/map(_:)``.
    @inlinable
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<Result> {
        Infallible<Result>(asObservable().map(transform))
    }

    /// The results of `transform` that are not nil.
    ///
    /// See ``ObservableType/compactMap(_:)``.
    @inlinable
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) -> Result?) -> Infallible<Result> {
        Infallible<Result>(asObservable().compactMap(transform))
    }

    /// The elements that satisfy `predicate`.
    ///
    /// See ``ObservableType/filter(_:)``.
    @inlinable
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().filter(predicate))
    }

    /// The accumulated value after each element. `accumulator` updates the value in place.
    ///
    /// See ``ObservableType/scan(into:accumulator:)``.
    @inlinable
    @preconcurrency
    public func scan<Seed>(
        into seed: Seed, accumulator: @escaping @Sendable (inout Seed, Element) -> Void
    ) -> Infallible<Seed> {
        Infallible<Seed>(asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// The accumulated value after each element. `accumulator` returns the new value for the previous value and the
    /// element.
    ///
    /// See ``ObservableType/scan(_:accumulator:)``.
    @inlinable
    @preconcurrency
    public func scan<Seed>(_ seed: Seed, accumulator: @escaping @Sendable (Seed, Element) -> Seed) -> Infallible<Seed> {
        Infallible<Seed>(asObservable().scan(seed, accumulator: accumulator))
    }

    /// `element`, then the elements of this sequence.
    ///
    /// See ``ObservableType/startWith(_:)``.
    @inlinable
    public func startWith(_ element: Element) -> Infallible<Element> {
        Infallible(asObservable().startWith(element))
    }

    /// Each element together with `obj`. Completes at the first element after `obj` has been deallocated.
    ///
    /// See ``ObservableType/withUnretained(_:resultSelector:)``.
    @inlinable
    @preconcurrency
    public func withUnretained<Object: AnyObject, Out>(
        _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Infallible<Out> {
        Infallible<Out>(asObservable().withUnretained(obj, resultSelector: resultSelector))
    }

    /// Each element together with `obj`. Completes at the first element after `obj` has been deallocated.
    ///
    /// See ``ObservableType/withUnretained(_:)``.
    @inlinable
    public func withUnretained<Object: AnyObject>(_ obj: Object) -> Infallible<(Object, Element)> {
        withUnretained(obj) { ($0, $1) }
    }

    /// Shares one subscription to this sequence among all observers.
    ///
    /// See ``ObservableType/share(replay:scope:)``.
    @inlinable
    public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<Element> {
        Infallible(asObservable().share(replay: replay, scope: scope))
    }

    /// Prints every event.
    ///
    /// See ``ObservableType/debug(_:trimOutput:file:line:function:)``.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible(asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }
}

// MARK: distinctUntilChanged

extension InfallibleType where Element: Equatable {
    /// The elements that differ from the previous element.
    ///
    /// See ``ObservableType/distinctUntilChanged()``.
    @inlinable
    public func distinctUntilChanged() -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged())
    }
}

extension InfallibleType {
    /// The elements whose property at `keyPath` differs from that of the previous element.
    ///
    /// See ``ObservableType/distinctUntilChanged(at:)``.
    @inlinable
    public func distinctUntilChanged(at keyPath: KeyPath<Element, some Equatable>) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(at: keyPath))
    }

    /// The elements whose key differs from that of the previous element.
    ///
    /// See ``ObservableType/distinctUntilChanged(_:)-((Self.Element)->Equatable)``.
    @inlinable
    @preconcurrency
    public func distinctUntilChanged(
        _ keySelector: @escaping @Sendable (Element) throws -> some Equatable
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector))
    }

    /// The elements that differ from the previous element, as compared by `comparer`.
    ///
    /// See ``ObservableType/distinctUntilChanged(_:)-((Self.Element,Self.Element)->Bool)``.
    @inlinable
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(comparer))
    }

    /// The elements whose key differs from that of the previous element, as compared by `comparer`.
    ///
    /// See ``ObservableType/distinctUntilChanged(_:comparer:)``.
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
    /// See ``ObservableType/take(_:)``.
    @inlinable
    public func take(_ count: Int) -> Infallible<Element> {
        Infallible(asObservable().take(count))
    }

    /// The elements that are sent before `duration` has passed.
    ///
    /// See ``ObservableType/take(for:scheduler:)``.
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().take(for: duration, scheduler: scheduler))
    }

    /// The elements that come before `other` sends its first element.
    ///
    /// See ``ObservableType/take(until:)``.
    public func take(until other: some InfallibleType) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable()))
    }

    /// The elements that come before `other` sends its first element.
    ///
    /// See ``ObservableType/take(until:)``.
    public func take(until other: some ObservableType) -> Infallible<Element> {
        Infallible(asObservable().take(until: other))
    }

    /// The elements before the first one that satisfies `predicate`. With `.inclusive`, that element is also sent.
    ///
    /// See ``ObservableType/take(until:behavior:)``.
    @inlinable
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(until: predicate, behavior: behavior))
    }

    /// The elements before the first one that does not satisfy `predicate`. With `.inclusive`, that element is also
    /// sent.
    ///
    /// See ``ObservableType/take(while:behavior:)``.
    @inlinable
    @preconcurrency
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(while: predicate, behavior: behavior))
    }

    /// The elements, starting with the first one that does not satisfy `predicate`.
    ///
    /// See ``ObservableType/skip(while:)``.
    @inlinable
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Infallible<Element> {
        Infallible(asObservable().skip(while: predicate))
    }

    /// The elements that come after `other` has sent its first element.
    ///
    /// See ``ObservableType/skip(until:)``.
    public func skip(until other: some ObservableType) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other))
    }
}

// MARK: throttle, debounce

extension InfallibleType {
    /// The first element, then at most one element in each span of `dueTime`.
    ///
    /// See ``ObservableType/throttle(_:latest:scheduler:)``.
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    /// Each element that no other element follows within `dueTime`.
    ///
    /// See ``ObservableType/debounce(_:scheduler:)``.
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().debounce(dueTime, scheduler: scheduler))
    }
}
