// Combine's names. They exist for their message only: the compiler names the declaration to use. It rejects each call,
// so no body runs.

extension ObservableType {
    /// Unavailable: `subscribe(onNext:)` is meant.
    @available(*, unavailable, renamed: "subscribe(onNext:)")
    @preconcurrency
    public func sink(receiveValue: @escaping @Sendable (Element) -> Void) -> any Disposable { fatalError() }

    /// Unavailable: `subscribe(onNext:onError:onCompleted:)` is meant.
    @available(*, unavailable, message: "use 'subscribe(onNext:onError:onCompleted:)'")
    @preconcurrency
    public func sink(
        receiveCompletion: @escaping @Sendable (Result<Void, any Error>) -> Void,
        receiveValue: @escaping @Sendable (Element) -> Void
    ) -> any Disposable {
        fatalError()
    }

    /// Unavailable: `map(_:)` is meant.
    @available(*, unavailable, renamed: "map(_:)", message: "every closure may throw")
    @preconcurrency
    public func tryMap<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Observable<Result> {
        fatalError()
    }

    /// Unavailable: `filter(_:)` is meant.
    @available(*, unavailable, renamed: "filter(_:)", message: "every closure may throw")
    @preconcurrency
    public func tryFilter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        fatalError()
    }

    /// Unavailable: `catch(_:)` is meant.
    @available(*, unavailable, message: "use 'catch' with a closure that throws the other error")
    @preconcurrency
    public func mapError<Failure: Error>(
        _ transform: @escaping @Sendable (any Error) -> Failure
    ) -> Observable<Element> {
        fatalError()
    }

    /// Unavailable: `catchAndReturn(_:)` is meant.
    @available(*, unavailable, renamed: "catchAndReturn(_:)")
    public func replaceError(with output: Element) -> Observable<Element> { fatalError() }

    /// Unavailable: `ifEmpty(default:)` is meant.
    @available(*, unavailable, renamed: "ifEmpty(default:)")
    public func replaceEmpty(with output: Element) -> Observable<Element> { fatalError() }

    /// Unavailable: `distinctUntilChanged()` is meant.
    @available(*, unavailable, renamed: "distinctUntilChanged()")
    public func removeDuplicates() -> Observable<Element> { fatalError() }

    /// Unavailable: `distinctUntilChanged(_:)` is meant.
    @available(*, unavailable, renamed: "distinctUntilChanged(_:)")
    @preconcurrency
    public func removeDuplicates(by predicate: @escaping @Sendable (Element, Element) -> Bool) -> Observable<Element> {
        fatalError()
    }

    /// Unavailable: `observe(on:)` is meant.
    @available(*, unavailable, renamed: "observe(on:)")
    public func receive<Scheduler>(on scheduler: Scheduler) -> Observable<Element> { fatalError() }

    /// Unavailable: `take(_:)` is meant.
    @available(*, unavailable, renamed: "take(_:)")
    public func prefix(_ maxLength: Int) -> Observable<Element> { fatalError() }

    /// Unavailable: `take(while:)` is meant.
    @available(*, unavailable, renamed: "take(while:)")
    @preconcurrency
    public func prefix(while predicate: @escaping @Sendable (Element) -> Bool) -> Observable<Element> { fatalError() }

    /// Unavailable: `take(until:)` is meant.
    @available(*, unavailable, renamed: "take(until:)")
    public func prefix<Other: ObservableType>(untilOutputFrom publisher: Other) -> Observable<Element> {
        fatalError()
    }

    /// Unavailable: `skip(_:)` is meant.
    @available(*, unavailable, renamed: "skip(_:)")
    public func dropFirst(_ count: Int = 1) -> Observable<Element> { fatalError() }

    /// Unavailable: `skip(while:)` is meant.
    @available(*, unavailable, renamed: "skip(while:)")
    @preconcurrency
    public func drop(while predicate: @escaping @Sendable (Element) -> Bool) -> Observable<Element> { fatalError() }

    /// Unavailable: `skip(until:)` is meant.
    @available(*, unavailable, renamed: "skip(until:)")
    public func drop<Other: ObservableType>(untilOutputFrom publisher: Other) -> Observable<Element> { fatalError() }

    /// Unavailable: `ignoreElements()` is meant.
    @available(*, unavailable, renamed: "ignoreElements()")
    public func ignoreOutput() -> Observable<Never> { fatalError() }

    /// Unavailable: `toArray()` is meant.
    @available(*, unavailable, renamed: "toArray()")
    public func collect() -> Single<[Element]> { fatalError() }

    /// Unavailable: `startWith(_:)` is meant.
    @available(*, unavailable, renamed: "startWith(_:)")
    public func prepend(_ elements: Element...) -> Observable<Element> { fatalError() }

    /// Unavailable: `concat(_:)` is meant.
    @available(*, unavailable, message: "use 'concat' with an observable, such as '.of(1, 2)'")
    public func append(_ elements: Element...) -> Observable<Element> { fatalError() }

    /// Unavailable: `Observable.combineLatest(_:_:)` is meant.
    @available(*, unavailable, message: "use 'Observable.combineLatest(a, b)'")
    public func combineLatest<Other: ObservableType>(_ other: Other) -> Observable<(Element, Other.Element)> {
        fatalError()
    }

    /// Unavailable: `Observable.combineLatest(_:_:resultSelector:)` is meant.
    @available(*, unavailable, message: "use 'Observable.combineLatest(a, b) { ... }'")
    @preconcurrency
    public func combineLatest<Other: ObservableType, Result>(
        _ other: Other, _ transform: @escaping @Sendable (Element, Other.Element) -> Result
    ) -> Observable<Result> {
        fatalError()
    }

    /// Unavailable: `Observable.zip(_:_:)` is meant.
    @available(*, unavailable, message: "use 'Observable.zip(a, b)'")
    public func zip<Other: ObservableType>(_ other: Other) -> Observable<(Element, Other.Element)> { fatalError() }

    /// Unavailable: `do(onNext:onError:onCompleted:)` is meant.
    @available(*, unavailable, message: "use 'do(onNext:onError:onCompleted:onSubscribe:onDispose:)'")
    @preconcurrency
    public func handleEvents(
        receiveSubscription: (@Sendable (any Disposable) -> Void)? = nil,
        receiveOutput: (@Sendable (Element) -> Void)? = nil,
        receiveCompletion: (@Sendable (Result<Void, any Error>) -> Void)? = nil,
        receiveCancel: (@Sendable () -> Void)? = nil
    ) -> Observable<Element> {
        fatalError()
    }

    /// Unavailable: `subscribe(onNext:)` is meant.
    @available(*, unavailable, message: "use 'subscribe(onNext:)', or RxRelay's 'bind(to:)' with a relay or a 'Binder'")
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Element>, on object: Root) -> any Disposable {
        fatalError()
    }

    /// Unavailable: `asObservable()` is meant.
    @available(*, unavailable, renamed: "asObservable()", message: "one type covers all chains: 'Observable'")
    public func eraseToAnyPublisher() -> Observable<Element> { fatalError() }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Unavailable: `switchLatest()` is meant.
    @available(*, unavailable, renamed: "switchLatest()")
    public func switchToLatest() -> Observable<Element.Element> { fatalError() }
}

