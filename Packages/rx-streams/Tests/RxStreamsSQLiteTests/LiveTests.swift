import Foundation
import GRDB
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsSQLite

@Suite(.serialized)
struct LiveTests {
    @Test func cellIsStoredIfRevisionMatches() async throws {
        let bench = try Bench()
        #expect(try await bench.driver.load("flags") == nil)
        await #expect(throws: BrokerError.conflict) {
            try await bench.driver.store([1], in: "flags", expecting: 1)
        }
        #expect(try await bench.driver.store([1], in: "flags", expecting: 0) == 1)
        await #expect(throws: BrokerError.conflict) { try await bench.driver.store([2], in: "flags", expecting: 0) }
        #expect(try await bench.driver.store([2], in: "flags", expecting: 1) == 2)
        #expect(try await bench.driver.store([], in: "flags", expecting: nil) == 3)
        #expect(try await bench.other().load("flags") == CellValue([], revision: 3))
    }

    @Test func revisionBeyondMaximumIsConflict() async throws {
        let bench = try Bench()
        await #expect(throws: BrokerError.conflict) { try await bench.driver.store([1], in: "flags", expecting: .max) }
        #expect(try await bench.driver.load("flags") == nil)
    }

    @Test func cellNameWithNULIsDistinctFromItsPrefix() async throws {
        let bench = try Bench()
        for (value, cell): (UInt8, String) in [(1, "flags"), (2, "flags\0x"), (3, "flags\0y")] {
            #expect(try await bench.driver.store([value], in: cell, expecting: 0) == 1)
        }
        #expect(try await bench.driver.load("flags\0x") == CellValue([2], revision: 1))
        #expect(try await bench.driver.load("flags") == CellValue([1], revision: 1))
    }

    @Test func concurrentCellUpdatesAllSucceedInTurn() async throws {
        let bench = try Bench()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for driver in [bench.driver, try bench.other()] {
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 {
                            while true {
                                let value = try await driver.load("count")
                                let count = value?.payload.first ?? 0
                                do {
                                    let revision = value?.revision ?? 0
                                    _ = try await driver.store([count + 1], in: "count", expecting: revision)
                                    break
                                } catch BrokerError.conflict {}
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await bench.driver.load("count") == CellValue([80], revision: 80))
    }

    @Test func cellValuesIncludeThoseOfAnotherConnection() async throws {
        let bench = try Bench()
        _ = try await bench.driver.store([1], in: "flags", expecting: nil)
        let seen = Seen<CellValue>()
        let ended = Seen<Bool>()
        let subscription = bench.driver.values(of: "flags").subscribe(
            onNext: { value in seen.add(value) }, onCompleted: { ended.add(true) })
        try await eventually("the first value") { seen.all.last?.revision == 1 }
        _ = try await bench.other().store([2], in: "flags", expecting: nil)
        try await eventually("the second value") { seen.all.last?.revision == 2 }
        #expect(seen.all.map(\.payload) == [[1], [2]])
        await bench.driver.close()
        try await eventually("the end") { !ended.all.isEmpty }
        subscription.dispose()
    }

    @Test func unchangedCellIsNotSentAgain() async throws {
        let (folder, clock, seen) = (try Folder(), AskedClock(), Seen<UInt64>())
        let driver = try SQLiteDriver(path: folder.file, now: clock.now)
        _ = try await driver.store([1], in: "flags", expecting: nil)
        let subscription = driver.values(of: "flags").subscribe(onNext: { value in seen.add(value.revision) })
        try await eventually("the first value") { !seen.all.isEmpty }
        let before = clock.asked
        _ = try await driver.store([1], in: "others", expecting: nil)
        // `store` reads the clock once. The observer's next query reads it once more.
        try await eventually("looked at") { clock.asked >= before + 2 }
        _ = try await driver.store([2], in: "flags", expecting: nil)
        try await eventually("the second value") { seen.all.last == 2 }
        #expect(seen.all == [1, 2])
        subscription.dispose()
    }

    @Test(arguments: [true, false]) func observerOfUnchangedCellDoesNotPollContinuously(aCell: Bool) async throws {
        let (folder, clock) = (try Folder(), AskedClock())
        let driver = try SQLiteDriver(path: folder.file, now: clock.now)
        _ = try await driver.store([1], in: "flags", expecting: nil)
        let before = clock.asked
        let subscription =
            aCell ? driver.values(of: "flags").subscribe() : driver.messages(on: "prices").subscribe()
        try await eventually("looked") { clock.asked > before }
        try await Task.sleep(for: .milliseconds(500))
        #expect(clock.asked - before < 20)
        subscription.dispose()
    }

    /// The file returns unchanged, so the observer must retry without a change signal.
    @Test(arguments: [true, false]) func observerOfUnreadableCellRetries(aCell: Bool) async throws {
        let (folder, clock) = (try Folder(), AskedClock())
        let driver = try SQLiteDriver(path: folder.file, now: clock.now)
        _ = try await driver.store([1], in: "flags", expecting: nil)
        let away = folder.file + "-away"
        try FileManager.default.moveItem(atPath: folder.file, toPath: away)
        let before = clock.asked
        let subscription =
            aCell ? driver.values(of: "flags").subscribe() : driver.messages(on: "prices").subscribe()
        try await Task.sleep(for: .milliseconds(300))
        #expect(clock.asked == before)
        try FileManager.default.moveItem(atPath: away, toPath: folder.file)
        try await eventually("read") { clock.asked > before }
        subscription.dispose()
    }

    private func watch(_ bench: Bench) throws -> FileWatch {
        try FileWatch(
            bench.folder.file, DatabaseFile.configuration(patience: .seconds(1)), bench.driver.scheduler)
    }

    @Test func unchangedFileSendsNoSignal() async throws {
        let bench = try Bench()
        let watch = try watch(bench)
        // Waits for the signal that the watch sends after its first look.
        await watch.wait(after: watch.signal.count, atMost: .seconds(60))
        let seen = watch.signal.count
        await watch.wait(after: seen, atMost: .milliseconds(300))
        #expect(watch.signal.count == seen)
        let changed = Task { await watch.wait(after: seen, atMost: .seconds(60)) }
        _ = try await bench.driver.store([1], in: "flags", expecting: nil)
        await changed.value
        #expect(watch.signal.count > seen)
    }

    @Test func changeWithoutWaiterSignalsEarlierReader() async throws {
        let bench = try Bench()
        let watch = try watch(bench)
        await watch.wait(after: watch.signal.count, atMost: .seconds(60))
        let seen = watch.signal.count
        // After this wait, the watch reads the version once more.
        await watch.wait(after: seen, atMost: .milliseconds(1))
        _ = try await bench.driver.store([1], in: "flags", expecting: nil)
        try await Task.sleep(for: .milliseconds(200))
        await watch.wait(after: seen, atMost: .seconds(5))
        #expect(watch.signal.count > seen)
    }

    @Test func fileWithManyWaitersIsWatchedOnce() async throws {
        let (bench, looks) = (try Bench(), Seen<Bool>())
        var configuration = DatabaseFile.configuration(patience: .seconds(1))
        configuration.prepareDatabase { db in
            db.trace { event in
                if "\(event)".contains("data_version") { looks.add(true) }
            }
        }
        let watch = try FileWatch(bench.folder.file, configuration, bench.driver.scheduler)
        await watch.wait(after: watch.signal.count, atMost: .seconds(60))
        let seen = watch.signal.count
        let wait = Task { await watch.wait(after: seen, atMost: .never) }
        for _ in 0..<20 { await watch.wait(after: seen, atMost: .milliseconds(1)) }
        let begun = ContinuousClock.now
        let before = looks.all.count
        try await Task.sleep(for: .milliseconds(500))
        let count = looks.all.count - before
        // The watch reads the version every 50 ms.
        let most = begun.duration(to: .now) / Duration.milliseconds(50) + 2
        #expect(Double(count) <= most)
        #expect(!looks.all.isEmpty)
        wait.cancel()
        await wait.value
    }

    @Test func fileIsWatchedAgainAfterIdleTime() async throws {
        let (bench, seen) = (try Bench(), Seen<UInt64>())
        _ = try await bench.driver.store([1], in: "flags", expecting: nil)
        func follow() -> any Disposable {
            bench.driver.values(of: "flags").subscribe(onNext: { value in seen.add(value.revision) })
        }
        let first = follow()
        try await eventually("the first value") { seen.all == [1] }
        first.dispose()
        // During the sleep, the watch notices that no task waits.
        try await Task.sleep(for: .milliseconds(500))
        let second = follow()
        try await eventually("the first value again") { seen.all == [1, 1] }
        _ = try await bench.other().store([2], in: "flags", expecting: nil)
        try await eventually("the second value") { seen.all == [1, 1, 2] }
        second.dispose()
    }

    @Test func fileWithoutWaitersIsNotWatched() async throws {
        let bench = try Bench()
        final class Box: @unchecked Sendable {  // used by the test's thread only
            weak var watch: FileWatch?
        }
        let box = Box()
        func wait() async throws {
            let watch = try watch(bench)
            box.watch = watch
            await watch.wait(after: watch.signal.count, atMost: .milliseconds(1))
        }
        try await wait()
        try await eventually("released") { box.watch == nil }
    }

    @Test(arguments: [true, false]) func disposedObserverReleasesBroker(followsACell: Bool) async throws {
        let folder = try Folder()
        final class Box: @unchecked Sendable {  // used by the test's thread only
            weak var driver: SQLiteDriver?
        }
        let box = Box()
        func follow() async throws {
            let driver = try SQLiteDriver(path: folder.file)
            box.driver = driver
            _ = try await driver.store([1], in: "flags", expecting: nil)
            let seen = Seen<Bool>()
            let subscription =
                followsACell
                ? driver.values(of: "flags").subscribe(onNext: { _ in seen.add(true) })
                : driver.messages(on: "prices").subscribe(onNext: { _ in seen.add(true) })
            if !followsACell { try await driver.send(NewMessage("prices", [])) }
            try await eventually("seen") { !seen.all.isEmpty }
            subscription.dispose()
        }
        try await follow()
        try await eventually("released") { box.driver == nil }
    }

    // The list of subscriptions is global, so the test has its own process.
    @Test func disposedListenerLeavesNoSubscription() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            Subscriptions.areListed = true
            let subscription = bench.driver.messages(on: "prices").subscribe()
            precondition(!Subscriptions.live.isEmpty)
            subscription.dispose()
            precondition(Subscriptions.live.isEmpty, Subscriptions.text)
            Subscriptions.areListed = false
        }
    }

    // The test measures the memory of its own process.
    @Test func disposedListenersUseNoMemory() async {
        await #expect(processExitsWith: .success) {
            func resident() -> Int {
                let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
                return (Int(fields?[1] ?? "") ?? 0) * 4_096
            }
            let listeners = Listeners()
            func listen(times: Int) {
                for number in 0..<times { listeners.messages(on: "prices.\(number)").subscribe().dispose() }
            }
            listen(times: 5_000)
            let before = resident()
            precondition(before > 0)
            listen(times: 50_000)
            // Leaked listeners would take about ten megabytes.
            precondition(resident() - before < 4 << 20, "\(resident() - before)")
        }
    }

    @Test func sentMessageReachesListenersOfItsSubject() async throws {
        let bench = try Bench()
        let heard = Seen<String>()
        let all = bench.driver.messages(on: "prices.>").subscribe(
            onNext: { message in heard.add("> \(message.subject)") },
            onCompleted: { heard.add("end") })
        let some = bench.driver.messages(on: "prices.*").subscribe { event in
            if let message = event.element { heard.add("* \(message.subject)") }
        }
        try await bench.driver.send(NewMessage("prices.eur", [1]))
        try await bench.driver.send(NewMessage("prices.eur.usd", [1]))
        try await bench.driver.send(NewMessage("other", [1]))
        some.dispose()
        try await bench.driver.send(NewMessage("prices.usd", [1]))
        #expect(heard.all == ["> prices.eur", "* prices.eur", "> prices.eur.usd", "> prices.usd"])
        await bench.driver.close()
        #expect(heard.all.last == "end")
        all.dispose()
        await #expect(throws: BrokerError.closed) { try await bench.driver.send(NewMessage("prices.eur", [])) }
    }

    @Test func largeMessagesForListenersAreReadInFewMiB() async throws {
        let bench = try Bench()
        for number in 1...10 {
            try await bench.driver.send(NewMessage("a.\(number)", [UInt8](repeating: 0, count: 1 << 20)))
        }
        try await bench.driver.send(NewMessage("a.11", []))
        let other = try bench.other()
        var heard: [[String]] = []
        var last: Int64 = 0
        while heard.last?.isEmpty != true {
            let after = last
            let (messages, through) = try await other.read { db, _ in
                try LiveRecord.messages(after: after, notFrom: 0, db)
            }
            heard.append(messages.map(\.subject))
            last = through
        }
        #expect(heard.map(\.count) == [4, 4, 3, 0])
        #expect(Array(heard.joined()) == (1...11).map { "a.\($0)" })
        await other.close()
    }

    @Test func sentMessageReachesAnotherConnectionOnce() async throws {
        let bench = try Bench()
        let other = try bench.other()
        let (here, there) = (Seen<String>(), Seen<String>())
        func hear(_ driver: SQLiteDriver, _ seen: Seen<String>) -> any Disposable {
            driver.messages(on: "prices.*").subscribe(onNext: { message in seen.add("\(message.payload)") })
        }
        let subscriptions = [hear(bench.driver, here), hear(other, there)]
        var sent = 0
        try await eventually("heard there") {
            try await bench.driver.send(NewMessage("prices.eur", [UInt8(sent % 256)]))
            sent += 1
            return !there.all.isEmpty
        }
        // Two bytes distinguish these messages from those above.
        try await bench.driver.send(NewMessage("prices.eur", [1, 2]))
        try await bench.driver.send(NewMessage("other", []))
        try await bench.driver.send(NewMessage("prices.usd", [3, 4]))
        try await eventually("the last") { there.all.last == "[3, 4]" }
        #expect(here.all.suffix(2) == ["[1, 2]", "[3, 4]"])
        #expect(there.all.suffix(2) == ["[1, 2]", "[3, 4]"])
        #expect(here.all.count == sent + 2)
        #expect(there.all.count <= sent + 2)
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test func thousandsSentByAnotherConnectionAllArrive() async throws {
        let bench = try Bench()
        let (other, heard) = (try bench.other(), Seen<String>())
        let subscription = other.messages(on: "*").subscribe(onNext: { message in heard.add(message.subject) })
        try await eventually("heard") {
            try await bench.driver.send(NewMessage("begun", []))
            return heard.all.contains("begun")
        }
        try await bench.driver.send(NewMessage("ready", []))
        try await eventually("the last of those") { heard.all.contains("ready") }
        // All messages are in one transaction, so no later change can send the signal.
        try await bench.driver.write { db, now in
            for number in 0..<2_500 {
                try LiveRecord.send(NewMessage("\(number)", []), from: 1, now: now, db)
            }
        }
        try await eventually("all of them") { heard.all.last == "2499" }
        #expect(heard.all.suffix(2_500) == (0..<2_500).map { "\($0)" })
        subscription.dispose()
    }

    @Test func anotherConnectionReceivesWholeMessage() async throws {
        let bench = try Bench()
        let (other, heard) = (try bench.other(), Seen<NewMessage>())
        let subscription = other.messages(on: "prices.*").subscribe(onNext: { message in heard.add(message) })
        let message = NewMessage("prices.eur", [0, 255], id: "x\0y", headers: ["Color": "blue"])
        try await eventually("heard") {
            try await bench.driver.send(message)
            return !heard.all.isEmpty
        }
        #expect(heard.all.first == message)
        subscription.dispose()
    }

    @Test func newListenerReceivesNoEarlierMessages() async throws {
        let bench = try Bench()
        let (other, heard) = (try bench.other(), Seen<[UInt8]>())
        try await bench.driver.send(NewMessage("prices.eur", [0]))
        let subscription = other.messages(on: "prices.*").subscribe(onNext: { message in heard.add(message.payload) })
        try await eventually("heard") {
            try await bench.driver.send(NewMessage("prices.eur", [1]))
            return !heard.all.isEmpty
        }
        #expect(!heard.all.contains([0]))
        subscription.dispose()
    }

    @Test func firstMessageOfNewFileReachesListener() async throws {
        let bench = try Bench()
        let last = try await bench.driver.read { db, _ in try LiveRecord.last(db) }
        try await bench.driver.send(NewMessage("prices.eur", [1]))
        let sent = try await bench.driver.read { db, _ in
            try LiveRecord.messages(after: last, notFrom: 0, db).messages
        }
        #expect(sent == [NewMessage("prices.eur", [1])])
    }

    @Test func readPositionAdvancesPastOwnMessages() async throws {
        let bench = try Bench()
        let looks = try await bench.driver.write { db, now in
            func send(_ count: Int, from sender: Int64) throws {
                for _ in 0..<count { try LiveRecord.send(NewMessage("prices", []), from: sender, now: now, db) }
            }
            func look(after number: Int64) throws -> [Int64] {
                let (messages, through) = try LiveRecord.messages(after: number, notFrom: 1, db)
                return [Int64(messages.count), through]
            }
            try send(3, from: 1)
            let first = try look(after: 0)
            try send(1_001, from: 2)
            try send(5, from: 1)
            return [first, try look(after: 3), try look(after: 1_003)]
        }
        #expect(looks == [[0, 3], [1_000, 1_003], [1, 1_009]])
    }

    @Test func sentMessageStaysInFileForTenSeconds() async throws {
        let bench = try Bench()
        for pause in [10.0, 1] {
            try await bench.driver.send(NewMessage("prices.eur", []))
            bench.clock.advance(pause)
        }
        #expect(try await bench.driver.read { db, _ in try db.value("SELECT COUNT(*) FROM live_messages") } == 2)
        try await bench.driver.send(NewMessage("prices.eur", []))
        #expect(try await bench.driver.read { db, _ in try db.value("SELECT MIN(number) FROM live_messages") } == 2)
    }

    @Test func listenerOfClosedBrokerCompletes() async throws {
        let (bench, ended) = (try Bench(), Seen<Bool>())
        await bench.driver.close()
        bench.driver.messages(on: "prices.*").subscribe(onCompleted: { ended.add(true) }).dispose()
        #expect(ended.all == [true])
    }

    @Test func invalidSubjectAndPatternAreRefused() async throws {
        let bench = try Bench()
        await #expect(throws: BrokerError.self) { try await bench.driver.send(NewMessage("prices.*", [])) }
        let failed = Seen<Bool>()
        bench.driver.messages(on: "a..b").subscribe(onError: { _ in failed.add(true) }).dispose()
        #expect(!failed.all.isEmpty)
    }

    @Test func statusIsConnectedThenClosed() async throws {
        let bench = try Bench()
        let told = Seen<String>()
        _ = bench.driver.status.subscribe(
            onNext: { status in told.add("\(status)".prefix(9).description) },
            onCompleted: { told.add("end") })
        await bench.driver.close()
        await bench.driver.close()
        #expect(told.all == ["connected", "closed", "end"])
        let late = Seen<BrokerStatus>()
        _ = bench.driver.status.subscribe(onNext: { status in late.add(status) })
        #expect(late.all == [.closed])
    }
}
