import RxSwift
import RxTest

/// Runs an example in virtual time, one step for each column of its diagram: makes the drawn sources, records the
/// results, and compares them with the drawing.
@dynamicMemberLookup
// @unchecked Sendable because a test uses it on one thread.
final class Stage: @unchecked Sendable {
    let diagram: Diagram
    /// The virtual time, with steps of one second. An action scheduled for now runs now, not one step later.
    let clock = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    /// The timelines of each used line, by its index in `diagram.lines`: drawn for a source, recorded for a result.
    private(set) var played: [Int: [Timeline]] = [:]
    private(set) var faults: [String] = []
    private var endings: [() -> Void] = []

    private static let begin = 100

    init(_ diagram: Diagram) {
        self.diagram = diagram
    }

    private func fault(_ fault: String) {
        faults.append(fault)
    }

    func play() {
        clock.advanceTo(Self.begin + diagram.last)
        for ending in endings { ending() }
        endings = []
        for (index, line) in diagram.lines.enumerated() where played[index] == nil {
            fault("nothing plays `\(line.label)`")
        }
    }
}

// MARK: Inputs from the diagram

extension Stage {
    subscript(dynamicMember label: String) -> Observable<Int> { line(label, of: Int.self) }

    /// The source on the line `label`. `type` converts the text of a mark to an element.
    func line<Element: LosslessStringConvertible>(_ label: String, of type: Element.Type) -> Observable<Element> {
        line(label) { type.init($0) }
    }

    /// The source on the line `label`. If the line has a single timeline that begins in column 0, the source is hot.
    /// Otherwise the source is cold: each subscription plays the next timeline and must begin in the first column of
    /// that timeline. `read` converts the text of a mark to an element.
    func line<Element>(_ label: String, reading read: @escaping (String) -> Element?) -> Observable<Element> {
        let timelines = claim(label)
        if timelines.count == 1, timelines[0].begin == 0 {
            return clock.createHotObservable(events(timelines[0], after: Self.begin, read)).asObservable()
        }
        nonisolated(unsafe) let read = read
        nonisolated(unsafe) var next = 0
        endings.append { [unowned self] in
            if next < timelines.count { fault("`\(label)` is subscribed \(next) times, and drawn \(timelines.count)") }
        }
        return .deferred { [unowned self] in
            guard next < timelines.count else {
                fault("`\(label)` is subscribed more often than it is drawn")
                return .never()
            }
            defer { next += 1 }
            let (begin, column) = (timelines[next].begin, clock.clock - Self.begin)
            if begin != column { fault("`\(label)` begins in column \(begin), and is subscribed in \(column)") }
            return clock.createColdObservable(events(timelines[next], after: -begin, read)).asObservable()
        }
    }

    func feed<Subject: ObserverType>(_ subject: Subject, _ label: String) where Subject.Element == Int {
        _ = line(label, of: Int.self).subscribe(subject)
    }

    func after(_ columns: Int, _ action: @escaping () -> Void) {
        clock.scheduleAt(Self.begin + columns, action: action)
    }

    /// The sequence that a label draws, as in `flatMap { $0 ──a──b──| }`. Each element begins with the source's
    /// `element`.
    func inner(_ element: Int) -> Observable<String> { inner { "\(element)\($0)" } }

    func inner() -> Observable<Int> { inner { Int($0) } }

    private func inner<Element>(_ read: @escaping (String) -> Element?) -> Observable<Element> {
        if let timeline = diagram.lines.lazy.compactMap(\.inner?.timeline).first {
            return clock.createColdObservable(events(timeline, after: 0, read)).asObservable()
        }
        fault("no label draws a sequence")
        return .never()
    }

    var e: any Error { DrawnError() }

    var queue: some ImmediateSchedulerType { LateScheduler(clock: clock, columns: 1) }

    var steps: some ImmediateSchedulerType { LateScheduler(clock: clock, columns: 2) }

