import RxCocoa
import RxSwift

extension ObservableType {
    /// Sends `value` in place of each element.
    ///
    ///     source:    --1--2--|
    ///     mapTo(0):  --0--0--|
    ///
    /// ![The same element for each](marble-map-to)
    @inlinable
    @inline(never)
    public func mapTo<Result>(_ value: Result) -> Observable<Result> {
        map { _ in value }
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Sends `value` in place of the element.
    @inlinable
    public func mapTo<Result>(_ value: Result) -> Single<Result> {
        map { _ in value }
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// Sends `value` in place of the element, if there is one.
    @inlinable
    public func mapTo<Result>(_ value: Result) -> Maybe<Result> {
        map { _ in value }
    }
}

extension SharedSequenceConvertibleType {
    /// Sends `value` in place of each element.
    @inlinable
    public func mapTo<Result>(_ value: Result) -> SharedSequence<SharingStrategy, Result> {
        SharedSequence(asObservable().mapTo(value))
    }

    /// Sends `value` in place of each element.
    @available(*, deprecated, renamed: "mapTo(_:)")
    @inlinable
    public func map<Result>(to value: Result) -> SharedSequence<SharingStrategy, Result> {
        mapTo(value)
    }
}
