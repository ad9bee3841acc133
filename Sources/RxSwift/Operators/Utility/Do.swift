extension ObservableType {
    /// Calls closures for the events of this sequence. The events pass unchanged.
    ///
    ///     source:                  --1--2--#
    ///     logged:                  --1--2---
    ///     do(onNext: { log($0) }): --1--2--#
    ///
    /// ![Each element is logged as it passes](marble-do)
    ///
    /// The closures run on the thread that subscribes, delivers or disposes. If one throws, the sequence fails, unless
    /// it has already ended.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - onNext: called before an element is passed on.
    ///   - afterNext: called after an element has been passed on, even if the observer has disposed of the
    ///     subscription.
    ///   - onError: called before the error is passed on.
    ///   - afterError: called after the error has been passed on.
    ///   - onCompleted: called before the completion is passed on.
    ///   - afterCompleted: called after the completion has been passed on.
    ///   - onSubscribe: called before the source is subscribed to.
    ///   - onSubscribed: called after the source has been subscribed to.
    ///   - onDispose: called once, after the source has been disposed of.
    ///
    /// ## See Also
    ///
    /// - <doc:Debugging>
    /// - [do on reactivex.io](https://reactivex.io/documentation/operators/do.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Observable<Element> {
        DoProducer(
            asObservable(),
            DoActions(
                onNext, afterNext, onError, afterError, onCompleted, afterCompleted, onSubscribe, onSubscribed,
                onDispose))
    }
}

@usableFromInline
final class DoProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let actions: DoActions<Element>

    @inlinable
    init(_ source: Observable<Element>, _ actions: DoActions<Element>) {
        self.source = source
        self.actions = actions
        super.init { base, context in
            let me = unsafeDowncast(base, to: DoProducer<Element>.self)
            me.actions.willSubscribe(&context)
            context.top = DoSink(context.takeTop(for: Element.self), me.actions)
            return me.source
        }
    }
}

/// The closures, stored outside the producer so that the stage does not retain the source.
@usableFromInline
final class DoActions<Element> {
    @usableFromInline
    let onNext: ((Element) throws -> Void)?
    @usableFromInline
    let afterNext: ((Element) throws -> Void)?
    private let onError: ((any Swift.Error) throws -> Void)?
    private let afterError: ((any Swift.Error) throws -> Void)?
    private let onCompleted: (() throws -> Void)?
    private let afterCompleted: (() throws -> Void)?
    private let onSubscribe: (() -> Void)?
    private let onSubscribed: (() -> Void)?
    private let onDispose: (() -> Void)?

    @usableFromInline
    init(
        _ onNext: ((Element) throws -> Void)?, _ afterNext: ((Element) throws -> Void)?,
        _ onError: ((any Swift.Error) throws -> Void)?, _ afterError: ((any Swift.Error) throws -> Void)?,
        _ onCompleted: (() throws -> Void)?, _ afterCompleted: (() throws -> Void)?,
        _ onSubscribe: (() -> Void)?, _ onSubscribed: (() -> Void)?, _ onDispose: (() -> Void)?
    ) {
        self.onNext = onNext
        self.afterNext = afterNext
        self.onError = onError
        self.afterError = afterError
        self.onCompleted = onCompleted
        self.afterCompleted = afterCompleted
        self.onSubscribe = onSubscribe
        self.onSubscribed = onSubscribed
        self.onDispose = onDispose
    }

    @usableFromInline
    func willSubscribe(_ context: inout SubscribeContext) {
        onSubscribe?()
        guard onSubscribed != nil || onDispose != nil else { return }
        if onDispose != nil { context.lifetime.keep() }
        context.afterwards { [onSubscribed, onDispose, lifetime = context.lifetime] in
            onSubscribed?()
            if let onDispose { lifetime.adopt(AnonymousDisposable(onDispose)) }
        }
    }

    func beforeEnd(_ error: (any Swift.Error)?) throws {
        if let error { try onError?(error) } else { try onCompleted?() }
    }

    func afterEnd(_ error: (any Swift.Error)?) throws {
        if let error { try afterError?(error) } else { try afterCompleted?() }
    }
}

@usableFromInline
final class DoSink<Element>: Stage<Element, Element> {
    @usableFromInline
    let onNext: ((Element) throws -> Void)?
    @usableFromInline
    let afterNext: ((Element) throws -> Void)?
    private let actions: DoActions<Element>
    /// Whether this stage disposes of the chain, after its `after...` closures. True above a terminal observer, which
    /// would otherwise dispose of the chain before those closures run.
    private let disposesChain: Bool
    /// Whether the sequence has ended. Events that the closures cause afterwards are dropped. Used only by the
    /// delivering thread.
    @usableFromInline
    @exclusivity(unchecked)
    var isEnded = false

    @inlinable
    convenience init(_ down: Sink<Element>, _ actions: DoActions<Element>) {
        self.init(down, actions) { base, element in
            let me = unsafeDowncast(base, to: DoSink<Element>.self)
            guard me.isLive, !me.isEnded, me.call({ try me.onNext?(element) }) else { return }
            me.deliver(element)
            _ = me.call { try me.afterNext?(element) }
        }
    }

    @usableFromInline
    init(_ down: Sink<Element>, _ actions: DoActions<Element>, push: @escaping Push) {
        onNext = actions.onNext
        afterNext = actions.afterNext
        self.actions = actions
        disposesChain = down.handDisposalOver() != nil
        super.init(down: down, push: push)
    }

    /// Inlined, so that the closure is not retained.
    @inlinable
    @inline(__always)
    func call(_ action: () throws -> Void) -> Bool {
        do {
            try action()
            return true
        } catch {
            fail(error)
            return false
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        guard isLive, !isEnded else { return }
        isEnded = true
        do {
            try actions.beforeEnd(error)
        } catch {
            return fail(error)
        }
        super.end(error)
        // The sequence has ended: an error cannot be delivered.
        try? actions.afterEnd(error)
        if disposesChain { disposeChain() }
    }

    /// Fails with the error of a closure, without calling `onError`.
    @usableFromInline
    func fail(_ error: any Error) {
        isEnded = true
        super.end(error)
        if disposesChain { disposeChain() }
    }
}
