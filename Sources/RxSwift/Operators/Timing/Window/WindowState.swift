/// What a window operator knows.
@usableFromInline
struct WindowState {
    @usableFromInline
    let count: Int
    /// How many elements the open window has had.
    @usableFromInline
    var sent = 0
    /// How many windows have ended.
    @usableFromInline
    var ended = 0

    @inlinable
    init(count: Int) {
        self.count = count
    }

    /// An element has been delivered; true where it fills the window.
    ///
    /// It is counted after its delivery, as RxSwift does: where an observer of a window pushes another element that
    /// fills it, this one counts for the next window.
    @inlinable
    mutating func delivered() -> Bool {
        sent += 1
        return sent == count
    }

    /// Ends the window.
    @inlinable
    mutating func end() -> Int {
        sent = 0
        ended += 1
        return ended
    }
}
