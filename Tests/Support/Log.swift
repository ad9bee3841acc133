/// What happened, in order, from whatever threads.
///
/// ```swift
/// let log = Log()
/// source.subscribe(onNext: { log("next \($0)") }, onCompleted: { log("completed") })
/// #expect(log.text == "next 1 completed")
/// ```
package final class Log: Sendable {
    private let lines = Guarded<[String]>([])

    package init() {}

    /// Notes something, as it describes itself.
    package func callAsFunction(_ item: Any) {
        let line = "\(item)"
        lines.withLock { $0.append(line) }
    }

    /// All that was noted.
    package var entries: [String] {
        lines.withLock { $0 }
    }

    /// All that was noted, joined by blanks.
    package var text: String {
        entries.joined(separator: " ")
    }

    /// All that was noted since the last call, joined by blanks.
    package func take() -> String {
        lines.withLock { lines in
            defer { lines = [] }
            return lines.joined(separator: " ")
        }
    }
}