    /// The timelines of the line `label` and of the lines below that continue it, such as `label, the second time` or
    /// `the second time`. Records them as played.
    private func claim(_ label: String) -> [Timeline] {
        var timelines: [Timeline] = []
        for (index, line) in diagram.lines.enumerated() {
            let isNext = !timelines.isEmpty && line.label.hasPrefix("the ") && line.label.hasSuffix(" time")
            guard line.label == label || line.label.hasPrefix("\(label), ") || isNext else { continue }
            timelines += line.timelines
            played[index] = line.timelines
        }
        if timelines.isEmpty { fault("there is no `\(label)`") }
        return timelines.isEmpty ? [Timeline(begin: 0, end: 0, marks: [])] : timelines
    }

    private func events<Element>(
        _ timeline: Timeline, after begin: Int, _ read: (String) -> Element?
    ) -> [Recorded<Event<Element>>] {
        timeline.marks.compactMap { mark in
            let time = mark.column + begin
            switch mark.text {
            case "|": return .completed(time)
            case "#": return .error(time, e)
            case let text:
                guard let element = read(text.filter { $0 != "\"" }) else {
                    fault("`\(text)` is not \(Element.self)")
                    return nil
                }
                return .next(time, element)
            }
        }
    }
}

// MARK: Outputs compared with the diagram

extension Stage {
    /// Subscribes to a sequence in the column of its line's `^`, or in the first column. Records the events and
    /// compares them with the drawing. If `label` is nil, the line is that of the next result.
    func result<Sequence: ObservableConvertibleType>(
        _ sequence: Sequence, of label: String? = nil,
        show: @escaping (Sequence.Element) -> String = { String(describing: $0) }
    ) {
        guard let index = label.map(nextLine) ?? nextResult else { return fault("no line is left for the result") }
        let written = diagram.lines[index].timelines[0]
        let begin = written.marks.first { $0.text == "^" }
        played[index] = []
        let observer = clock.createObserver(Sequence.Element.self)
        let subscription = SerialDisposable()
        clock.scheduleAt(Self.begin + (begin?.column ?? 0)) {
            subscription.disposable = sequence.asObservable().subscribe(observer)
        }
        endings.append { [unowned self] in
            subscription.dispose()
            let marks = observer.events.map { event in
                Mark(column: event.time - Self.begin, text: Self.text(event.value, show))
            }
            let recorded = Timeline(begin: written.begin, end: written.end, marks: (begin.map { [$0] } ?? []) + marks)
            played[index] = [recorded]
            if recorded.meaning != written.meaning {
                fault("`\(diagram.lines[index].label)`\n  is drawn \(written.drawn)\n  and does \(recorded.drawn)")
            }
        }
    }

    private func nextLine(_ label: String) -> Int? {
        diagram.lines.indices.first { diagram.lines[$0].label == label && played[$0] == nil }
    }

    /// The index of the first result's line that has not been played. Results begin at the first line with code, or
    /// else at the last line.
    private var nextResult: Int? {
        let first = diagram.lines.firstIndex { $0.isCode } ?? diagram.lines.count - 1
        return diagram.lines.indices[first...].first { played[$0] == nil }
    }

    private static func text<Element>(_ event: Event<Element>, _ show: (Element) -> String) -> String {
        switch event {
        case .next(let element): show(element).filter { $0 != " " }
        case .completed: "|"
        case .error: "#"
        }
    }
}

struct DrawnError: Error, CustomStringConvertible {
    var description: String { "e" }
}

private struct LateScheduler: ImmediateSchedulerType {
    let clock: TestScheduler
    let columns: Int

    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        clock.scheduleRelativeVirtual(state, dueTime: columns, action: action)
    }
}

extension Int {
    var columns: RxTimeInterval { .seconds(self) }
}

extension Array<Int> {
    var sum: Int { reduce(0, +) }
}