extension SubjectType {
    /// Unavailable: `onNext(_:)` is meant.
    @available(*, unavailable, renamed: "onNext(_:)")
    public func send(_ value: Observer.Element) { fatalError() }

    /// Unavailable: `onCompleted()` or `onError(_:)` is meant.
    @available(*, unavailable, message: "use 'onCompleted()' or 'onError(_:)'")
    public func send(completion: Result<Void, any Error>) { fatalError() }
}

extension Disposable {
    /// Unavailable: `disposed(by:)` is meant.
    @available(*, unavailable, message: "use 'disposed(by:)' with a 'DisposeBag'")
    public func store<Cancellables>(in set: inout Cancellables) { fatalError() }

    /// Unavailable: `dispose()` is meant.
    @available(*, unavailable, renamed: "dispose()")
    public func cancel() { fatalError() }
}

extension BehaviorSubject {
    /// Unavailable: `init(value:)` is meant.
    @available(*, unavailable, renamed: "init(value:)")
    public convenience init(_ value: Element) { fatalError() }
}

/// Unavailable: `PublishSubject` is meant.
@available(*, unavailable, renamed: "PublishSubject", message: "an observable has no failure type")
public typealias PassthroughSubject<Output, Failure: Error> = PublishSubject<Output>

/// Unavailable: `BehaviorSubject` is meant.
@available(*, unavailable, renamed: "BehaviorSubject", message: "an observable has no failure type")
public typealias CurrentValueSubject<Output, Failure: Error> = BehaviorSubject<Output>

/// Unavailable: `Observable` is meant.
@available(*, unavailable, renamed: "Observable", message: "an observable has no failure type")
public typealias AnyPublisher<Output, Failure: Error> = Observable<Output>

/// Unavailable: `DisposeBag` is meant.
@available(*, unavailable, message: "keep an 'any Disposable', or a 'DisposeBag' in place of a set")
public enum AnyCancellable: Hashable {}
