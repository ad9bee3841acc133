/// For `asSingle` and `asMaybe`: sends the only element of the source when the source completes. If there is none and
/// `isRequired` is true, fails.
@usableFromInline
struct SoleElement<Element>: LinearOperator {
    @usableFromInline
    let isRequired: Bool

    @inlinable
    init(isRequired: Bool) {
        self.isRequired = isRequired
    }

    @inlinable
    func makeState() -> Element? { nil }

    @inlinable
    @inline(__always)
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Element? {
        guard stage.state == nil else { return stage.end(RxError.moreThanOneElement) }
        stage.state = element
        return nil
    }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        let element = stage.exchange(nil)
        if let error { return error }
        guard let element else { return isRequired ? RxError.noElements : nil }
        stage.send(element)
        return nil
    }

    @inlinable
    static var asksWhetherLive: Bool { false }
}
