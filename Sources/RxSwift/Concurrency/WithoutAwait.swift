// A closure that awaits nothing passes for an asynchronous one. Where RxSwift finds a mistake in it, because it returns no observable or
// Disposable, these find it too: they are chosen over the asynchronous forms and say so.

extension ObservableType {
    /// Calls `subscribe`, and completes. A mistake, as a rule: what it has started sends to a sequence that has ended.
    @available(
        *, deprecated, message: "return a Disposable, or await something: without either the sequence completes when the closure returns"
    )
    @_disfavoredOverload
    public static func create(_ subscribe: @escaping (AnyObserver<Element>) throws -> Void) -> Observable<Element> {
        create { observer in
            do {
                try subscribe(observer)
                observer.onCompleted()
            } catch {
                observer.onError(error)
            }
            return Disposables.create()
        }
    }

    /// The results of `selector`: it is `map`.
    @available(*, deprecated, message: "return an observable, await something, or use map")
    @_disfavoredOverload
    public func flatMap<Result>(_ selector: @escaping (Element) throws -> Result) -> Observable<Result> {
        map(selector)
    }

    /// The results of `selector`: it is `map`.
    @available(*, deprecated, message: "return an observable, await something, or use map")
    @_disfavoredOverload
    public func concatMap<Result>(_ selector: @escaping (Element) throws -> Result) -> Observable<Result> {
        map(selector)
    }

    /// The results of `selector`: it is `map`.
    @available(*, deprecated, message: "return an observable, await something, or use map")
    @_disfavoredOverload
    public func flatMapLatest<Result>(_ selector: @escaping (Element) throws -> Result) -> Observable<Result> {
        map(selector)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// The result of `selector`: it is `map`.
    @available(*, deprecated, message: "return a single, await something, or use map")
    @_disfavoredOverload
    public func flatMap<Result>(_ selector: @escaping (Element) throws -> Result) -> Single<Result> {
        map(selector)
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// The result of `selector`, where there is an element: it is `map`.
    @available(*, deprecated, message: "return a maybe, await something, or use map")
    @_disfavoredOverload
    public func flatMap<Result>(_ selector: @escaping (Element) throws -> Result) -> Maybe<Result> {
        map(selector)
    }
}

extension InfallibleType {
    /// The results of `selector`: it is `map`.
    @available(*, deprecated, message: "return an infallible, await something, or use map")
    @_disfavoredOverload
    public func flatMap<Result>(_ selector: @escaping (Element) -> Result) -> Infallible<Result> {
        map(selector)
    }

    /// The results of `selector`: it is `map`.
    @available(*, deprecated, message: "return an infallible, await something, or use map")
    @_disfavoredOverload
    public func concatMap<Result>(_ selector: @escaping (Element) -> Result) -> Infallible<Result> {
        map(selector)
    }

    /// The results of `selector`: it is `map`.
    @available(*, deprecated, message: "return an infallible, await something, or use map")
    @_disfavoredOverload
    public func flatMapLatest<Result>(_ selector: @escaping (Element) -> Result) -> Infallible<Result> {
        map(selector)
    }
}
