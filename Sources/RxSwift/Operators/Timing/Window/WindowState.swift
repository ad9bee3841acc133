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

    /// Counts a delivered element. Returns whether this element fills the window.
    ///
    /// An observer of the window may push another element from inside the delivery. If that element fills the window,
    /// the outer element is counted for the next window, as in RxSwift.
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
