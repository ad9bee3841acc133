/// What a window operator knows.
@usableFromInline
struct WindowState {
    private let count: Int
    /// How many elements the open window has had.
    private var sent = 0
    /// How many windows have ended.
    private(set) var ended = 0

    @usableFromInline
    init(count: Int) {
        self.count = count
    }

    /// An element has been delivered; true where it fills the window.
    ///
    /// It is counted after its delivery, as RxSwift does: where an observer of a window pushes another element that fills it, this one counts for
    /// the next window.
    mutating func delivered() -> Bool {
        sent += 1
        return sent == count
    }

    /// Ends the window.
    mutating func end() -> Int {
        sent = 0
        ended += 1
        return ended
    }
}
