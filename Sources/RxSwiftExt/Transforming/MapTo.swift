import RxCocoa
import RxSwift

extension ObservableType {
    /// Sends `value` in place of each element.
    ///
    ///     source:    --1--2--|
    ///     mapTo(0):  --0--0--|
    ///
    /// ![The same element for each](marble-map-to)
    ///
    /// Events are delivered on the sending thread; an error is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func mapTo<Result>(_ value: Result) -> Observable<Result> {
        nonisolated(unsafe) let value = value  // elements need not be `Sendable`
        return map { _ in value }
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Like `ObservableType.mapTo(_:)`.
    @inlinable
    public func mapTo<Result>(_ value: Result) -> Single<Result> {
        nonisolated(unsafe) let value = value  // elements need not be `Sendable`
        return map { _ in value }
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// Like `ObservableType.mapTo(_:)`.
    @inlinable
    public func mapTo<Result>(_ value: Result) -> Maybe<Result> {
        nonisolated(unsafe) let value = value  // elements need not be `Sendable`
        return map { _ in value }
    }
}

extension SharedSequenceConvertibleType {
    /// Like `ObservableType.mapTo(_:)`.
    @inlinable
    public func mapTo<Result>(_ value: Result) -> SharedSequence<SharingStrategy, Result> {
        SharedSequence(asObservable().mapTo(value))
    }

    /// Like `ObservableType.mapTo(_:)`.
    @available(*, deprecated, renamed: "mapTo(_:)")
    @inlinable
    public func map<Result>(to value: Result) -> SharedSequence<SharingStrategy, Result> {
        mapTo(value)
    }
}
