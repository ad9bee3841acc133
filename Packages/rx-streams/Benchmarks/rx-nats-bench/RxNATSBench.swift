// Runs the benchmarks of scripts/compare-streams.sh with RxStreamsNATS, one for each row of the script's table. Prints
// "ROW MESSAGES SECONDS" for each. The third argument selects rows.
import Foundation
import Logging
import RxStreams
import RxStreamsNATS
import RxSwift
import Synchronization

/// Runs outside the main actor, because on the main actor each message would switch threads twice.
@main
struct RxNATSBench {
    let broker: NATSBroker
    let many: Int
    let rows: String?
    let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 128)

    var driver: any LiveDriver { broker.driver }
    /// The number of messages in rows that send or pull them one at a time.
    var few: Int { many / 20 }

    /// Blocks its thread, because valgrind does not support asynchronous main functions.
    static func main() {
        let arguments = CommandLine.arguments
        guard 3...4 ~= arguments.count, let many = Int(arguments[2]), many >= 20 else {
            say("takes the server's URL, a number of messages, at least 20, and the rows if not all", exit: 2)
        }
        let over = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                try await run(arguments[1], many, rows: arguments.count == 4 ? arguments[3] : nil)
            } catch {
                say("\(error)", exit: 1)
            }
            over.signal()
        }
        over.wait()
    }

    private static func say(_ what: String, exit status: Int32) -> Never {
        FileHandle.standardError.write(Data("rx-nats-bench: \(what)\n".utf8))
        exit(status)
    }

    private static func run(_ url: String, _ many: Int, rows: String?) async throws {
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        let broker = try NATSBroker(servers: [url], logger: logger)
        let bench = RxNATSBench(broker: broker, many: many, rows: rows)
        try await bench.driver.ensure(StreamSettings("r", subjects: ["r.a"]))
        try await bench.publish()
        try await bench.consume("consume-1", "one", batch: 1, count: bench.few)
        try await bench.consume("consume-256", "many", batch: 256, count: many)
        try await bench.live()
        await broker.close()
    }

    func row(_ name: String, _ count: Int, _ work: () async throws -> Void) async throws {
        if let rows, !rows.contains(name) { return }
        let span = try await ContinuousClock().measure(work)
        print(name, count, Double(span.components.seconds) + Double(span.components.attoseconds) / 1e18)
    }

    func publish() async throws {
        try await row("publish-1", few) {
            for index in 0..<few { _ = try await driver.append([NewMessage("r.a", payload, id: "one-\(index)")], to: "r") }
        }
        try await row("publish-256", many) {
            // Two tasks publish batches of 128, so one batch is written while the other is acknowledged.
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for half in 0..<2 {
                    tasks.addTask {
                        for start in stride(from: half * 128, to: many, by: 256) {
                            let part = start..<min(many, start + 128)
                            _ = try await driver.append(
                                part.map { NewMessage("r.a", payload, id: "many-\($0)") }, to: "r")
                        }
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }

    func consume(_ name: String, _ group: String, batch: Int, count: Int) async throws {
        let member = try await driver.join(GroupSettings(group), of: "r")
        try await row(name, count) {
            var done = 0
            while done < count {
                let messages = try await member.pull(upTo: min(batch, count - done), within: .seconds(10))
                try await member.settle(messages.map { Verdict($0.token, .done) })
                done += messages.count
            }
        }
        await member.leave()
    }

    /// A slow subscriber would lose live messages, so at most 4096 are in flight.
    func live() async throws {
        let received = Atomic<Int>(0)
        let listening = driver.messages(on: "live").subscribe(onNext: { _ in received.add(1, ordering: .relaxed) })
        try await row("live", many) {
            for sent in 0..<many {
                while sent - received.load(ordering: .relaxed) > 4096 { try await Task.sleep(nanoseconds: 20_000) }
                try await driver.send(NewMessage("live", payload))
            }
            while received.load(ordering: .relaxed) < many { try await Task.sleep(nanoseconds: 20_000) }
        }
        listening.dispose()
    }
}
