public import RxSwift

/// A cold source of a test that pauses when it is told to, and notes that it was.
///
/// It fires for each observer anew. While it is paused, what would be due waits; when it goes on, that is sent at once,
/// and what comes later has its own time.
// @unchecked Sendable because it is its scheduler's, which runs one thing at a time.
public final class PausableObservable<Element>: ObservableType, @unchecked Sendable {
    /// What it sends, with times counted from the subscription.
    public let recordedEvents: [Recorded<Event<Element>>]
    /// When it was told to pause, and when to go on.
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
            nonisolated(unsafe) let turn = Turn(observer)  // the scheduler's, as this is
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

    /// What one observer is owed.
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

/// What a source that can pause is told.
public enum FlowSignal: Sendable, Hashable {
    /// Send no more until ``resume``.
    case pause

    /// Go on.
    case resume
}

extension TestScheduler {
    /// A cold source that can be paused, and fires as a marble string says, from each of its subscriptions on.
    ///
    /// ```swift
    /// let source = scheduler.createPausableObservable("-1-2-3-|", of: Int.self)
    /// let observer = scheduler.start { source.paused(by: "--p-----r", on: scheduler) }
    /// source.expectSignals("--p-----r")
    /// ```
    ///
    /// - Parameters:
    ///   - marbles: what it fires, and when.
    ///   - type: the elements' type, where nothing else tells it.
    ///   - values: what the marks of elements stand for.
    ///   - error: what `#` stands for.
    ///   - fileID: the source file in which a fault of the string is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
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
    /// This sequence above a consumer that pauses it at each `p` of a marble string and lets it go on at each `r`.
    ///
    /// What comes although it is paused passes, so that a test sees it.
    ///
    /// - Parameters:
    ///   - marbles: when to pause and when to go on.
    ///   - scheduler: whose time that is, and where what was paused goes on.
    ///   - origin: the time of the first frame.
    ///   - fileID: the source file in which a fault of the string is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
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
    /// Expects that it was told to pause at each `p` and to go on at each `r` of a marble string, and at no other time.
    ///
    /// - Parameters:
    ///   - marbles: the signals.
    ///   - origin: the time of the first frame.
    ///   - fileID: the source file in which a failure is reported.
    ///   - filePath: the same file's path.
    ///   - line: the line of the report.
    ///   - column: the column of the report.
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
    /// The signals that a marble string draws: `p` and `r`.
    fileprivate func signals(_ text: String, _ origin: TestTime, _ site: Site) -> [Recorded<FlowSignal>]? {
        read(text, site) { marbles throws(MarbleSyntaxError) in
            var signals: [Recorded<FlowSignal>] = []
            for mark in marbles.marks {
                switch mark.symbol {
                case .element("p"): signals.append(Recorded(time: origin + mark.frame, value: .pause))
                case .element("r"): signals.append(Recorded(time: origin + mark.frame, value: .resume))
                default: throw marbles.fault("no signal: `p` pauses, `r` lets go on", at: mark)
                }
            }
            return signals
        }
    }
}
