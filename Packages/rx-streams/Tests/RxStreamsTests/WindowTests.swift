@testable import RxStreams
import RxSwift
import Synchronization
import Testing

struct WindowTests {
    /// What is told, and when.
    private final class Answers: Sendable {
        private let state = Mutex<[Bool]>([])

        var all: [Bool] { state.withLock { $0 } }

        func add(_ done: Bool) { state.withLock { $0.append(done) } }
    }

    /// In virtual time one task runs at a time: whoever tells verdicts sees this one when the window is closed.
    @Test(arguments: [true, false]) func aVerdictThatIsLeftOnLeavingIsAnswered(canBeTold: Bool) throws {
        let (broker, answers) = (VirtualBroker(HistoricalScheduler()), Answers())
        try broker.run(for: .seconds(60)) {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            let member = try await driver.join(GroupSettings("g"), of: "orders")
            _ = try await driver.append([NewMessage("orders", [1])], to: "orders")
            let window = Window(driver, member, GroupSettings("g"), GroupMetrics([])) { _, _ in }
            window.begin()
            let messages = try await member.pull(upTo: 1, within: .seconds(0))
            window.add(messages)
            if !canBeTold { broker.disconnect(for: .seconds(5)) }
            window.settle(messages[0].token, as: .done) { answers.add($0) }
            await window.leave()
            #expect(answers.all == [canBeTold])
        }
    }
}
