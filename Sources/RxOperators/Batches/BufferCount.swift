import RxSwift

extension ObservableType {
    /// Arrays of `count` successive elements. An array begins at each element whose index is a multiple of `skip`.
    ///
    ///     source:                    --1-----2-----3-----|
    ///     buffer(count: 2, skip: 1): --------[1,2]-[2,3]-([3]|)
    ///
    /// ![Arrays of two elements that overlap](marble-buffer-count-skip)
    ///
    /// If `skip` is less than `count`, arrays overlap; if it is greater, elements between arrays are dropped. A
    /// completion sends the incomplete arrays, oldest first; an error drops them. Arrays are delivered on the thread
    /// that sends their last element or completes the source.
    ///
    /// Pausing: the source pauses with the downstream chain. A completion sends incomplete arrays even during a pause.
    ///
    /// - Parameters:
    ///   - count: the size of an array; less than 1 stops the process.
    ///   - skip: the distance between the first elements of successive arrays; nil for `count`. Less than 1 stops
    ///     the process.
    @inlinable
    @inline(never)
    public __consuming func buffer(count: Int, skip: Int? = nil) -> Observable<[Element]> {
        if count < 1 { rxFatalError("count must be at least 1", operator: "buffer", argument: "count", value: count) }
        let skip = skip ?? count
        if skip < 1 { rxFatalError("skip must be at least 1", operator: "buffer", argument: "skip", value: skip) }
        return lift(BufferCount(count: count, skip: skip))
    }
}

@usableFromInline
struct BufferCount<Input>: LinearOperator {
    @usableFromInline
    typealias Output = [Input]

    @usableFromInline
    struct State {
        /// The incomplete arrays, oldest first. Only the oldest can become complete with the next element.
        @usableFromInline
        var open: [[Input]] = []
        /// The next element's index modulo `skip`. An array begins at position 0.
        @usableFromInline
        var position = 0

        @inlinable
        init() {}

        @inlinable
        mutating func append(_ element: Input, _ limits: BufferCount) -> [Input]? {
            if position == 0 { open.append([]) }
            position = position + 1 == limits.skip ? 0 : position + 1
            for index in open.indices { open[index].append(element) }
            return open.first?.count == limits.count ? open.removeFirst() : nil
        }
    }

    @usableFromInline
    let count: Int
    @usableFromInline
    let skip: Int

    @inlinable
    init(count: Int, skip: Int) {
        self.count = count
        self.skip = skip
    }

    @inlinable
    func makeState() -> State { State() }

    @inlinable
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> [Input]? { stage.state.append(element, self) }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        let rest = stage.exchange(State()).open
        if let error { return error }
        for array in rest where stage.isLive { stage.send(array) }
        return nil
    }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
