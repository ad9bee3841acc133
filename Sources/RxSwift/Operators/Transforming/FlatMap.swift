extension ObservableType {
    /// Merges the sequences that `selector` makes of the elements.
    ///
    ///     source:                 --1-----2---|
    ///     flatMap { $0 ──a──b──| }: ----1a--1b-2a--2b--|
    ///
    /// Completes once the source and all inner sequences have completed; fails with the first that fails.
    /// Inner sequences may fire from several threads at once; their events are delivered one at a time.
    ///
    /// - Parameter selector: called with each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMap(asObservable(), selector)
    }
}

@usableFromInline
final class FlatMap<Input, Source: ObservableConvertibleType>: Observable<Source.Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let selector: (Input) throws -> Source

    @inlinable
    init(_ source: Observable<Input>, _ selector: @escaping (Input) throws -> Source) {
        self.source = source
        self.selector = selector
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: FlatMap<Input, Source>.self)
            let junction = MergeJunction<Source.Element>(&assembly, active: 1)
            me.source.subscribe(child: FlatMapOuter(junction, me.selector), in: junction.children)
            return nil
        }
    }
}

/// The source of a flatMap: its elements become sources of the ``MergeJunction``, and it is one of them itself.
@usableFromInline
final class FlatMapOuter<Input, Source: ObservableConvertibleType>: Child<Input>, GateTarget {
    @usableFromInline
    let junction: MergeJunction<Source.Element>
    @usableFromInline
    let selector: (Input) throws -> Source

    @inlinable
    init(_ junction: MergeJunction<Source.Element>, _ selector: @escaping (Input) throws -> Source) {
        self.junction = junction
        self.selector = selector
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: FlatMapOuter<Input, Source>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Input) {
        guard isWanted else { return }
        do {
            junction.add(try selector(element).asObservable())
        } catch {
            junction.end(error)
        }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        junction.ended(disposer, error)
    }
}
