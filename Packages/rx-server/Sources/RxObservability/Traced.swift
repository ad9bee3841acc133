@_spi(RxServer) public import RxSwift
public import Tracing

extension ObservableType {
    /// Traces each subscription to this sequence with a span from the subscription to its end.
    ///
    /// ```swift
    /// charge(order).traced("charge", tracer, kind: .client)
    /// ```
    ///
    /// The span is a child of the span in whose context the subscription is made. The upstream subscriptions are made
    /// in the context of the new span, so their spans are its children. Upstream hops restore that context, because
    /// this function calls ``RxSwift/Hooks/carryServiceContext()``. The downstream receives each event in the
    /// subscriber's context.
    ///
    /// - An **error** is recorded, and the status is set to `error`.
    /// - If a subscription is **disposed of** before its end, its span has the attribute `rx.cancelled`, and no status.
    /// - The span ends once, before the end is forwarded, on the thread that delivers or disposes.
    ///
    /// If another thread pushes an element into this sequence without a hop, the upstream operators run in the context
    /// of that thread. Use `traced` for calls and for streams that end. For each element, a task-local value is set
    /// and restored. Pauses pass through.
    ///
    /// - Parameters:
    ///   - name: the span's operation name.
    ///   - tracer: makes the spans; by default the tracer of the `InstrumentationSystem`.
    ///   - kind: the kind of the span.
    ///   - attributes: the attributes at the start of the span.
    ///   - file: the call's file.
    ///   - function: the call's function.
    ///   - line: the call's line.
    public func traced(
        _ name: String, _ tracer: (any Tracer)? = nil, kind: SpanKind = .internal, attributes: SpanAttributes = [:],
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) -> Observable<Element> {
        let trace = SequenceTrace(name, tracer, kind, attributes, Place(file: file, function: function, line: line))
        return asObservable().traced(.observable, trace)
    }
}

extension InfallibleType {
    /// See ``RxSwift/ObservableType/traced(_:_:kind:attributes:file:function:line:)``.
    public func traced(
        _ name: String, _ tracer: (any Tracer)? = nil, kind: SpanKind = .internal, attributes: SpanAttributes = [:],
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) -> Infallible<Element> {
        let trace = SequenceTrace(name, tracer, kind, attributes, Place(file: file, function: function, line: line))
        return asObservable().traced(.infallible, trace).asInfallibleAgain()
    }
}

extension PrimitiveSequence {
    /// See ``RxSwift/ObservableType/traced(_:_:kind:attributes:file:function:line:)``. An element counts as the end.
    public func traced(
        _ name: String, _ tracer: (any Tracer)? = nil, kind: SpanKind = .internal, attributes: SpanAttributes = [:],
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) -> PrimitiveSequence<Trait, Element> {
        let trace = SequenceTrace(name, tracer, kind, attributes, Place(file: file, function: function, line: line))
        return .trusting(asObservable().traced(SequenceKind(Trait.self), trace))
    }
}

extension Observable {
    fileprivate func traced(_ kind: SequenceKind, _ trace: SequenceTrace) -> Observable<Element> {
        Hooks.carryServiceContext()
        return watched(kind) { source in
            let outer = ServiceContext.current
            let span = trace.start(in: outer ?? .topLevel)
            let inner = span.context
            let traced = source.subscribed(
                in: { ServiceContext.withValue(inner, operation: $0) },
                deliveredIn: { ServiceContext.withValue(outer, operation: $0) })
            return (SpanProbe<Element>(span: span), traced)
        }
    }
}

/// Shared by all subscriptions of a sequence. Immutable.
private final class SequenceTrace {
    private let name: String
    private let tracer: (any Tracer)?
    private let kind: SpanKind
    private let attributes: SpanAttributes
    private let place: Place

    init(
        _ name: String, _ tracer: (any Tracer)?, _ kind: SpanKind, _ attributes: SpanAttributes, _ place: Place
    ) {
        self.name = name
        self.tracer = tracer
        self.kind = kind
        self.attributes = attributes
        self.place = place
    }

    func start(in context: ServiceContext) -> any Span {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let span: any Span = tracer.startSpan(
            name, context: context, ofKind: kind, at: DefaultTracerClock.now, function: place.function,
            file: place.file, line: place.line)
        if !attributes.isEmpty { span.attributes.merge(attributes) }
        return span
    }
}

private struct SpanProbe<Element>: SubscriptionProbe {
    let span: any Span

    func next(_: Element) {}

    func end(_ end: SubscriptionEnd) {
        switch end {
        case .completed: break
        case .failed(let error):
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error))
        case .cancelled: span.attributes["rx.cancelled"] = true
        }
        span.end()
    }
}
