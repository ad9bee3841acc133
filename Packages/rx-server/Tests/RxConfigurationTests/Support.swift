import InMemoryLogging
import Logging
import Synchronization

struct TestLog {
    let handler = InMemoryLogHandler()
    let logger: Logger

    init() {
        logger = Logger(label: "test") { [handler] _ in handler }
    }

    var warnings: [String] {
        handler.entries.filter { $0.level == .warning }.map { entry in
            let (limit, key) = (entry.metadata["rx.limit"]!, entry.metadata["rx.key"]!)
            return "\(entry.message): \(limit) \(key) \(entry.metadata["rx.value"]!)"
        }
    }
}
