import RxTest
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A log of events with their virtual time in milliseconds, as on the pages.
final class Timeline: Sendable {
    private let scheduler: TestScheduler
    private let log = Log()

    init(_ scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    func callAsFunction(_ what: String) {
        let time = String(scheduler.clock)
        log(String(repeating: " ", count: max(0, 5 - time.count)) + "\(time) ms  \(what)")
    }

    var text: String { log.entries.joined(separator: "\n") }

    func expectShown(on page: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let file = root.appending(path: "Sources/RxResilience/RxResilience.docc/\(page).md")
        let shown = try String(contentsOf: file, encoding: .utf8)
        #expect(
            shown.contains("\n```\n\(text)\n```\n"), "\(page) does not show\n\(text)", sourceLocation: sourceLocation)
    }
}
