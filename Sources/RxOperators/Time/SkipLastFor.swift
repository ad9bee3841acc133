public import Dispatch
import RxSwift

extension ObservableType {
    /// All elements except those that come less than `span` before the completion.
    ///
    ///     source:                   --1-2------3-4-|
    ///     skipLast(for: 5 columns): -----------(12)|
    ///
    /// ![The elements that are old enough, when another one comes](marble-skip-last-for)
    ///
    /// An element is delivered with the first event that comes at least `span` later, on the thread of this event. An
    /// error drops the waiting elements. Their number is not bounded.
    ///
    /// Pausing: the source pauses with the downstream chain. All elements that become due at one event are sent, even
    /// if the downstream chain pauses after the first.
    ///
    /// - Parameters:
    ///   - span: the time before the completion.
    ///   - scheduler: measures the time.
    public __consuming func skipLast(for span: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        lift(SkipLastFor(span: span.nanosecondsInInt, clock: SpanClock(scheduler)))
    }
}

private struct SkipLastFor<Input>: LinearOperator {
    typealias Output = Input

    let span: Int
    let clock: SpanClock

    func makeState() -> Backlog<Input> { Backlog() }

    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Input? {
        let now = clock.now
        stage.state.append(element, at: now)
        sendDue(now, stage)
        return nil
    }

    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        if error == nil { sendDue(clock.now, stage) }
        return error
    }

    private func sendDue(_ now: Int, _ stage: borrowing LinearStage<Self>) {
        // Elements are removed one at a time, because the observer may push into the source. The nested call then sends
        // the next elements.
        while stage.isLive, let element = stage.state.removeFirst(upTo: now.span(since: span)) {
            stage.send(element)
        }
    }

    static var endsEarly: Bool { false }
}
