// The names of operators in Combine. Each use is a compile-time error that names the replacement, so no body ever runs.

extension ObservableType {
    /// Use `subscribe(onNext:)`.
    @available(*, unavailable, renamed: "subscribe(onNext:)")
    @preconcurrency
    public func sink(receiveValue: @escaping @Sendable (Element) -> Void) -> any Disposable { fatalError() }

    /// Use `subscribe(onNext:onError:onCompleted:)`.
    @available(*, unavailable, message: "use 'subscribe(onNext:onError:onCompleted:)'")
    @preconcurrency
    public func sink(
        receiveCompletion: @escaping @Sendable (Result<Void, any Error>) -> Void,
        receiveValue: @escaping @Sendable (Element) -> Void
    ) -> any Disposable {
        fatalError()
    }

    /// Use `map(_:)`.
    @available(*, unavailable, renamed: "map(_:)", message: "every closure may throw")
    @preconcurrency
    public func tryMap<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Observable<Result> {
        fatalError()
    }

    /// Use `filter(_:)`.
    @available(*, unavailable, renamed: "filter(_:)", message: "every closure may throw")
    @preconcurrency
    public func tryFilter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        fatalError()
    }

    /// Use `catch(_:)`.
    @available(*, unavailable, message: "use 'catch' with a closure that throws the other error")
    @preconcurrency
    public func mapError<Failure: Error>(
        _ transform: @escaping @Sendable (any Error) -> Failure
    ) -> Observable<Element> {
        fatalError()
    }

    /// Use `catchAndReturn(_:)`.
    @available(*, unavailable, renamed: "catchAndReturn(_:)")
    public func replaceError(with output: Element) -> Observable<Element> { fatalError() }

    /// Use `ifEmpty(default:)`.
    @available(*, unavailable, renamed: "ifEmpty(default:)")
    public func replaceEmpty(with output: Element) -> Observable<Element> { fatalError() }

    /// Use `distinctUntilChanged()`.
    @available(*, unavailable, renamed: "distinctUntilChanged()")
    public func removeDuplicates() -> Observable<Element> { fatalError() }

    /// Use `distinctUntilChanged(_:)`.
    @available(*, unavailable, renamed: "distinctUntilChanged(_:)")
    @preconcurrency
    public func removeDuplicates(by predicate: @escaping @Sendable (Element, Element) -> Bool) -> Observable<Element> {
        fatalError()
    }

    /// Use `observe(on:)`.
    @available(*, unavailable, renamed: "observe(on:)")
    public func receive<Scheduler>(on scheduler: Scheduler) -> Observable<Element> { fatalError() }

    /// Use `take(_:)`.
    @available(*, unavailable, renamed: "take(_:)")
    public func prefix(_ maxLength: Int) -> Observable<Element> { fatalError() }

    /// Use `take(while:)`.
    @available(*, unavailable, renamed: "take(while:)")
    @preconcurrency
    public func prefix(while predicate: @escaping @Sendable (Element) -> Bool) -> Observable<Element> { fatalError() }

    /// Use `take(until:)`.
    @available(*, unavailable, renamed: "take(until:)")
    public func prefix<Other: ObservableType>(untilOutputFrom publisher: Other) -> Observable<Element> {
        fatalError()
    }

    /// Use `skip(_:)`.
    @available(*, unavailable, renamed: "skip(_:)")
    public func dropFirst(_ count: Int = 1) -> Observable<Element> { fatalError() }

    /// Use `skip(while:)`.
    @available(*, unavailable, renamed: "skip(while:)")
    @preconcurrency
    public func drop(while predicate: @escaping @Sendable (Element) -> Bool) -> Observable<Element> { fatalError() }

    /// Use `skip(until:)`.
    @available(*, unavailable, renamed: "skip(until:)")
    public func drop<Other: ObservableType>(untilOutputFrom publisher: Other) -> Observable<Element> { fatalError() }

    /// Use `ignoreElements()`.
    @available(*, unavailable, renamed: "ignoreElements()")
    public func ignoreOutput() -> Observable<Never> { fatalError() }

    /// Use `toArray()`.
    @available(*, unavailable, renamed: "toArray()")
    public func collect() -> Single<[Element]> { fatalError() }

    /// Use `startWith(_:)`.
    @available(*, unavailable, renamed: "startWith(_:)")
    public func prepend(_ elements: Element...) -> Observable<Element> { fatalError() }

    /// Use `concat(_:)`.
    @available(*, unavailable, message: "use 'concat' with an observable, such as '.of(1, 2)'")
    public func append(_ elements: Element...) -> Observable<Element> { fatalError() }

    /// Use `Observable.combineLatest(_:_:)`.
    @available(*, unavailable, message: "use 'Observable.combineLatest(a, b)'")
    public func combineLatest<Other: ObservableType>(_ other: Other) -> Observable<(Element, Other.Element)> {
        fatalError()
    }

    /// Use `Observable.combineLatest(_:_:resultSelector:)`.
    @available(*, unavailable, message: "use 'Observable.combineLatest(a, b) { ... }'")
    @preconcurrency
    public func combineLatest<Other: ObservableType, Result>(
        _ other: Other, _ transform: @escaping @Sendable (Element, Other.Element) -> Result
    ) -> Observable<Result> {
        fatalError()
    }

    /// Use `Observable.zip(_:_:)`.
    @available(*, unavailable, message: "use 'Observable.zip(a, b)'")
    public func zip<Other: ObservableType>(_ other: Other) -> Observable<(Element, Other.Element)> { fatalError() }

    /// Use `do(onNext:onError:onCompleted:)`.
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

    /// Use `subscribe(onNext:)`.
    @available(*, unavailable, message: "use 'subscribe(onNext:)', or RxRelay's 'bind(to:)' with a relay or a 'Binder'")
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Element>, on object: Root) -> any Disposable {
        fatalError()
    }

    /// Use `asObservable()`.
    @available(*, unavailable, renamed: "asObservable()", message: "one type covers all chains: 'Observable'")
    public func eraseToAnyPublisher() -> Observable<Element> { fatalError() }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Use `switchLatest()`.
    @available(*, unavailable, renamed: "switchLatest()")
    public func switchToLatest() -> Observable<Element.Element> { fatalError() }
}

