import RxSwift

/// Sends each element twice, whatever happens to the first.
public struct Twice: LinearOperator {
    public init() {}

    public func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? {
        stage.send(element)
        return element
    }
}
