public import Dispatch

/// A junction that does something at the end of a span of time, which begins with the subscription.
@usableFromInline
protocol SpanJunction: SourceJunction {
    init(_ assembly: inout Assembly, _ scheduler: any SchedulerType)

    var children: Children { get }
    func setTimer(_ span: RxTimeInterval)
}

/// What take(for:) and skip(for:) have in common: a source, a span, and what measures it.
@usableFromInline
final class Spanned<Junction: SpanJunction>: Observable<Junction.Input>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Junction.Input>
    @usableFromInline
    let duration: RxTimeInterval
    @usableFromInline
    let scheduler: any SchedulerType

    @inlinable
    init(_ source: Observable<Junction.Input>, _ duration: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.source = source
        self.duration = duration
        self.scheduler = scheduler
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: Spanned<Junction>.self)
            let junction = Junction(&assembly, me.scheduler)
            junction.setTimer(me.duration)
            me.source.subscribe(child: SourceChild(junction), in: junction.children)
            return nil
        }
    }
}
