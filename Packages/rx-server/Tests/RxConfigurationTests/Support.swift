import Configuration
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

final class HookedReport: AccessReporter {
    private let hook: Mutex<(@Sendable () -> Void)?>

    init(_ hook: @escaping @Sendable () -> Void) {
        self.hook = Mutex(hook)
    }

    func report(_: AccessEvent) { hook.withLock { $0.take() }?() }
}
