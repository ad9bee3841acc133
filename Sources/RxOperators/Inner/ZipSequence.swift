import RxSwift

extension ObservableType {
    /// Pairs each element with the next element of a sequence.
    ///
    ///     source:    --5--7--|
    ///     zip(1...): --51-72-|
    ///
    /// ![Each element with its number](marble-zip-sequence)
    ///
    /// Completes after the pair with the last element of `sequence`, and disposes of the source. If `sequence` is
    /// empty, the result completes at the first element. `sequence` may be infinite. Each subscription has its own
    /// iterator, which reads one element ahead. Events are delivered on the sending thread.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter sequence: the second elements of the pairs.
    @inlinable
    @inline(never)
    public __consuming func zip<Others: Sequence>(_ sequence: Others) -> Observable<(Element, Others.Element)> {
        lift(ZipSequence(sequence: sequence))
    }
}

@usableFromInline
struct ZipSequence<Input, Others: Sequence>: LinearOperator {
    @usableFromInline
    typealias Output = (Input, Others.Element)

    /// The iterator, and the element for the next pair. Nil after the last element, and while the iterator is called:
    /// the iterator may make the source send an element, and that nested call must not use the iterator.
    @usableFromInline
    typealias State = (iterator: Others.Iterator, next: Others.Element)?

    @usableFromInline
    let sequence: Others

    @inlinable
    init(sequence: Others) {
        self.sequence = sequence
    }

    @inlinable
    func makeState() -> State {
        var iterator = sequence.makeIterator()
        return iterator.next().map { (iterator, $0) }
    }

    @inlinable
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Output? {
        guard var state = stage.exchange(nil) else { return stage.end() }
        let pair = (element, state.next)
        guard let next = state.iterator.next() else { return stage.end(after: pair) }
        state.next = next
        stage.state = state
        return pair
    }
}
