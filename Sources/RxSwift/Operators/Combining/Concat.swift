extension ObservableType {
    /// The elements of this sequence, then those of `second`.
    ///
    ///     a:           --1--2--|
    ///     b:                   ---3--|
    ///     a.concat(b): --1--2-----3--|
    ///
    /// ![b follows when a has completed](marble-concat)
    ///
    /// `second` is subscribed when this sequence has completed. An error of either ends the result.
    ///
    /// Concatenations may be nested as deep as memory allows, built in a loop (`all = all.concat(next)`) or while they
    /// run (`page(n).concat(deferred { pages(from: n + 1) })`): the last source is handed on, not nested. It is
    /// subscribed on the thread on which this sequence has completed, or on the subscribing one where that was within
    /// `subscribe`.
    ///
    /// [Pausing](doc:BoundedMemory): the source that has its turn pauses with what is below; the next one is subscribed
    /// to as ever, and is paused from its start. Sources that end while they are subscribed to cannot pause: one of
    /// them has its turn in a pause.
    ///
    /// ## See Also
    ///
    /// - [concat on reactivex.io](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    @inline(never)
    public __consuming func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
    where Source.Element == Element {
        ConcatPair(asObservable(), second.asObservable())
    }

    /// The elements of all sources, one source after the other.
    ///
    ///     a:            --1--2--|
    ///     b:                    ---3--|
    ///     concat(a, b): --1--2-----3--|
    ///
    /// ![One source after the other](marble-concat-sequence)
    ///
    /// A source is taken from the sequence and subscribed when the one before it has completed. The first error ends
    /// the result.
    ///
    /// It is subscribed on the thread on which the one before has completed, or on the subscribing one where that was
    /// within `subscribe`.
    ///
    /// [Pausing](doc:BoundedMemory): the source that has its turn pauses with what is below; the next one is subscribed
    /// to as ever, and is paused from its start. Sources that end while they are subscribed to cannot pause: one of
    /// them has its turn in a pause.
    ///
    /// - Parameter sequence: the sources; it may be endless. Each subscription makes an iterator of its own.
    @inlinable
    @inline(never)
    public static func concat<Sequence: Swift.Sequence>(_ sequence: Sequence) -> Observable<Element>
    where Sequence.Element == Observable<Element> {
        ConcatSequence(sequence, count: .max)
    }

    /// The elements of all sources, one source after the other. See ``concat(_:)-(Sequence)``.
    @inlinable
    @inline(never)
    public static func concat<Collection: Swift.Collection>(_ collection: Collection) -> Observable<Element>
    where Collection.Element == Observable<Element> {
        if let array = collection as? [Observable<Element>] {
            ConcatArray(array)
        } else {
            ConcatSequence(collection, count: collection.count)
        }
    }

    /// The elements of all sources, one source after the other. See ``concat(_:)-(Sequence)``.
    @inlinable
    @inline(never)
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        ConcatArray(sources)
    }
}

/// Sources in a row. A row puts its sources in its own place on the stack of whom it is subscribed by, so that rows may
/// be nested to any depth.
@usableFromInline
class Concatenation<Element>: Observable<Element>, @unchecked Sendable {  // immutable until it is freed
    @inlinable
    init() {
        super.init { base, assembly in
            Concat<Element>(&assembly, base).advance()
            return nil
        }
    }

    override final var isRow: Bool { true }
}

/// Goes through the sources, which it unfolds as it comes to them.
@usableFromInline
final class Concat<Element>: SequentialCoordinator<Element> {
    /// What is still to come. It is guarded as `next` is.
    private var rest: RowStack

    @usableFromInline
    init(_ assembly: inout Assembly, begin: @escaping Begin, _ row: ObservableBase) {
        rest = RowStack(row)
        super.init(&assembly, begin: begin)
    }

    @inlinable
    convenience init(_ assembly: inout Assembly, _ row: ObservableBase) {
        self.init(&assembly, begin: Self.passing, row)
    }

    @usableFromInline
    override func next() -> Observable<Element>? {
        guard let source = rest.next(while: { isLive }) else { return nil }
        return unsafeDowncast(source, to: Observable<Element>.self)
    }

    /// Makes a deferred source here and hands it on: it may be a concatenation, and would otherwise begin another one
    /// below this one.
    @usableFromInline
    override func subscribeNext(_ source: Observable<Element>) -> Bool {
        guard source.isDeferred else { return super.subscribeNext(source) }
        // As if it was subscribed by the public door: what it makes is made on a trampoline.
        if Trampoline.isRunning { unfold(source) } else { Trampoline.run { unfold(source) } }
        return false
    }

