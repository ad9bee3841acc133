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

    /// Counts a delivered element. Returns whether it fills the window. If a nested element has filled the window
    /// during the delivery, the delivered element counts for the next window, as in RxSwift.
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
