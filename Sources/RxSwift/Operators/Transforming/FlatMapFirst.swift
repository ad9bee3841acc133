extension ObservableType {
    /// The elements of the sequence that `selector` makes of an element; elements that come before that sequence has completed are dropped.
    ///
    ///     source:                      --1--2--3-----4---|
    ///     flatMapFirst { $0 ──a──b──| }: ----1a--1b----4a--4b--|
    ///
    /// Completes once the source and the inner sequence have completed; fails with the first that fails.
    /// The two may fire from different threads at once; events are delivered one at a time.
    ///
    /// - Parameter selector: called with each element that is not dropped, on the thread that delivers it. An error it throws ends the
    ///   sequence.
    @inlinable
    @inline(never)
    public __consuming func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMapFirst(asObservable(), selector)
    }
}

@usableFromInline
final class FlatMapFirst<Input, Source: ObservableConvertibleType>: Observable<Source.Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let selector: (Input) throws -> Source

    @inlinable
    init(_ source: Observable<Input>, _ selector: @escaping (Input) throws -> Source) {
        self.source = source
        self.selector = selector
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: FlatMapFirst<Input, Source>.self)
            let junction = MergeJunction<Source.Element>(&assembly, active: 1)
            me.source.subscribe(child: FlatMapFirstOuter(junction, me.selector), in: junction.children)
            return nil
        }
    }
}

/// The source of a flatMapFirst: one of its elements at a time becomes a source of the ``MergeJunction``, and it is one of them itself.
@usableFromInline
final class FlatMapFirstOuter<Input, Source: ObservableConvertibleType>: Child<Input>, GateTarget {
    @usableFromInline
    let junction: MergeJunction<Source.Element>
    @usableFromInline
    let selector: (Input) throws -> Source

    @inlinable
    init(_ junction: MergeJunction<Source.Element>, _ selector: @escaping (Input) throws -> Source) {
        self.junction = junction
        self.selector = selector
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: FlatMapFirstOuter<Input, Source>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Input) {
        // While this source runs, it is one of the active.
        guard junction.active == 1, junction.isLive else { return }
        do {
            let inner = try selector(element).asObservable()
            junction.active += 1
            if let element = Just.element(of: inner) {
                junction.deliver(element)
                junction.completed()
            } else {
                inner.subscribe(child: MergeChild(junction), in: junction.children)
            }
        } catch {
            junction.end(error)
        }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        junction.ended(disposer, error)
    }
}
