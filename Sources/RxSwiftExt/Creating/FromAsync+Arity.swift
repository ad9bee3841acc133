import RxSwift

// Written by scripts/generate-arities.py: each overload forwards its arguments.

extension Observable {
    /// Returns a function of its argument. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A>(
        _ asyncRequest: @escaping (A, @escaping (Element) -> Void) -> Void
    ) -> (A) -> Observable<Element> {
        { a in Observable<Element>.fromAsync { asyncRequest(a, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A, B>(
        _ asyncRequest: @escaping (A, B, @escaping (Element) -> Void) -> Void
    ) -> (A, B) -> Observable<Element> {
        { a, b in Observable<Element>.fromAsync { asyncRequest(a, b, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A, B, C>(
        _ asyncRequest: @escaping (A, B, C, @escaping (Element) -> Void) -> Void
    ) -> (A, B, C) -> Observable<Element> {
        { a, b, c in Observable<Element>.fromAsync { asyncRequest(a, b, c, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A, B, C, D>(
        _ asyncRequest: @escaping (A, B, C, D, @escaping (Element) -> Void) -> Void
    ) -> (A, B, C, D) -> Observable<Element> {
        { a, b, c, d in Observable<Element>.fromAsync { asyncRequest(a, b, c, d, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A, B, C, D, E>(
        _ asyncRequest: @escaping (A, B, C, D, E, @escaping (Element) -> Void) -> Void
    ) -> (A, B, C, D, E) -> Observable<Element> {
        { a, b, c, d, e in Observable<Element>.fromAsync { asyncRequest(a, b, c, d, e, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A, B, C, D, E, F>(
        _ asyncRequest: @escaping (A, B, C, D, E, F, @escaping (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F) -> Observable<Element> {
        { a, b, c, d, e, f in Observable<Element>.fromAsync { asyncRequest(a, b, c, d, e, f, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A, B, C, D, E, F, G>(
        _ asyncRequest: @escaping (A, B, C, D, E, F, G, @escaping (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G) -> Observable<Element> {
        { a, b, c, d, e, f, g in Observable<Element>.fromAsync { asyncRequest(a, b, c, d, e, f, g, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A, B, C, D, E, F, G, H>(
        _ asyncRequest: @escaping (A, B, C, D, E, F, G, H, @escaping (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G, H) -> Observable<Element> {
        { a, b, c, d, e, f, g, h in Observable<Element>.fromAsync { asyncRequest(a, b, c, d, e, f, g, h, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A, B, C, D, E, F, G, H, I>(
        _ asyncRequest: @escaping (A, B, C, D, E, F, G, H, I, @escaping (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G, H, I) -> Observable<Element> {
        { a, b, c, d, e, f, g, h, i in Observable<Element>.fromAsync { asyncRequest(a, b, c, d, e, f, g, h, i, $0) } }
    }
}

extension Observable {
    /// Returns a function of these arguments. Each subscription to its result makes the request.
    ///
    /// See ``fromAsync(_:)``.
    public static func fromAsync<A, B, C, D, E, F, G, H, I, J>(
        _ asyncRequest: @escaping (A, B, C, D, E, F, G, H, I, J, @escaping (Element) -> Void) -> Void
    ) -> (A, B, C, D, E, F, G, H, I, J) -> Observable<Element> {
        { a, b, c, d, e, f, g, h, i, j in
            Observable<Element>.fromAsync { asyncRequest(a, b, c, d, e, f, g, h, i, j, $0) }
        }
    }
}
