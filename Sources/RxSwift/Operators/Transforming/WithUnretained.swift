extension ObservableType {
    /// Each element, combined with `obj`, which is not retained: completes with the first element that comes when it is gone.
    ///
    /// - Parameters:
    ///   - obj: held weakly.
    ///   - resultSelector: called with the object and each element, on the thread that delivers it.
    @inlinable
    @inline(never)
    public __consuming func withUnretained<Object: AnyObject, Out>(
        _ obj: Object, resultSelector: @escaping (Object, Element) -> Out
    ) -> Observable<Out> {
        WithUnretainedProducer(asObservable(), WeakReference(obj), resultSelector)
    }

    /// Each element as a pair with `obj`, which is not retained: completes with the first element that comes when it is gone.
    ///
    /// - Parameter obj: held weakly.
    @inlinable
    @inline(never)
    public func withUnretained<Object: AnyObject>(_ obj: Object) -> Observable<(Object, Element)> {
        withUnretained(obj) { ($0, $1) }
    }
}

/// A weak reference that many subscriptions share.
@usableFromInline
final class WeakReference<Object: AnyObject>: @unchecked Sendable {  // because: written once, but for the runtime's clearing
    @usableFromInline
    weak var object: Object?

    @inlinable
    init(_ object: Object) {
        self.object = object
    }
}

@usableFromInline
final class WithUnretainedProducer<Input, Object: AnyObject, Output>: Observable<Output>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let reference: WeakReference<Object>
    @usableFromInline
    let resultSelector: (Object, Input) -> Output

    @inlinable
    init(_ source: Observable<Input>, _ reference: WeakReference<Object>, _ resultSelector: @escaping (Object, Input) -> Output) {
        self.source = source
        self.reference = reference
        self.resultSelector = resultSelector
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: WithUnretainedProducer<Input, Object, Output>.self)
            assembly.sink = WithUnretainedSink(assembly.sink(of: Output.self), me.reference, me.resultSelector)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class WithUnretainedSink<Input, Object: AnyObject, Output>: Stage<Input, Output> {
    @usableFromInline
    let reference: WeakReference<Object>
    @usableFromInline
    let resultSelector: (Object, Input) -> Output
    /// Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var ended = false

    @inlinable
    init(_ down: Sink<Output>, _ reference: WeakReference<Object>, _ resultSelector: @escaping (Object, Input) -> Output) {
        self.reference = reference
        self.resultSelector = resultSelector
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: WithUnretainedSink<Input, Object, Output>.self)
            guard me.isLive, !me.ended else { return }
            if let object = me.reference.object {
                me.deliver(me.resultSelector(object, element))
            } else {
                me.end(nil)
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