    private func unfold(_ source: Observable<Element>) {
        do {
            rest.push(.one(try unsafeDowncast(source, to: Deferred<Element>.self).make()))
            advance()
        } catch {
            end(error)
        }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        if let error { end(error) } else { advance() }
    }
}

/// The sources of a row that are still to come, the next on top; whatever their element, because what is generic here
/// would be looked up at each step.
struct RowStack {
    enum Entry {
        case one(ObservableBase)
        case array([ObservableBase], from: Int)
        /// At most so many more.
        case iterator(() -> ObservableBase?, left: Int)
    }

    private var entries: [Entry]

    init(_ row: ObservableBase) {
        entries = [.one(row)]
    }

    mutating func push(_ entry: Entry) {
        entries.append(entry)
    }

    /// The next source that is not a row itself. A row may run code of the user's to be unfolded, and to be pulled
    /// from, which may dispose of the chain.
    mutating func next(while isLive: () -> Bool) -> ObservableBase? {
        while isLive(), let source = pull() {
            guard source.isRow else { return source }
            source.unfold(onto: &self)
            #if DEBUG
                deepestConcatenation.withLock { $0 = max($0, entries.count) }
            #endif
        }
        return nil
    }

    private mutating func pull() -> ObservableBase? {
        while let top = entries.popLast() {
            switch top {
            case .one(let source):
                return source
            case .array(let sources, let index):
                // Put back only while it has more, so that a last source which unfolds takes its place.
                if index + 1 < sources.count { entries.append(.array(sources, from: index + 1)) }
                return sources[index]
            case .iterator(let next, let left):
                if let source = next() {
                    if left > 1 { entries.append(.iterator(next, left: left - 1)) }
                    return source
                }
            }
        }
        return nil
    }
}

/// Two sources, which may be concatenations themselves.
@usableFromInline
final class ConcatPair<Element>: Concatenation<Element>, @unchecked Sendable {  // immutable until it is freed
    /// Nil only while the pair is freed.
    @usableFromInline
    var sources: (first: ObservableBase, second: ObservableBase)?

    @inlinable
    init(_ first: Observable<Element>, _ second: Observable<Element>) {
        sources = (first, second)
    }

    deinit {
        // Asked in a function of its own, for who asks has the sources, too: they would have a second owner.
        if isNested { freeIteratively() }
    }

    private var isNested: Bool {
        guard let sources else { return false }
        return sources.first.isFreedIteratively || sources.second.isFreedIteratively
    }

    override func give(to freed: inout [ObservableBase]) {
        guard let (first, second) = sources.take() else { return }
        freed.append(second)
        freed.append(first)
    }

    override func unfold(onto rest: inout RowStack) {
        guard let (first, second) = sources else { return }
        rest.push(.one(second))
        rest.push(.one(first))
    }
}

@usableFromInline
final class ConcatArray<Element>: Concatenation<Element>, @unchecked Sendable {  // immutable until it is freed
    @usableFromInline
    var sources: [ObservableBase]

    @inlinable
    init(_ sources: [Observable<Element>]) {
        self.sources = sources.map { $0 }
    }

    deinit {
        if sources.contains(where: { $0.isFreedIteratively }) { freeIteratively() }
    }

    override func give(to freed: inout [ObservableBase]) {
        freed += sources
        sources = []
    }

    override func unfold(onto rest: inout RowStack) {
        if !sources.isEmpty { rest.push(.array(sources, from: 0)) }
    }
}

@usableFromInline
final class ConcatSequence<Element>: Concatenation<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let iterate: () -> () -> ObservableBase?
    /// How many there are, or more.
    @usableFromInline
    let count: Int

    @inlinable
    init<Sources: Sequence>(_ sources: Sources, count: Int) where Sources.Element == Observable<Element> {
        iterate = {
            var iterator = sources.makeIterator()
            return { iterator.next() }
        }
        self.count = count
    }

    override func unfold(onto rest: inout RowStack) {
        rest.push(.iterator(iterate(), left: count))
    }
}

/// How many concatenated sequences have waited their turn at most, in one subscription, since the process began.
/// Counted in debug builds alone.
///
/// They wait on the heap: the number bounds no stack. Any thread may set it, to begin anew.
public var maxTailRecursiveSinkStackSize: Int {
    get { deepestConcatenation.withLock { $0 } }
    set { deepestConcatenation.withLock { $0 = newValue } }
}

private let deepestConcatenation = Locked(0)
