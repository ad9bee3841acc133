import Foundation
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsSQLite

struct ProcessTests {
    @Test func acknowledgedAppendSurvivesKill() async throws {
        let folder = try Folder()
        var acknowledged: [UInt64: String] = [:]
        for round in 1...3 {
            let child = try Child("append", folder.file)
            for await line in child.lines {
                let words = line.split(separator: " ")
                acknowledged[try #require(UInt64(words[0]))] = String(words[1])
                if acknowledged.count >= round * 150 { child.kill() }
            }
        }
        let driver = try SQLiteDriver(path: folder.file)
        let kept = try await driver.read("orders", from: Position(1), limit: 1_000_000, within: .seconds(0))
        let texts = Dictionary(uniqueKeysWithValues: kept.map { ($0.position.number, $0.text) })
        #expect(acknowledged.allSatisfy { texts[$0.key] == $0.value })
        #expect(kept.map(\.position.number) == Array(1...UInt64(kept.count)))
        #expect(try await driver.summary(of: "orders").count == kept.count)
    }

    @Test func killedProcessRedeliversOnlyUnsettledMessages() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file)
        try await driver.ensure(StreamSettings("orders"))
        try await driver.append((1...60).map { "\($0)" })
        let child = try Child("work", folder.file, "10")
        var done: Set<UInt64> = []
        for await line in child.lines where line.hasPrefix("done") {
            done.insert(try #require(UInt64(line.dropFirst(5))))
            if done.count == 20 { child.kill() }
        }
        let member = try await driver.join(GroupSettings("billing", deadline: .seconds(10)), of: "orders")
        var again: [UInt64: Int] = [:]
        try await eventually("the rest") {
            for message in try await member.pull(upTo: 100, within: .milliseconds(100)) {
                again[message.stored.position.number] = message.attempt
                try await member.settle([message], .done)
            }
            return try await driver.summary(of: "billing", in: "orders").lag == 0
        }
        #expect(done.isDisjoint(with: again.keys))
        // A settled message that was not yet printed is in neither `done` nor `again`.
        #expect(done.count + again.count >= 55)
        #expect(again.values.allSatisfy { $0 <= 2 })
    }

    @Test func messagesOfKilledProcessAreRedeliveredAfterDeadline() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file)
        try await driver.ensure(StreamSettings("orders"))
        try await driver.append((1...6).map { "\($0)" })
        // The deadline is long, because slow disk syncs come between the two pulls.
        let child = try Child("hold", folder.file, "10")
        for await line in child.lines where line == "held" { child.kill() }
        let member = try await driver.join(GroupSettings("billing", deadline: .seconds(10)), of: "orders")
        #expect(try await member.take().map(\.shown) == ["6:1"])
        #expect(try await member.pull(upTo: 9, within: .seconds(60)).map(\.shown) == ["3:2", "4:2", "5:2"])
    }

    @Test func processesShareGroupAndWakeEachOther() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file)
        try await driver.ensure(StreamSettings("orders"))
        let children = [try Child("work", folder.file, "60"), try Child("work", folder.file, "60")]
        let got = Seen<String>()
        let joined = Seen<Bool>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for child in children {
                group.addTask {
                    for await line in child.lines {
                        if line == "joined" { joined.add(true) }
                        if line.hasPrefix("got") { got.add(line) }
                    }
                }
            }
            try await eventually("both") { joined.all.count == 2 }
            for number in 1...100 { try await driver.append(["\(number)"]) }
            try await eventually("all done") { try await driver.summary(of: "billing", in: "orders").lag == 0 }
            for child in children { child.kill() }
            try await group.waitForAll()
        }
        let lines = got.all
        #expect(lines.count == 100)
        #expect(Set(lines) == Set((1...100).map { "got \($0) 1" }))
    }

    @Test func cellUpdateReachesAnotherProcess() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file)
        let revisions = Seen<UInt64>()
        let subscription = driver.values(of: "flags").subscribe(onNext: { value in
            revisions.add(value.revision)
        })
        let child = try Child("store", folder.file)
        try await eventually("five values") { revisions.all.count >= 5 }
        child.kill()
        for await _ in child.lines {}
        subscription.dispose()
        let seen = revisions.all
        #expect(seen == seen.sorted())
        #expect(Set(seen).count == seen.count)
    }
}
