import RxSwift
import RxTest

/// Reads `"210:1 220! 230|"`: next(1) at 210, `TestError.a` at 220, completed at 230.
///
/// It traps on anything else: a marble is a literal in a test.
package func marbles(_ text: String) -> [Recorded<Event<Int>>] {
    text.split(separator: " ").map { item in
        func time(_ digits: Substring) -> TestTime {
            guard let time = TestTime(digits) else { preconditionFailure("\(item) in \"\(text)\" has no time") }
            return time
        }
        if item.hasSuffix("|") { return .completed(time(item.dropLast())) }
        if item.hasSuffix("!") { return .error(time(item.dropLast()), TestError.a) }
        let parts = item.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let element = Int(parts[1]) else {
            preconditionFailure("\(item) in \"\(text)\" is no marble")
        }
        return .next(time(parts[0]), element)
    }
}

/// Writes recorded events as ``marbles(_:)`` reads them; an error other than `TestError.a` shows its name, as in
/// `220!timeout`.
package func marbles<Element>(_ events: [Recorded<Event<Element>>]) -> String {
    events.map { recorded in
        switch recorded.value {
        case .next(let element): "\(recorded.time):\(element)"
        case .error(TestError.a): "\(recorded.time)!"
        case .error(let error): "\(recorded.time)!\(error)"
        case .completed: "\(recorded.time)|"
        }
    }.joined(separator: " ")
}

extension TestScheduler {
    /// A hot source of what ``marbles(_:)`` reads.
    package func hot(_ text: String) -> TestableObservable<Int> {
        createHotObservable(marbles(text))
    }

    /// A cold source of what ``marbles(_:)`` reads, its times counted from the subscription.
    package func cold(_ text: String) -> TestableObservable<Int> {
        createColdObservable(marbles(text))
    }
}

extension TestableObserver {
    /// What it was told, as ``marbles(_:)`` writes it.
    package var marble: String { marbles(events) }
}

extension TestableObservable {
    /// Its subscriptions, as in `(200: 1000) (300: Infinity)`.
    package var subscribed: String {
        subscriptions.map { "\($0)" }.joined(separator: " ")
    }
}
