extension ObservableType {
    /// The elements of this sequence, then those of `second`.
    ///
    ///     a:           --1--2--|
    ///     b:                   ---3--|
    ///     a.concat(b): --1--2-----3--|
    ///
    /// ![b follows when a has completed](marble-concat)
    ///
    /// When this sequence completes, the delivering thread subscribes to `second`. If this sequence completes within
    /// `subscribe`, the subscribing thread subscribes to `second` after that call has returned. If either sequence
    /// fails, the result fails.
    ///
    /// Concatenations may be nested deeply, in a loop (`all = all.concat(next)`) or while they run
    /// (`page(n).concat(deferred { pages(from: n + 1) })`). The stack does not grow.
    ///
    /// [Pausing](doc:BoundedMemory): the current source pauses with the downstream chain. If it completes during the
    /// pause, the next source starts paused.
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
    /// When a source has completed, the next one is taken from `sequence`. ``concat(_:)-swift.method`` describes which
    /// thread subscribes to it. The result fails with the first error.
    ///
    /// [Pausing](doc:BoundedMemory): like ``concat(_:)-swift.method``.
    ///
    /// - Parameter sequence: the sources, possibly infinitely many. Each subscription makes an iterator.
    @inlinable
    @inline(never)
    public static func concat<Sequence: Swift.Sequence>(_ sequence: Sequence) -> Observable<Element>
    where Sequence.Element == Observable<Element> {
        ConcatSequence(sequence, count: .max)
    }

    /// Like ``concat(_:)-(Sequence)``.
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

    /// Like ``concat(_:)-(Sequence)``.
    @inlinable
    @inline(never)
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        ConcatArray(sources)
    }
}

/// A nested concatenation is replaced by its sources on the ``RowStack`` of the outer one, so nesting needs no
/// recursion.
@usableFromInline
class Concatenation<Element>: Observable<Element>, @unchecked Sendable {  // immutable until it is freed
    @inlinable
    init() {
        super.init { base, context in
            Concat<Element>(&context, base).advance()
            return nil
        }
    }

    override final var isRow: Bool { true }
}

@usableFromInline
final class Concat<Element>: SequentialCoordinator<Element> {
    /// The sources that follow. Used only by the thread that processes the calls of `advance`.
    private var rest: RowStack

    @usableFromInline
    init(_ context: inout SubscribeContext, begin: @escaping Begin, _ row: ObservableBase) {
        rest = RowStack(row)
        super.init(&context, begin: begin)
    }

    @inlinable
    convenience init(_ context: inout SubscribeContext, _ row: ObservableBase) {
        self.init(&context, begin: Self.passing, row)
    }

    @usableFromInline
    override func next() -> Observable<Element>? {
        guard let source = rest.next(while: { isLive }) else { return nil }
        return unsafeDowncast(source, to: Observable<Element>.self)
    }

    /// If the source is a `deferred`, calls its closure and puts the result on the stack. So a concatenation that the
    /// closure returns needs no coordinator of its own.
    @usableFromInline
    override func subscribeNext(_ source: Observable<Element>) -> Bool {
        guard source.isDeferred else { return super.subscribeNext(source) }
        // Runs on a trampoline, like a public `subscribe`.
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

/// A stack of sources, the next one on top. Not generic, because generic code would look up type metadata at each step.
struct RowStack {
    enum Entry {
        case one(ObservableBase)
        case array([ObservableBase], from: Int)
        /// At most `left` more sources.
        case iterator(() -> ObservableBase?, left: Int)
    }

    private var entries: [Entry]

    init(_ row: ObservableBase) {
        entries = [.one(row)]
    }

    mutating func push(_ entry: Entry) {
        entries.append(entry)
    }

    /// Returns the next source that is not a concatenation. Calls `isLive` before each step, because an iterator may
    /// dispose of the chain.
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

@usableFromInline
final class ConcatPair<Element>: Concatenation<Element>, @unchecked Sendable {  // immutable until it is freed
    /// The sources; nil only while this object is being freed.
    @usableFromInline
    var sources: (first: ObservableBase, second: ObservableBase)?

    @inlinable
    init(_ first: Observable<Element>, _ second: Observable<Element>) {
        sources = (first, second)
    }

    deinit {
        // `isNested` is a separate property, because its code would retain the sources if it were part of `deinit`.
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

/// The maximum stack size of a `concat` so far: the number of sources, or lists of sources, that waited at the same
/// time. Counted only in debug builds. Any thread may reset it.
public var maxTailRecursiveSinkStackSize: Int {
    get { deepestConcatenation.withLock { $0 } }
    set { deepestConcatenation.withLock { $0 = newValue } }
}

private let deepestConcatenation = Locked(0)
