import RxSwift

// Written by scripts/generate-arities.py: each overload forwards its arguments.

extension Observable {
    /// Returns a function of its argument. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A>(
        _ asyncRequest: @escaping @Sendable (A, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A) -> Observable<Element> {
        { a in Observable<Element>.fromAsyncUnchecked { asyncRequest(a, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B>(
        _ asyncRequest: @escaping @Sendable (A, B, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A, B) -> Observable<Element> {
        { a, b in Observable<Element>.fromAsyncUnchecked { asyncRequest(a, b, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C>(
        _ asyncRequest: @escaping @Sendable (A, B, C, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A, B, C) -> Observable<Element> {
        { a, b, c in Observable<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A, B, C, D) -> Observable<Element> {
        { a, b, c, d in Observable<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, E, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A, B, C, D, E) -> Observable<Element> {
        { a, b, c, d, e in Observable<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, E, F, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F) -> Observable<Element> {
        { a, b, c, d, e, f in Observable<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F, G>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, E, F, G, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G) -> Observable<Element> {
        { a, b, c, d, e, f, g in Observable<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, g, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F, G, H>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, E, F, G, H, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G, H) -> Observable<Element> {
        { a, b, c, d, e, f, g, h in Observable<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, g, h, $0) }
        }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F, G, H, I>(
        _ asyncRequest: @escaping @Sendable (A, B, C, D, E, F, G, H, I, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G, H, I) -> Observable<Element> {
        { a, b, c, d, e, f, g, h, i in
            Observable<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, g, h, i, $0) }
        }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    @preconcurrency
    public static func fromAsync<A, B, C, D, E, F, G, H, I, J>(
        _ asyncRequest:
            @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, @escaping @Sendable (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G, H, I, J) -> Observable<Element> {
        { a, b, c, d, e, f, g, h, i, j in
            Observable<Element>.fromAsyncUnchecked { asyncRequest(a, b, c, d, e, f, g, h, i, j, $0) }
        }
    }
}
