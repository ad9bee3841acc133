public import Dispatch
import RxSwift

extension ObservableType {
    /// The elements that come less than `span` before the completion, sent when the source completes.
    ///
    ///     source:                   --1-2------3-4-|
    ///     takeLast(for: 5 columns): ---------------(34|)
    ///
    /// ![The last elements, when the source completes](marble-take-last-for)
    ///
    /// Elements are delivered on the thread that completes the source, except those that wait for a resume. An error
    /// drops the elements. The elements of one `span` wait without a bound; older ones are released at the next
    /// element.
    ///
    /// Pausing: the source never pauses, because nothing is sent before its end. After the end, the elements are sent
    /// in a loop, which pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - span: the time before the completion.
    ///   - scheduler: measures the time.
    public __consuming func takeLast(for span: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        lift(TakeLastFor(span: span.nanosecondsInInt, clock: SpanClock(scheduler))).flatMap { Observable.from($0) }
    }
}

private struct TakeLastFor<Input>: LinearOperator {
    typealias Output = [Input]

    let span: Int
    let clock: SpanClock

    func makeState() -> Backlog<Input> { Backlog() }

    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> [Input]? {
        let now = clock.now
        stage.state.append(element, at: now)
        removeOld(now, stage)
        return nil
    }

    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        if error == nil {
            removeOld(clock.now, stage)
            stage.send(stage.state.removeAll())
        }
        return error
    }

    private func removeOld(_ now: Int, _ stage: borrowing LinearStage<Self>) {
        // `old` is released after the state has changed, because its `deinit` may push into the source.
        while let old = stage.state.removeFirst(upTo: now.span(since: span)) {
            withExtendedLifetime(old) {}
        }
    }

    static var endsEarly: Bool { false }
}
