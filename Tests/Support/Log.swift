/// Events in order, from any thread.
package final class Log: Sendable {
    private let lines = Guarded<[String]>([])

    package init() {}

    package func callAsFunction(_ item: Any) {
        let line = "\(item)"
        lines.withLock { $0.append(line) }
    }

    package var entries: [String] {
        lines.withLock { $0 }
    }

    package var text: String {
        entries.joined(separator: " ")
    }

    package func take() -> String {
        lines.withLock { lines in
            defer { lines = [] }
            return lines.joined(separator: " ")
        }
    }
}
