// Runs the benchmarks of `scripts/compare-streams.sh --postgres` and `--engines`, one for each row of a table. Each
// prints "ROW MESSAGES SECONDS", except `latency` (milliseconds), `memory` (MiB) and `rounds` (rounds per second).
// Arguments:
//
// - the server's URL, or the path of an SQLite file
// - the schema in PostgreSQL
// - the number of messages; for the row `rounds`, the number of seconds
// - the rows, separated by commas; for an unknown row the program only creates the stream and a group
import Foundation
import Logging
import RxResilience
import RxStreams
import RxStreamsNATS
import RxStreamsPostgreSQL
import RxStreamsSQLite
import RxSwift
import Synchronization

@main
struct RxPostgreSQLBench {
    let broker: any Broker
    let other: any Broker
    let many: Int
    let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 128)

    var driver: any LiveDriver { broker.driver }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let many = Int(arguments[3]) else {
            FileHandle.standardError.write(Data("rx-postgres-bench takes URL SCHEMA MESSAGES ROWS\n".utf8))
            exit(2)
        }
        let bench = RxPostgreSQLBench(
            broker: try open(arguments[1], schema: arguments[2]), other: try open(arguments[1], schema: arguments[2]),
            many: many)
        try await bench.driver.ensure(StreamSettings("s"))
        _ = try await bench.driver.join(GroupSettings("g"), of: "s")
        for row in arguments[4].split(separator: ",") { try await bench.run(String(row)) }
        await bench.broker.close()
        await bench.other.close()
    }

    private static func open(_ address: String, schema: String) throws -> any Broker {
        if address.hasPrefix("postgres://") { return try PostgreSQLBroker(address, schema: schema) }
        guard address.hasPrefix("nats://") else { return try SQLiteBroker(path: address) }
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        return try NATSBroker(servers: [address], logger: logger)
    }

    private func run(_ row: String) async throws {
        switch row {
        case "publish-1": try await timed(row, many) { try await publish(batch: 1) }
        case "publish-256": try await timed(row, many) { try await publish(batch: 256) }
        case "handle-16": try await timed(row, many) { try await handle() }
        case "rounds": try await rounds()
        case "latency": for rate in [10, 100, 1_000] { try await latency(rate) }
        case "memory": try await memory()
        default: break
        }
    }

    private func timed(_ name: String, _ count: Int, _ work: () async throws -> Void) async throws {
        let span = try await ContinuousClock().measure(work)
        print(name, count, Double(span.components.seconds) + Double(span.components.attoseconds) / 1e18)
    }

    private func publish(batch: Int, _ count: Int? = nil, to stream: String = "s") async throws {
        let count = count ?? many
        for start in stride(from: 0, to: count, by: batch) {
            let messages = (start..<min(start + batch, count)).map { _ in NewMessage(stream, payload) }
            _ = try await driver.append(messages, to: stream)
        }
    }

    private func handle() async throws {
        let stream = broker.stream("s", of: [UInt8].self, codec: .bytes)
        let drain = Drain()
        let handled = Atomic<Int>(0)
        let work = stream.work(as: "g", concurrency: 16, until: drain) { (_: [UInt8]) in
            if handled.add(1, ordering: .relaxed).newValue == many { drain.stop() }
        }
        for try await _ in work.values(buffering: .pausing(256)) {}
    }

    /// Publishes, pulls and settles 16 messages, repeatedly for `many` seconds. The stream keeps 100 000 messages, so
    /// its size is constant.
    private func rounds() async throws {
        try await driver.ensure(StreamSettings("rounds", keeping: .last(100_000)))
        let member = try await driver.join(GroupSettings("g"), of: "rounds")
        let begin = ContinuousClock.now
        var (done, second) = (0, 1)
        while second <= many {
            try await publish(batch: 16, 16, to: "rounds")
            let pulled = try await member.pull(upTo: 16, within: .seconds(5))
            try await member.settle(pulled.map { Verdict($0.token, .done) })
            done += 1
            if begin.duration(to: .now) > .seconds(second) {
                print("rounds", second, done)
                (done, second) = (0, second + 1)
            }
        }
        await member.leave()
    }

    /// The time from a publication to the handler of another broker: the median, and the 99th percentile.
    private func latency(_ rate: Int) async throws {
        let (name, count) = ("latency-\(rate)", min(many, rate * 10))
        let (sending, receiving) = (
            broker.stream(name, of: [UInt8].self, codec: .bytes), other.stream(name, of: [UInt8].self, codec: .bytes)
        )
        try await sending.ensure()
        let spans = Mutex<[Double]>([])
        let zero = ContinuousClock.now
        func now() -> UInt64 { UInt64(zero.duration(to: .now) / .nanoseconds(1)) }
        let work = receiving.work(as: "g", concurrency: 16) { (payload: [UInt8]) in
            let sent = UInt64(String(decoding: payload, as: UTF8.self)) ?? 0
            let span = Double(UInt64(zero.duration(to: .now) / .nanoseconds(1)) - sent) / 1e6
            spans.withLock { $0.append(span) }
        }.subscribe()
        try await Task.sleep(for: .seconds(1))
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for index in 0..<count {
                try await Task.sleep(until: begin + .nanoseconds(1_000_000_000 / rate * index))
                let payload = Array("\(now())".utf8)
                tasks.addTask { _ = try await driver.append([NewMessage(name, payload)], to: name) }
            }
            try await tasks.waitForAll()
        }
        while spans.withLock({ $0.count < count }) { try await Task.sleep(for: .milliseconds(10)) }
        work.dispose()
        let sorted = spans.withLock { $0.sorted() }
        print(name, String(format: "%.1f %.1f", sorted[count / 2], sorted[count * 99 / 100]))
    }

    private func memory() async throws {
        try await publish(batch: 1_000)
        let stream = broker.stream("s", of: [UInt8].self, codec: .bytes)
        let drain = Drain()
        let handled = Atomic<Int>(0)
        let work = stream.work(as: "slow", concurrency: 16, until: drain) { (_: [UInt8]) in
            try await Task.sleep(for: .milliseconds(50))
            if handled.add(1, ordering: .relaxed).newValue == 3_000 { drain.stop() }
        }
        for try await _ in work.values(buffering: .pausing(256)) {}
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        print("memory", (Int(line.split { !$0.isNumber }.first ?? "") ?? 0) / 1_024)
    }
}
