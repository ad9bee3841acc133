extension ObservableType where Element: EventConvertible {
    /// The events that the elements stand for.
    ///
    ///     source:          --next(1)--completed--|
    ///     dematerialize(): --1--------|
    ///
    /// The source is let go with the first terminal event among its elements. Its own ends it, too.
    @inlinable
    @inline(never)
    public __consuming func dematerialize() -> Observable<Element.Element> {
        DematerializeProducer(asObservable())
    }
}

@usableFromInline
final class DematerializeProducer<Input: EventConvertible>: Observable<Input.Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Input>

    @inlinable
    init(_ source: Observable<Input>) {
        self.source = source
        super.init { base, assembly in
            assembly.sink = DematerializeSink<Input>(assembly.sink(of: Input.Element.self))
            return .passUnretained(unsafeDowncast(base, to: DematerializeProducer<Input>.self).source)
        }
    }
}

@usableFromInline
final class DematerializeSink<Input: EventConvertible>: Stage<Input, Input.Element> {
    /// Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var ended = false

    @inlinable
    init(_ down: Sink<Input.Element>) {
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: DematerializeSink<Input>.self)
            // The getter of `event` is the user's.
            guard me.isLive, !me.ended else { return }
            switch element.event {
            case .next(let element): me.deliver(element)
            case .error(let error): me.end(error)
            case .completed: me.end(nil)
            }
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        guard !ended else { return }
        ended = true
        super.end(error)
    }
}
