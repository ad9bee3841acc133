extension ObservableType {
    /// The sequence of those given that is the first to send anything.
    ///
    ///     a:           ----1--2--|
    ///     b:           --9----8--|
    ///     amb([a, b]): --9----8--|
    ///
    /// A terminal event counts as well. The others are disposed before that event is delivered. Without sequences
    /// nothing is ever sent. Sequences may fire from several threads at once; one of them wins.
    ///
    /// - Parameter sequence: the sources, subscribed in their order, all of them.
    @inlinable
    @inline(never)
    public static func amb<Sequence: Swift.Sequence>(_ sequence: Sequence) -> Observable<Element>
    where Sequence.Element == Observable<Element> {
        Amb(Array(sequence))
    }

    /// This sequence or `right`, whichever is the first to send anything. See ``ObservableType/amb(_:)-(Sequence)``.
    @inlinable
    @inline(never)
    public __consuming func amb<O2: ObservableType>(_ right: O2) -> Observable<Element> where O2.Element == Element {
        Amb([asObservable(), right.asObservable()])
    }
}

@usableFromInline
final class Amb<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let sources: [Observable<Element>]

    @inlinable
    init(_ sources: [Observable<Element>]) {
        self.sources = sources
        super.init { base, assembly in
            let sources = unsafeDowncast(base, to: Amb<Element>.self).sources
            let junction = AmbJunction<Element>(&assembly)
            let children = sources.map { _ in AmbChild(junction) }
            junction.enroll(children.map(\.disposer))
            for (source, child) in Swift.zip(sources, children) { source.subscribe(last: child, child.disposer) }
            return nil
        }
    }
}

/// Delivers what the first of its children to send anything sends.
@usableFromInline
final class AmbJunction<Element>: Junction<Element> {
    /// Who is in the race; nil once it is decided. The gate's owner's, but before the first source is subscribed.
    @exclusivity(unchecked)
    private var rivals: [ChildDisposer]?

    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    @usableFromInline
    func enroll(_ rivals: [ChildDisposer]) {
        self.rivals = rivals
        for rival in rivals { children.insert(rival) }
    }

    /// Whether `child` wins: the first to ask does, and the others are disposed. Only the gate's owner calls it.
    @usableFromInline
    func isWon(by child: ChildDisposer) -> Bool {
        guard let rivals = rivals.take() else { return false }
        for rival in rivals where rival !== child { children.dispose(rival) }
        return true
    }
}

/// A source of an amb.
@usableFromInline
final class AmbChild<Element>: Child<Element>, GateTarget {
    @usableFromInline
    let junction: AmbJunction<Element>
    /// The gate's owner's.
    @usableFromInline
    @exclusivity(unchecked)
    var hasWon = false

    @inlinable
    init(_ junction: AmbJunction<Element>) {
        self.junction = junction
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: AmbChild<Element>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Element) {
        if hasWon || tryToWin() { junction.deliver(element) }
    }

    @usableFromInline
    func tryToWin() -> Bool {
        hasWon = junction.isWon(by: disposer)
        return hasWon
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        if hasWon || tryToWin() { junction.end(error) }
    }
}
