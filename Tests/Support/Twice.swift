import RxSwift

/// Sends each element twice, even if the first delivery ends the sequence.
public struct Twice: LinearOperator {
    public init() {}

    public func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? {
        stage.send(element)
        return element
    }
}
