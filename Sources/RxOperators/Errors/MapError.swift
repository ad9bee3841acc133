import RxSwift

extension ObservableType {
    /// Fails with the result of `transform` in place of the source's error.
    ///
    ///     source:                   --1--#
    ///     mapError { Wrapped($0) }: --1--#
    ///
    /// ![Another error in place of the source's](marble-map-error)
    ///
    /// Events are delivered on the sending thread.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter transform: called with the error. If it throws, the sequence fails with the thrown error.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func mapError(
        _ transform: @escaping @Sendable (any Swift.Error) throws -> any Swift.Error
    ) -> Observable<Element> {
        lift(MapError(transform))
    }
}

extension PrimitiveSequence {
    /// Fails with the result of `transform` in place of the source's error.
    ///
    ///     client.answer().mapError { AnswerError(cause: $0) }
    ///
    /// See `ObservableType.mapError(_:)`.
    @inlinable
    @inline(never)
    @preconcurrency
    public func mapError(
        _ transform: @escaping @Sendable (any Swift.Error) throws -> any Swift.Error
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: asObservable().mapError(transform))
    }
}

@usableFromInline
struct MapError<Input>: LinearOperator {
    @usableFromInline
    typealias Output = Input

    @usableFromInline
    let transform: (any Error) throws -> any Error

    @inlinable
    init(_ transform: @escaping (any Error) throws -> any Error) {
        self.transform = transform
    }

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Input? { element }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) throws -> (any Error)? {
        guard let error else { return nil }
        return try transform(error)
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
