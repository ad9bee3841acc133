import Foundation
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsSQLite

@Suite(.serialized, .enabled(if: isNightly))
struct MillionTests {
    private static let waiting = 1_000_000

    private static var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
    }

    private static func fastest(_ rounds: Int, _ member: any GroupMember) async throws -> Duration {
        var best = Duration.seconds(60)
        for _ in 0..<rounds {
            best = min(
                best,
                try await ContinuousClock().measure {
                    try await member.settle(try await member.take(100), .done)
                })
        }
        return best
    }

    @Test func pullFromMillionCostsLikeFewAndMemoryStaysFlat() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file)
        try await driver.ensure(StreamSettings("orders"))
        let text = String(repeating: "x", count: 200)
        try await driver.append(Array(repeating: text, count: 3_000))
        let few = try await driver.join(GroupSettings("few"), of: "orders")
        let quick = try await Self.fastest(20, few)
        let appending = try await ContinuousClock().measure { try await driver.append([text]) }
        while try await driver.summary(of: "orders").count < Self.waiting {
            try await driver.append(Array(repeating: text, count: 2_000))
        }
        let member = try await driver.join(GroupSettings("many", deadline: .seconds(3_600)), of: "orders")
        let before = Self.memory
        // Leaves 5,000 messages unsettled, which must not slow down pulls.
        var out: [PulledMessage] = []
        for _ in 0..<50 { out += try await member.take(100) }
        let slow = try await Self.fastest(20, member)
        var total = 0
        while case let pulled = try await member.take(1_000), !pulled.isEmpty {
            total += pulled.count
            try await member.settle(pulled, .done)
        }
        let grown = Self.memory - before
        print("100 messages: \(quick) with few, \(slow) with a million; one appended: \(appending)")
        print("memory grew by \(grown) bytes")
        #expect(slow < quick * 3 + .milliseconds(5))
        #expect(try await total + out.count + 2_000 == driver.summary(of: "orders").count)
        #expect(grown < 32 << 20)
        try await member.settle(out, .done)
        #expect(try await driver.summary(of: "many", in: "orders") == GroupSummary(waiting: 0, unsettled: 0))
    }
}
