import RxSwift

/// Sends `found` at the first element that is a match, or `!found` when the source completes without a match. The state
/// is whether the answer has been sent.
///
/// `allSatisfy` searches for a counterexample, so its `found` is false.
@usableFromInline
struct Search<Input>: LinearOperator {
    @usableFromInline
    typealias Output = Bool

    @usableFromInline
    let isMatch: (Input) throws -> Bool
    @usableFromInline
    let found: Bool

    @inlinable
    init(found: Bool, _ isMatch: @escaping (Input) throws -> Bool) {
        self.isMatch = isMatch
        self.found = found
    }

    @inlinable
    func makeState() -> Bool { false }

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool? {
        // When the observer receives the answer, it may push further elements. They are ignored.
        guard !stage.state, try isMatch(element) else { return nil }
        stage.state = true
        return stage.end(after: found)
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        if error == nil, !stage.state { stage.send(!found) }
        return error
    }
}
