@usableFromInline
struct WindowState<Element> {
    @usableFromInline
    let count: Int
    @usableFromInline
    var window = PublishSubject<Element>()
    @usableFromInline
    var sent = 0
    @usableFromInline
    var ended = 0

    @inlinable
    init(count: Int) {
        self.count = count
    }

    /// Returns whether the delivered element fills the window.
    ///
    /// During the delivery, an observer may push another element. If this nested element fills the window, the
    /// delivered element counts for the next window, as in the original RxSwift.
    @inlinable
    mutating func delivered() -> Bool {
        sent += 1
        return sent == count
    }

    @inlinable
    mutating func end() -> Int {
        sent = 0
        ended += 1
        return ended
    }
}
