extension ObservableType {
    /// Leaves elements out as long as they satisfy `predicate`; lets everything through from the first that does not.
    ///
    ///     source:                  --1--2--3--1--|
    ///     skip(while: { $0 < 3 }): --------3--1--|
    ///
    /// - Parameter predicate: called until it says false, on the thread that delivers. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func skip(while predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
        SkipWhileProducer(asObservable(), predicate)
    }

    /// Leaves elements out as long as they satisfy `predicate`; lets everything through from the first that does not.
    @available(*, deprecated, renamed: "skip(while:)")
    @inlinable
    @inline(never)
    public func skipWhile(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
        skip(while: predicate)
    }
}

@usableFromInline
final class SkipWhileProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let predicate: (Element) throws -> Bool

    @inlinable
    init(_ source: Observable<Element>, _ predicate: @escaping (Element) throws -> Bool) {
        self.source = source
        self.predicate = predicate
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SkipWhileProducer<Element>.self)
            assembly.sink = SkipWhileSink(assembly.sink(of: Element.self), me.predicate)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class SkipWhileSink<Element>: Stage<Element, Element> {
    @usableFromInline
    let predicate: (Element) throws -> Bool
    /// Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var isSkipping = true

    @inlinable
    init(_ down: Sink<Element>, _ predicate: @escaping (Element) throws -> Bool) {
        self.predicate = predicate
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: SkipWhileSink<Element>.self)
            if me.isSkipping {
                guard me.isLive else { return }
                do {
                    if try me.predicate(element) { return }
                } catch {
                    return me.end(error)
                }
                me.isSkipping = false
            }
            me.deliver(element)
        }
    }
}