extension SubjectType {
    /// Use `onNext(_:)`.
    @available(*, unavailable, renamed: "onNext(_:)")
    public func send(_ value: Observer.Element) { fatalError() }

    /// Use `onCompleted()` or `onError(_:)`.
    @available(*, unavailable, message: "use 'onCompleted()' or 'onError(_:)'")
    public func send(completion: Result<Void, any Error>) { fatalError() }
}

extension Disposable {
    /// Use `disposed(by:)`.
    @available(*, unavailable, message: "use 'disposed(by:)' with a 'DisposeBag'")
    public func store<Cancellables>(in set: inout Cancellables) { fatalError() }

    /// Use `dispose()`.
    @available(*, unavailable, renamed: "dispose()")
    public func cancel() { fatalError() }
}

extension BehaviorSubject {
    /// Use `init(value:)`.
    @available(*, unavailable, renamed: "init(value:)")
    public convenience init(_ value: Element) { fatalError() }
}

/// Use `PublishSubject`.
@available(*, unavailable, renamed: "PublishSubject", message: "an observable has no failure type")
public typealias PassthroughSubject<Output, Failure: Error> = PublishSubject<Output>

/// Use `BehaviorSubject`.
@available(*, unavailable, renamed: "BehaviorSubject", message: "an observable has no failure type")
public typealias CurrentValueSubject<Output, Failure: Error> = BehaviorSubject<Output>

/// Use `Observable`.
@available(*, unavailable, renamed: "Observable", message: "an observable has no failure type")
public typealias AnyPublisher<Output, Failure: Error> = Observable<Output>

/// Use `DisposeBag`.
@available(*, unavailable, message: "keep an 'any Disposable', or a 'DisposeBag' in place of a set")
public enum AnyCancellable: Hashable {}
