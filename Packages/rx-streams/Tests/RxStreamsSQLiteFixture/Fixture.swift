import Foundation
import RxStreams
import RxStreamsSQLite

/// Works on a file until a test kills this process: `append PATH`, `work PATH DEADLINE`, `hold PATH DEADLINE` or
/// `store PATH`, with the group's deadline in seconds. Prints a line for each acknowledged operation.
@main
enum Fixture {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { exit(2) }
        let group = GroupSettings("billing", deadline: .seconds(Int(arguments.last ?? "") ?? 10))
        let parent = getppid()
        Thread.detachNewThread {
            // This process must not outlive its parent.
            while getppid() == parent { sleep(1) }
            exit(3)
        }
        let driver = try SQLiteBroker(path: arguments[2]).driver
        try await driver.ensure(StreamSettings("orders"))
        switch arguments[1] {
        case "append":
            // With two writers, a transaction may contain a batch of each.
            async let one: Void = append(driver, "a")
            async let other: Void = append(driver, "b")
            _ = try await (one, other)
        case "work":
            let member = try await driver.join(group, of: "orders")
            say("joined")
            while true {
                for message in try await member.pull(upTo: 5, within: .seconds(60)) {
                    say("got \(message.stored.position) \(message.attempt)")
                    try await member.settle([Verdict(message.token, .done)])
                    say("done \(message.stored.position)")
                }
            }
        case "hold":
            let member = try await driver.join(group, of: "orders")
            let pulled = try await member.pull(upTo: 5, within: .seconds(60))
            try await member.settle(pulled.prefix(2).map { Verdict($0.token, .done) })
            say("held")
            while true { try await Task.sleep(for: .seconds(60)) }
        case "store":
            for number in 1... {
                say("stored \(try await driver.store([UInt8]("\(number)".utf8), in: "flags", expecting: nil))")
                try await Task.sleep(for: .milliseconds(20))
            }
        default: exit(2)
        }
    }

    static func append(_ driver: any LiveDriver, _ name: String) async throws {
        for batch in 0... {
            let messages = (0..<3).map { NewMessage("orders", [UInt8]("\(name)\(batch * 3 + $0)".utf8)) }
            for (message, receipt) in zip(messages, try await driver.append(messages, to: "orders")) {
                say("\(receipt.position) \(String(decoding: message.payload, as: UTF8.self))")
            }
        }
    }

    static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        if write(1, bytes, bytes.count) != bytes.count { exit(3) }
    }
}
