import InMemoryLogging
import Logging
import RxObservability
import RxTest

struct Declined: Error {}

extension TestScheduler {
    static func milliseconds() -> TestScheduler { TestScheduler(initialClock: 0, resolution: 0.001) }
}

struct TestLog {
    let handler: InMemoryLogHandler
    let logger: Logger

    init(_ level: Logger.Level = .trace, provider: Logger.MetadataProvider? = nil) {
        var handler = InMemoryLogHandler()
        handler.logLevel = level
        handler.metadataProvider = provider
        self.handler = handler
        logger = Logger(label: "test") { [handler] _ in handler }
    }

    /// The messages, each with its element if it has one.
    var messages: [String] {
        handler.entries.map { entry in
            entry.metadata["rx.element"].map { "\(entry.message) \($0)" } ?? "\(entry.message)"
        }
    }
}
