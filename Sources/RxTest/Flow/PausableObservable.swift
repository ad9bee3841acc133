public import RxSwift

/// A cold source for tests that records each pause and resume.
///
/// The times of its events count from each subscription. If an event is due during a pause, it is sent at the resume.
// @unchecked Sendable because only its scheduler, which runs one action at a time, uses it.
public final class PausableObservable<Element>: ObservableType, @unchecked Sendable {
    /// The events, with times counted from the subscription.
    public let recordedEvents: [Recorded<Event<Element>>]
    /// The pauses and resumes, with their times.
    public private(set) var signals: [Recorded<FlowSignal>] = []

    let scheduler: TestScheduler

    init(_ scheduler: TestScheduler, _ recordedEvents: [Recorded<Event<Element>>]) {
        self.scheduler = scheduler
        self.recordedEvents = recordedEvents
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }

    public func asObservable() -> Observable<Element> {
        .listening(on: scheduler) { [self] observer in
            nonisolated(unsafe) let turn = Turn(observer)  // used only by the scheduler
            for recorded in recordedEvents {
                _ = scheduler.scheduleRelativeVirtual((), dueTime: recorded.time) {
                    turn.send(recorded.value)
                    return Disposables.create()
                }
            }
            return (
                Disposables.create { turn.end() },
                { [self] isPaused in
                    signals.append(Recorded(time: scheduler.clock, value: isPaused ? .pause : .resume))
                    turn.set(isPaused)
                }
            )
        }
    }

    private final class Turn {
        private var observer: AnyObserver<Element>?
        private var waiting: [Event<Element>] = []
        private var isPaused = false

        init(_ observer: AnyObserver<Element>) {
            self.observer = observer
        }

        func send(_ event: Event<Element>) {
            if isPaused { waiting.append(event) } else { observer?.on(event) }
        }

        func set(_ isPaused: Bool) {
            self.isPaused = isPaused
            while !self.isPaused, !waiting.isEmpty { observer?.on(waiting.removeFirst()) }
        }

        func end() {
            observer = nil
            waiting = []
        }
    }
}

/// A signal to a source that can pause.
public enum FlowSignal: Sendable, Hashable {
    /// Stop sending.
    case pause

    /// Continue sending.
    case resume
}

extension TestScheduler {
    /// A cold source that can be paused, and sends the events of the marble string `marbles`.
    ///
    /// ```swift
    /// let source = scheduler.createPausableObservable("-1-2-3-|", of: Int.self)
    /// let observer = scheduler.start { source.paused(by: "--p-----r", on: scheduler) }
    /// source.expectSignals("--p-----r")
    /// ```
    ///
    /// `type` is the elements' type, if it cannot be inferred. `values` are the elements that the marks stand for; `#`
    /// stands for `error`. A syntax error in the string is reported at `fileID`, `filePath`, `line` and `column`.
    public func createPausableObservable<Element>(
        _ marbles: String, of type: Element.Type = Element.self, values: [Character: Element] = [:],
        error: any Error = MarbleError(),
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> PausableObservable<Element> {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        let events = read(marbles, site) { marbles throws(MarbleSyntaxError) in
            try marbles.events(values: values, error: error, from: 0, origin: .beginning)
        }
        return PausableObservable(self, events ?? [])
    }
}

extension ObservableType {
    /// This sequence, paused at each `p` of the marble string `marbles` and resumed at each `r`.
    ///
    /// Events during a pause are passed on, so that a test can detect them. The string begins at `origin`, in the
    /// virtual time of `scheduler`. Paused sources resume on `scheduler`. A syntax error in the string is reported at
    /// `fileID`, `filePath`, `line` and `column`.
    public func paused(
        by marbles: String, on scheduler: TestScheduler, from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Observable<Element> {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        let valve = TestValve(on: scheduler)
        for signal in scheduler.signals(marbles, origin, site) ?? [] {
            scheduler.scheduleAt(signal.time) { valve.set(isPaused: signal.value == .pause) }
        }
        return valve.above(asObservable())
    }
}

extension PausableObservable {
    /// Expects a pause at each `p` and a resume at each `r` of the marble string `marbles`, and no other signals. The
    /// string begins at `origin`. A failure is reported at `fileID`, `filePath`, `line` and `column`.
    public func expectSignals(
        _ marbles: String, from origin: TestTime = TestScheduler.Defaults.subscribed,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let site = Site(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let expected = scheduler.signals(marbles, origin, site), expected != signals else { return }
        let told = signals.map { "\($0.value) at \($0.time)" }.joined(separator: ", ")
        let wanted = expected.map { "\($0.value) at \($0.time)" }.joined(separator: ", ")
        site.fail("expected \(wanted.isEmpty ? "no signal" : wanted), got \(told.isEmpty ? "none" : told)")
    }
}

extension TestScheduler {
    fileprivate func signals(_ text: String, _ origin: TestTime, _ site: Site) -> [Recorded<FlowSignal>]? {
        read(text, site) { marbles throws(MarbleSyntaxError) in
            var signals: [Recorded<FlowSignal>] = []
            for mark in marbles.marks {
                switch mark.symbol {
                case .element("p"): signals.append(Recorded(time: origin + mark.frame, value: .pause))
                case .element("r"): signals.append(Recorded(time: origin + mark.frame, value: .resume))
                default: throw marbles.fault("not a signal: `p` pauses, `r` resumes", at: mark)
                }
            }
            return signals
        }
    }
}
