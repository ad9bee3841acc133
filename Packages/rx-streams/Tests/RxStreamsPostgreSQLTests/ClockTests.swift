import Foundation
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    struct ClockTests {
        private func numbers(_ messages: [PulledMessage]) -> [String] {
            messages.map { String(decoding: $0.stored.message.payload, as: UTF8.self) + ":\($0.attempt)" }
        }

        /// Without a correction, deadlines and pauses would end an hour late.
        @Test func clockSetBackDeadlinesAndRetriesEndSoon() async throws {
            let server = try await TestServer(hasClock: true)
            let link = try await TestSchema.connect(server.url)
            let broker = try PostgreSQLBroker(server.url)
            let driver = broker.driver
            try await driver.ensure(StreamSettings("s"))
            let messages = (1...5).map { NewMessage("s", Array("\($0)".utf8), id: "\($0)") }
            _ = try await driver.append(Array(messages.prefix(4)), to: "s")
            let group = GroupSettings("g", deadline: .seconds(4))
            let dying = try await driver.join(group, of: "s")
            #expect(numbers(try await dying.pull(upTo: 1, within: .seconds(5))) == ["1:1"])
            let member = try await driver.join(group, of: "s")
            let pulled = try await member.pull(upTo: 3, within: .seconds(5))
            #expect(numbers(pulled) == ["2:1", "3:1", "4:1"])
            try await member.settle([
                Verdict(pulled[0].token, .again(after: .seconds(3))), Verdict(pulled[1].token, .done),
            ])
            try await server.setClock(to: -3_600, link)
            try await member.settle([Verdict(pulled[2].token, .extended)])

            let begun = ContinuousClock.now
            let receipts = try await driver.append(messages, to: "s")
            #expect(receipts.map(\.position.number) == [1, 2, 3, 4, 5])
            #expect(receipts.map(\.isDuplicate) == [true, true, true, true, false])
            try await member.settle([Verdict(pulled[2].token, .done)])
            var again: [PulledMessage] = []
            try await eventually(30) {
                let new = try await member.pull(upTo: 9, within: .milliseconds(200))
                try await member.settle(new.map { Verdict($0.token, .done) })
                again += new
                return again.count >= 3
            }
            #expect(begun.duration(to: .now) < .seconds(25))
            #expect(numbers(again).sorted() == ["1:2", "2:2", "5:1"])
            #expect(try await driver.summary(of: "g", in: "s").lag == 0)
            let read = try await driver.read("s", from: Position(1), limit: 9, within: .seconds(0))
            #expect(read.map(\.time) == read.map(\.time).sorted())
            link.close()
            await broker.close()
        }

        /// Every third order fails once, so that retries are pending.
        @Test func clockSetBackAndForthEachEffectOnce() async throws {
            let server = try await TestServer(hasClock: true)
            let link = try await TestSchema.connect(server.url)
            let broker = try PostgreSQLBroker(server.url)
            let orders = broker.stream("orders", of: Int.self)
            try await orders.ensure()
            try await link.script("CREATE TABLE charges (order_id int NOT NULL)", within: .seconds(10))
            let failed = Shared<Set<Int>>([])
            let failures = Shared<[String]>([])
            let work = orders.work(
                as: "billing", concurrency: 4, retry: .every(.milliseconds(500)), attempts: 1_000,
                deadline: .seconds(2),
                inTransaction: { order, transaction in
                    try await transaction.run("INSERT INTO charges VALUES ($1)", [.integer(order)])
                    let isFirst = failed.value.contains(order)
                    failed.change { _ = $0.insert(order) }
                    if order % 3 == 0, !isFirst { throw CocoaError(.featureUnsupported) }
                }
            ).subscribe(onError: { error in failures.change { $0.append("\(error)") } })
            for (step, offset) in [-3_600, 0, -86_400, 600].enumerated() {
                _ = try await broker.driver.append(
                    (step * 50..<step * 50 + 50).map { NewMessage("orders", Array("\($0)".utf8), id: "\($0)") },
                    to: "orders")
                try await server.setClock(to: offset, link)
            }
            try await eventually(60) { try await orders.summary(of: "billing").lag == 0 }
            let charged = try await link.run(
                "SELECT count(*), count(DISTINCT order_id) FROM charges", within: .seconds(10))
            #expect(charged.integer(0, 0) == 200)
            #expect(charged.integer(0, 1) == 200)
            #expect(failures.value == [])
            work.dispose()
            link.close()
            await broker.close()
        }
    }
}
