// Each call is a compile-time error, so no body ever runs. For a synchronous closure, the compiler prefers the
// available operator (see Tests/RxSwiftTests/TypeCheckingTests.swift).

extension ObservableType {
    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure cannot await; use 'concatMapAsync' (in order) or 'flatMapAsync'")
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) async throws -> Result) -> Observable<Result> {
        fatalError()
    }

    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure cannot await; use 'concatMapAsync', then 'compactMap { $0 }'")
    @preconcurrency
    public func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) async throws -> Result?
    ) -> Observable<Result> {
        fatalError()
    }

    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure returns a sequence; if the closure awaits, use 'flatMapAsync'")
    @preconcurrency
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        fatalError()
    }

    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure returns a sequence; if the closure awaits, use 'concatMapAsync'")
    @preconcurrency
    public func concatMap<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        fatalError()
    }

    /// Asynchronous closures are not supported.
    @available(
        *, unavailable, message: "its closure returns a sequence; if the closure awaits, use 'flatMapLatestAsync'"
    )
    @preconcurrency
    public func flatMapLatest<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        fatalError()
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure cannot await; use 'flatMapAsync'")
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) async throws -> Result) -> Single<Result> {
        fatalError()
    }

    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure returns a sequence; if the closure awaits, use 'flatMapAsync'")
    @preconcurrency
    public func flatMap<Result>(_ selector: @escaping @Sendable (Element) async throws -> Result) -> Single<Result> {
        fatalError()
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure cannot await; use 'flatMapAsync'")
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) async throws -> Result) -> Maybe<Result> {
        fatalError()
    }

    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure returns a sequence; if the closure awaits, use 'flatMapAsync'")
    @preconcurrency
    public func flatMap<Result>(_ selector: @escaping @Sendable (Element) async throws -> Result) -> Maybe<Result> {
        fatalError()
    }
}

extension InfallibleType {
    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure cannot await; use 'flatMapAsync'")
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) async throws -> Result) -> Infallible<Result> {
        fatalError()
    }

    /// Asynchronous closures are not supported.
    @available(*, unavailable, message: "its closure returns a sequence; if the closure awaits, use 'flatMapAsync'")
    @preconcurrency
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Infallible<Result> {
        fatalError()
    }
}
