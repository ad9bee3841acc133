/// The state of a window operator.
@usableFromInline
struct WindowState {
    @usableFromInline
    let count: Int
    /// The number of elements that the open window has sent.
    @usableFromInline
    var sent = 0
    /// The number of windows that have ended.
    @usableFromInline
    var ended = 0

    @inlinable
    init(count: Int) {
        self.count = count
    }

    /// Counts an element after its delivery. Returns whether it fills the window.
    ///
    /// RxSwift also counts after the delivery: if an observer of the window pushes another element that fills it, the
    /// outer element counts for the next window.
    @inlinable
    mutating func delivered() -> Bool {
        sent += 1
        return sent == count
    }

    /// Ends the window. Returns the number of windows that have ended.
    @inlinable
    mutating func end() -> Int {
        sent = 0
        ended += 1
        return ended
    }
}
