extension ObservableType {
    /// Lets the elements through that satisfy `predicate`.
    ///
    ///     source:               --1--2--3--4--|
    ///     filter { $0 % 2 == 0 }: -----2-----4--|
    ///
    /// - Parameter predicate: called with each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func filter(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
        FilterProducer(asObservable(), predicate)
    }
}

@usableFromInline
final class FilterProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let predicate: (Element) throws -> Bool

    @inlinable
    init(_ source: Observable<Element>, _ predicate: @escaping (Element) throws -> Bool) {
        self.source = source
        self.predicate = predicate
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: FilterProducer<Element>.self)
            assembly.sink = FilterSink(assembly.sink(of: Element.self), me.predicate)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class FilterSink<Element>: Stage<Element, Element> {
    @usableFromInline
    let predicate: (Element) throws -> Bool

    @inlinable
    init(_ down: Sink<Element>, _ predicate: @escaping (Element) throws -> Bool) {
        self.predicate = predicate
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: FilterSink<Element>.self)
            guard me.isLive else { return }
            do {
                if try me.predicate(element) { me.deliver(element) }
            } catch {
                me.end(error)
            }
        }
    }
}
