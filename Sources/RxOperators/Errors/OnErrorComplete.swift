import RxSwift

extension ObservableType {
    /// Completes when the source fails with an error that satisfies `predicate`.
    ///
    ///     source:                                     --1--2--#
    ///     onErrorComplete(where: { isHarmless($0) }): --1--2--|
    ///
    /// ![The completion in place of a harmless error](marble-on-error-complete)
    ///
    /// Other errors are passed on. Events are delivered on the sending thread.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter predicate: called with the error. If it throws, the sequence fails with the thrown error.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func onErrorComplete(
        where predicate: @escaping @Sendable (any Swift.Error) throws -> Bool
    ) -> Observable<Element> {
        lift(OnErrorComplete(predicate))
    }
}

@usableFromInline
struct OnErrorComplete<Input>: LinearOperator {
    @usableFromInline
    typealias Output = Input

    @usableFromInline
    let predicate: (any Error) throws -> Bool

    @inlinable
    init(_ predicate: @escaping (any Error) throws -> Bool) {
        self.predicate = predicate
    }

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Input? { element }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) throws -> (any Error)? {
        guard let error else { return nil }
        return try predicate(error) ? nil : error
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
