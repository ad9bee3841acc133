// The rows of scripts/compare-streams.sh with RxStreamsNATS: "ROW MESSAGES SECONDS" in each line.
import Foundation
import Logging
import RxStreams
import RxStreamsNATS
import RxSwift
import Synchronization

guard CommandLine.arguments.count == 3, let many = Int(CommandLine.arguments[2]), many >= 20 else {
    FileHandle.standardError.write(Data("takes the server's URL and a number of messages, at least 20\n".utf8))
    exit(2)
}
let few = many / 20
let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 128)
let clock = ContinuousClock()

func row(_ name: String, _ count: Int, _ work: () async throws -> Void) async throws {
    let span = try await clock.measure(work)
    let seconds = Double(span.components.seconds) + Double(span.components.attoseconds) / 1e18
    print(name, count, seconds)
}

func consume(_ driver: any LiveDriver, _ name: String, _ group: String, batch: Int, count: Int) async throws {
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

var logger = Logger(label: "bench")
logger.logLevel = .error
let broker = try NATSBroker(servers: [CommandLine.arguments[1]], logger: logger)
let driver = broker.driver
try await driver.ensure(StreamSettings("r", subjects: ["r.a"]))
try await row("publish-1", few) {
    for index in 0..<few { _ = try await driver.append([NewMessage("r.a", payload, id: "one-\(index)")], to: "r") }
}
try await row("publish-256", many) {
    // Two halves of what is in flight, so that one is written while the other is acknowledged.
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        for half in 0..<2 {
            tasks.addTask {
                for start in stride(from: half * 128, to: many, by: 256) {
                    let part = start..<min(many, start + 128)
                    _ = try await driver.append(part.map { NewMessage("r.a", payload, id: "many-\($0)") }, to: "r")
                }
            }
        }
        try await tasks.waitForAll()
    }
}
try await consume(driver, "consume-1", "one", batch: 1, count: few)
try await consume(driver, "consume-256", "many", batch: 256, count: many)
let received = Atomic<Int>(0)
let listening = driver.messages(on: "live").subscribe(onNext: { _ in received.add(1, ordering: .relaxed) })
try await row("live", many) {
    var sent = 0
    while sent < many {
        try await driver.send(NewMessage("live", payload))
        sent += 1
        // Live messages are dropped where their subscriber falls behind; here none is to be.
        while sent - received.load(ordering: .relaxed) > 4096 { try await Task.sleep(nanoseconds: 20_000) }
    }
    while received.load(ordering: .relaxed) < many { try await Task.sleep(nanoseconds: 20_000) }
}
listening.dispose()
await broker.close()
