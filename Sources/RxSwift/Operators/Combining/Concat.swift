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
    /// to as ever, and is paused from its start.
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
    /// to as ever, and is paused from its start.
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

/// What is put together of sources that follow one another.
@usableFromInline
class Concatenation<Element>: Observable<Element>, @unchecked Sendable {  // immutable until it is freed
    @inlinable
    init() {
        super.init { base, assembly in
            Concat(&assembly, unsafeDowncast(base, to: Concatenation<Element>.self)).advance()
            return nil
        }
    }

    /// Puts the sources on top of what is still to come.
    @usableFromInline
    func unfold(onto rest: inout [Concat<Element>.Rest]) {
        abstractMethod()
    }

    /// Moves the sources out, to be freed. Called while this is freed, or by the only owner.
    @usableFromInline
    func give(to freed: inout [Observable<Element>]) {}

    /// Frees concatenations of concatenations in a loop: they may be nested deeper than the stack is.
    @usableFromInline
    final func freeIteratively() {
        var freed: [Observable<Element>] = []
        give(to: &freed)
        while var source = freed.popLast() {
            guard source is Concatenation<Element>, isKnownUniquelyReferenced(&source) else { continue }
            unsafeDowncast(source, to: Concatenation<Element>.self).give(to: &freed)
        }
    }
}

/// Goes through the sources, which it unfolds as it comes to them.
@usableFromInline
final class Concat<Element>: SequentialCoordinator<Element> {
    @usableFromInline
    enum Rest {
        case one(Observable<Element>)
        case array([Observable<Element>], from: Int)
        /// At most so many more.
        case iterator(AnyIterator<Observable<Element>>, left: Int)
    }

    /// What is still to come, the next on top. It is guarded as `next` is.
    @usableFromInline
    @exclusivity(unchecked)
    var rest: [Rest]

    @inlinable
    init(_ assembly: inout Assembly, _ sources: Concatenation<Element>) {
        rest = [.one(sources)]
        super.init(&assembly)
    }

    @usableFromInline
    override func next() -> Observable<Element>? {
        while let source = pull() {
            guard let sources = source as? Concatenation<Element> else { return source }
            sources.unfold(onto: &rest)
            #if DEBUG
                deepestConcatenation.withLock { $0 = max($0, rest.count) }
            #endif
        }
        return nil
    }

    private func pull() -> Observable<Element>? {
        while let top = rest.popLast() {
            switch top {
            case .one(let source):
                return source
            case .array(let sources, let index):
                // Put back only while it has more, so that a last source which unfolds takes its place.
                if index + 1 < sources.count { rest.append(.array(sources, from: index + 1)) }
                return sources[index]
            case .iterator(let sources, let left):
                if let source = sources.next() {
                    if left > 1 { rest.append(.iterator(sources, left: left - 1)) }
                    return source
                }
            }
        }
        return nil
    }

    /// Makes a deferred source here and hands it on: it may be a concatenation, and would otherwise begin another one
    /// below this one.
    @usableFromInline
    override func subscribeNext(_ source: Observable<Element>) {
        guard type(of: source) == Deferred<Element>.self else { return subscribe(source) }
        // As if it was subscribed by the public door: what it makes is made on a trampoline.
        guard Trampoline.isRunning else { return Trampoline.run { subscribeNext(source) } }
        do {
            rest.append(.one(try unsafeDowncast(source, to: Deferred<Element>.self).make()))
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

/// Two sources, which may be concatenations themselves.
@usableFromInline
final class ConcatPair<Element>: Concatenation<Element>, @unchecked Sendable {  // immutable until it is freed
    /// Nil only while the pair is freed.
    @usableFromInline
    @exclusivity(unchecked)
    var sources: (first: Observable<Element>, second: Observable<Element>)?

    @inlinable
    init(_ first: Observable<Element>, _ second: Observable<Element>) {
        sources = (first, second)
    }

    deinit {
        if isNested { freeIteratively() }
    }

    private var isNested: Bool {
        guard let sources else { return false }
        return sources.first is Concatenation<Element> || sources.second is Concatenation<Element>
    }

    @usableFromInline
    override func give(to freed: inout [Observable<Element>]) {
        guard let (first, second) = sources.take() else { return }
        freed.append(second)
        freed.append(first)
    }

    @usableFromInline
    override func unfold(onto rest: inout [Concat<Element>.Rest]) {
        guard let (first, second) = sources else { return }
        rest.append(.one(second))
        rest.append(.one(first))
    }
}

@usableFromInline
final class ConcatArray<Element>: Concatenation<Element>, @unchecked Sendable {  // immutable until it is freed
    @usableFromInline
    @exclusivity(unchecked)
    var sources: [Observable<Element>]

    @inlinable
    init(_ sources: [Observable<Element>]) {
        self.sources = sources
    }

    @usableFromInline
    override func unfold(onto rest: inout [Concat<Element>.Rest]) {
        if !sources.isEmpty { rest.append(.array(sources, from: 0)) }
    }

    deinit {
        if sources.contains(where: { $0 is Concatenation<Element> }) { freeIteratively() }
    }

    @usableFromInline
    override func give(to freed: inout [Observable<Element>]) {
        freed += sources
        sources = []
    }
}

@usableFromInline
final class ConcatSequence<Element, Sources: Sequence>: Concatenation<Element>, @unchecked Sendable  // immutable
where Sources.Element == Observable<Element> {
    @usableFromInline
    let sources: Sources
    /// How many there are, or more.
    @usableFromInline
    let count: Int

    @inlinable
    init(_ sources: Sources, count: Int) {
        self.sources = sources
        self.count = count
    }

    @usableFromInline
    override func unfold(onto rest: inout [Concat<Element>.Rest]) {
        rest.append(.iterator(AnyIterator(sources.makeIterator()), left: count))
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
