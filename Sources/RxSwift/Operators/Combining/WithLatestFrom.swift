extension ObservableType {
    /// Each element together with the latest one of `second`.
    ///
    ///     source:                               --1----2--3--|
    ///     second:                               ----9-----8----
    ///     withLatestFrom(second) { $0 * 10 + $1 }: -----29-39-|
    ///
    /// Elements that come before `second` has sent are dropped. Completes with the source; fails with whichever of the
    /// two fails first. `second` is subscribed first; its completion changes nothing, and its last element stays in
    /// use.
    ///
    /// The two may fire from different threads at once; results are delivered one at a time.
    /// It keeps one element of `second` until the end.
    ///
    /// - Parameters:
    ///   - second: the other sequence.
    ///   - resultSelector: called with each element and the latest one of `second`. An error it throws ends the
    ///     sequence.
    @inlinable
    @inline(never)
    public __consuming func withLatestFrom<Source: ObservableConvertibleType, ResultType>(
        _ second: Source, resultSelector: @escaping (Element, Source.Element) throws -> ResultType
    ) -> Observable<ResultType> {
        WithLatestFrom(asObservable(), second.asObservable(), resultSelector)
    }

    /// The latest element of `second`, each time this sequence sends. See ``withLatestFrom(_:resultSelector:)``.
    @inlinable
    @inline(never)
    public __consuming func withLatestFrom<Source: ObservableConvertibleType>(
        _ second: Source
    ) -> Observable<Source.Element> {
        WithLatestFrom(asObservable(), second.asObservable()) { $1 }
    }
}

@usableFromInline
final class WithLatestFrom<First, Second, Output>: Observable<Output>, @unchecked Sendable {  // immutable
    @usableFromInline
    let first: Observable<First>
    @usableFromInline
    let second: Observable<Second>
    @usableFromInline
    let selector: (First, Second) throws -> Output

    @inlinable
    init(
        _ first: Observable<First>, _ second: Observable<Second>, _ selector: @escaping (First, Second) throws -> Output
    ) {
        self.first = first
        self.second = second
        self.selector = selector
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: WithLatestFrom<First, Second, Output>.self)
            let junction = WithLatestFromJunction<Second, Output>(&assembly)
            let first = WithLatestFromChild(junction, me.selector)
            let second = WithLatestFromSecond(junction)
            // Listed in the order of disposal, subscribed in the other.
            junction.children.insert(first.disposer)
            junction.children.insert(second.disposer)
            me.second.subscribe(last: second, second.disposer)
            me.first.subscribe(last: first, first.disposer)
            return nil
        }
    }
}

@usableFromInline
final class WithLatestFromJunction<Second, Output>: Junction<Output> {
    /// The gate's owner's.
    @usableFromInline
    @exclusivity(unchecked)
    var latest: Second?

    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }
}

/// The source of a withLatestFrom whose elements are answered.
@usableFromInline
final class WithLatestFromChild<First, Second, Output>: Child<First>, GateTarget {
    @usableFromInline
    let junction: WithLatestFromJunction<Second, Output>
    @usableFromInline
    let selector: (First, Second) throws -> Output

    @inlinable
    init(_ junction: WithLatestFromJunction<Second, Output>, _ selector: @escaping (First, Second) throws -> Output) {
        self.junction = junction
        self.selector = selector
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: WithLatestFromChild<First, Second, Output>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: First) {
        guard let latest = junction.latest, junction.isLive else { return }
        do {
            junction.deliver(try selector(element, latest))
        } catch {
            junction.end(error)
        }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        junction.end(error)
    }
}

/// The source of a withLatestFrom whose latest element is the answer.
@usableFromInline
final class WithLatestFromSecond<Second, Output>: Child<Second>, GateTarget {
    @usableFromInline
    let junction: WithLatestFromJunction<Second, Output>

    @inlinable
    init(_ junction: WithLatestFromJunction<Second, Output>) {
        self.junction = junction
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: WithLatestFromSecond<Second, Output>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Second) {
        // Released after the change: its `deinit` may come back to here.
        withExtendedLifetime(exchange(&junction.latest, with: element)) {}
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        if let error { junction.end(error) } else { junction.children.dispose(disposer) }
    }
}
