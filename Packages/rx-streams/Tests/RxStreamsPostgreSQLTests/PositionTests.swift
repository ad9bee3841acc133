import Foundation
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    /// Readers that continue after their last position must miss no message, in whatever order transactions commit.
    struct PositionTests {
        private func publish(_ number: Int, on link: Link, _ server: TestSchema) async throws {
            _ = try await link.run(
                "SELECT \(server.name).rx_publish('s', $1::text)", [.text("\(number)")], within: .seconds(10))
        }

        private func numbers(_ messages: [StoredMessage]) -> [Int] {
            messages.map { Int(String(decoding: $0.message.payload, as: UTF8.self)) ?? -1 }
        }

        private func read(_ driver: any LiveDriver, from position: UInt64) async throws -> [StoredMessage] {
            try await driver.read("s", from: Position(position), limit: 1_000, within: .nanoseconds(0))
        }

        @Test func writersThatCommitInReverseOrderAreReadInTheOrderOfTheirCommits() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            var writers: [Link] = []
            for number in 1...5 {
                let writer = try await TestSchema.connect(server.url)
                try await writer.script("BEGIN", within: .seconds(10))
                try await publish(number, on: writer, server)
                writers.append(writer)
            }
            var (seen, next) = ([Int](), UInt64(1))
            for writer in writers.reversed() {
                #expect(try await read(broker.driver, from: next).isEmpty)
                try await writer.script("COMMIT", within: .seconds(10))
                let messages = try await read(broker.driver, from: next)
                #expect(messages.map(\.position.number) == [next])
                seen += numbers(messages)
                next += 1
            }
            #expect(seen == [5, 4, 3, 2, 1])
            writers.forEach { $0.close() }
            await broker.close()
            await server.remove()
        }

        @Test func writerThatRollsBackOrIsKilledLeavesNoGap() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            let writers = [
                try await TestSchema.connect(server.url), try await TestSchema.connect(server.url),
                try await TestSchema.connect(server.url),
            ]
            for (number, writer) in writers.enumerated() {
                try await writer.script("BEGIN", within: .seconds(10))
                try await publish(number + 1, on: writer, server)
            }
            try await writers[0].script("ROLLBACK", within: .seconds(10))
            try await server.run("SELECT pg_terminate_backend($1::int)", [.text("\(writers[1].processID)")])
            try await writers[2].script("COMMIT", within: .seconds(10))
            let messages = try await read(broker.driver, from: 1)
            #expect(numbers(messages) == [3])
            #expect(messages.map(\.position.number) == [1])
            writers.forEach { $0.close() }
            await broker.close()
            await server.remove()
        }

        @Test func hangingWriterStopsNoOtherClient() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            let hanging = try await TestSchema.connect(server.url)
            try await hanging.script("BEGIN ISOLATION LEVEL REPEATABLE READ", within: .seconds(10))
            try await publish(1, on: hanging, server)
            let receipts = try await broker.driver.append([NewMessage("s", Array("2".utf8))], to: "s")
            #expect(receipts.map(\.position.number) == [1])
            try await publish(3, on: server.link, server)
            #expect(numbers(try await read(broker.driver, from: 1)) == [2])
            #expect(numbers(try await read(broker.driver, from: 2)) == [3])
            let member = try await broker.driver.join(GroupSettings("g"), of: "s")
            let pulled = try await member.pull(upTo: 10, within: .seconds(5))
            #expect(numbers(pulled.map(\.stored)) == [2, 3])
            try await hanging.script("COMMIT", within: .seconds(10))
            let last = try await member.pull(upTo: 10, within: .seconds(5))
            #expect(numbers(last.map(\.stored)) == [1])
            #expect(last.map(\.stored.position.number) == [3])
            hanging.close()
            await broker.close()
            await server.remove()
        }

        /// Rollbacks leave gaps in the inbox's numbers.
        @Test func gapAndIdleTransactionNewReaderAndGroupContinue() async throws {
            let server = try await TestSchema()
            let first = try server.broker()
            try await first.driver.ensure(StreamSettings("s"))
            let (idle, writer) = (
                try await TestSchema.connect(server.url), try await TestSchema.connect(server.url)
            )
            try await idle.script(
                "BEGIN; SELECT pg_advisory_xact_lock(4711), pg_current_xact_id()", within: .seconds(10))
            for number in 1...3 {
                try await writer.script("BEGIN", within: .seconds(10))
                try await publish(number, on: writer, server)
                try await writer.script("ROLLBACK", within: .seconds(10))
            }
            try await publish(4, on: server.link, server)
            await first.close()
            let broker = try server.broker()
            #expect(numbers(try await read(broker.driver, from: 1)) == [4])
            let member = try await broker.driver.join(GroupSettings("g"), of: "s")
            #expect(numbers(try await member.pull(upTo: 9, within: .seconds(5)).map(\.stored)) == [4])
            try await publish(5, on: server.link, server)
            #expect(numbers(try await read(broker.driver, from: 2)) == [5])
            #expect(numbers(try await member.pull(upTo: 9, within: .seconds(5)).map(\.stored)) == [5])
            for link in [idle, writer] { link.close() }
            await broker.close()
            await server.remove()
        }

        @Test func streamLockHeldByHangingWriterReadersContinueAndPublishersFailInTime() async throws {
            let server = try await TestSchema()
            let broker = try PostgreSQLBroker(
                server.url + "?application_name=\(server.name)", schema: server.name, statementTimeout: .seconds(1))
            let driver = broker.driver
            try await driver.ensure(StreamSettings("s"))
            _ = try await driver.append((1...2).map { NewMessage("s", Array("\($0)".utf8)) }, to: "s")
            let hanging = try await TestSchema.connect(server.url)
            try await hanging.script(
                "BEGIN; SELECT \(server.name).append('s', '{s}', '{NULL}', '{NULL}', ARRAY['9'::bytea])",
                within: .seconds(10))
            let begun = ContinuousClock.now
            await #expect {
                _ = try await driver.append([NewMessage("s", Array("3".utf8))], to: "s")
            } throws: { error in
                if case BrokerError.unavailable = error { true } else { false }
            }
            #expect(begun.duration(to: .now) < .seconds(10))
            try await publish(4, on: server.link, server)
            #expect(numbers(try await read(driver, from: 1)) == [1, 2])
            let member = try await driver.join(GroupSettings("g"), of: "s")
            #expect(numbers(try await member.pull(upTo: 9, within: .seconds(1)).map(\.stored)) == [1, 2])
            try await server.run("SELECT pg_terminate_backend($1::int)", [.text("\(hanging.processID)")])
            try await eventually {
                do { return numbers(try await read(driver, from: 3)) == [4] } catch BrokerError.unavailable {
                    return false
                }
            }
            _ = try await driver.append([NewMessage("s", Array("5".utf8))], to: "s")
            #expect(numbers(try await read(driver, from: 4)) == [5])
            hanging.close()
            await broker.close()
            await server.remove()
        }

        @Test func concurrentWritersAreReadCompletely() async throws {
            let server = try await TestSchema()
            let (broker, other) = (try server.broker(), try server.broker())
            try await broker.driver.ensure(StreamSettings("s"))
            let committed = Shared<Set<Int>>([])
            let isOver = Shared(false)
            let reader = Task {
                var (seen, next) = ([Int](), UInt64(1))
                while true {
                    let wasOver = isOver.value
                    let messages = try await read(other.driver, from: next)
                    if messages.isEmpty, wasOver { return seen }
                    for message in messages {
                        #expect(message.position.number == next)
                        next = message.position.number + 1
                    }
                    seen += numbers(messages)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer in 0..<8 {
                    tasks.addTask {
                        var link = try await TestSchema.connect(server.url)
                        for step in 0..<40 {
                            let number = writer * 1_000 + step
                            if writer < 2 {
                                _ = try await broker.driver.append([NewMessage("s", Array("\(number)".utf8))], to: "s")
                                committed.change { _ = $0.insert(number) }
                                continue
                            }
                            try await link.script("BEGIN", within: .seconds(10))
                            try await publish(number, on: link, server)
                            switch (number &* 7) % 5 {
                            case 0: try await link.script("ROLLBACK", within: .seconds(10))
                            case 1:
                                link.close()
                                link = try await TestSchema.connect(server.url)
                            default:
                                try await link.script("COMMIT", within: .seconds(10))
                                committed.change { _ = $0.insert(number) }
                            }
                        }
                        link.close()
                    }
                }
                try await tasks.waitForAll()
            }
            isOver.change { $0 = true }
            let seen = try await reader.value
            #expect(seen.count == Set(seen).count)
            #expect(Set(seen) == committed.value)
            await broker.close()
            await other.close()
            await server.remove()
        }
    }
}
