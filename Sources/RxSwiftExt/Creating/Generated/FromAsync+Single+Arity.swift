import RxSwift

// Written by scripts/generate-arities.py: each overload forwards its arguments.

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of its argument. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, Er: Error>(
        _ asyncRequest: @escaping @Sendable (A, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A) -> Single<Element> {
        { a in Single<Element>.fromAsyncUnchecked { asyncRequest(a, $0) } }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, Er: Error>(
        _ asyncRequest: @escaping @Sendable (A, B, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A, B) -> Single<Element> {
        { a, b in Single<Element>.fromAsyncUnchecked { asyncRequest(a, b, $0) } }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, Er: Error>(
        _ asyncRequest: @escaping @Sendable (A, B, C, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A, B, C) -> Single<Element> {
        { a, b, c in Single<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, $0) } }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, Er: Error>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A, B, C, D) -> Single<Element> {
        { a, b, c, d in Single<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, $0) } }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, Er: Error>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, E, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A, B, C, D, E) -> Single<Element> {
        { a, b, c, d, e in Single<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, $0) } }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F, Er: Error>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, E, F, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A, B, C, D, E, F) -> Single<Element> {
        { a, b, c, d, e, f in Single<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, $0) } }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F, G, Er: Error>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, E, F, G, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G) -> Single<Element> {
        { a, b, c, d, e, f, g in Single<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, g, $0) } }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F, G, H, Er: Error>(
        _ asyncRequest:
            @escaping @Sendable (A, B, C, D, E, F, G, H, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G, H) -> Single<Element> {
        { a, b, c, d, e, f, g, h in Single<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, g, h, $0) } }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F, G, H, I, Er: Error>(
        _ asyncRequest:
            @escaping @Sendable (A, B, C, D, E, F, G, H, I, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G, H, I) -> Single<Element> {
        { a, b, c, d, e, f, g, h, i in
            Single<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, g, h, i, $0) }
        }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F, G, H, I, J, Er: Error>(
        _ asyncRequest:
            @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, @escaping @Sendable (Element?, Er?) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G, H, I, J) -> Single<Element> {
        { a, b, c, d, e, f, g, h, i, j in
            Single<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, g, h, i, j, $0) }
        }
    }
}
