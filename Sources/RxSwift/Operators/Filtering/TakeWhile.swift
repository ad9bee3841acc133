extension ObservableType {
    /// Elements as long as they satisfy `predicate`, then completes.
    ///
    ///     source:                           --1--2--3--1--|
    ///     take(while: { $0 < 3 }):           --1--2--|
    ///     take(while:behavior: .inclusive):  --1--2--3|
    ///
    /// The source is let go with the first element that does not satisfy it.
    ///
    /// - Parameters:
    ///   - predicate: called with each element, on the thread that delivers it. An error it throws ends the sequence.
    ///   - behavior: whether the first element that does not satisfy it is sent, too.
    @inlinable
    @inline(never)
    public __consuming func take(
        while predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        TakeWhileProducer(asObservable(), predicate, while: true, behavior)
    }

    /// Elements as long as they satisfy `predicate`, then completes.
    @available(*, deprecated, renamed: "take(while:)")
    @inlinable
    @inline(never)
    public func takeWhile(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
        take(while: predicate)
    }
}

/// Takes elements while the predicate says `while`.
@usableFromInline
final class TakeWhileProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let predicate: (Element) throws -> Bool
    @usableFromInline
    let passing: Bool
    @usableFromInline
    let behavior: TakeBehavior

    @inlinable
    init(
        _ source: Observable<Element>, _ predicate: @escaping (Element) throws -> Bool, while passing: Bool, _ behavior: TakeBehavior
    ) {
        self.source = source
        self.predicate = predicate
        self.passing = passing
        self.behavior = behavior
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: TakeWhileProducer<Element>.self)
            assembly.sink = TakeWhileSink(assembly.sink(of: Element.self), me.predicate, while: me.passing, me.behavior)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class TakeWhileSink<Element>: Stage<Element, Element> {
    @usableFromInline
    let predicate: (Element) throws -> Bool
    @usableFromInline
    let passing: Bool
    @usableFromInline
    let behavior: TakeBehavior
    /// Whether the last element has been met. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var isDone = false
    /// Guarded by the gate above.
    @exclusivity(unchecked)
    private var ended = false

    @inlinable
    convenience init(
        _ down: Sink<Element>, _ predicate: @escaping (Element) throws -> Bool, while passing: Bool, _ behavior: TakeBehavior
    ) {
        self.init(down, predicate, passing, behavior) { base, element in
            let me = unsafeDowncast(base, to: TakeWhileSink<Element>.self)
            guard me.isLive, !me.isDone else { return }
            do {
                let passes = try me.predicate(element) == me.passing
                // The predicate may have made the source send the element that ends it.
                guard !me.isDone else { return }
                if passes {
                    me.deliver(element)
                } else {
                    me.isDone = true
                    if me.behavior == .inclusive { me.deliver(element) }
                    me.end(nil)
                }
            } catch {
                me.end(error)
            }
        }
    }

    @usableFromInline
    init(
        _ down: Sink<Element>, _ predicate: @escaping (Element) throws -> Bool, _ passing: Bool, _ behavior: TakeBehavior,
        push: @escaping Push
    ) {
        self.predicate = predicate
        self.passing = passing
        self.behavior = behavior
        super.init(down: down, push: push)
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        guard !ended else { return }
        ended = true
        isDone = true
        super.end(error)
    }
}
