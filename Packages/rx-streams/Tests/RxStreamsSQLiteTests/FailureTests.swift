import Dispatch
import Foundation
import GRDB
import RxSwift
import Synchronization
import Testing

@testable import RxStreams
@testable import RxStreamsSQLite

/// If a sleep is too short, the test checks less but does not fail.
@Suite(.serialized)
struct FailureTests {
    private func refusal(of path: String) -> String {
        do {
            _ = try SQLiteBroker(path: path)
            return "opened"
        } catch BrokerError.refused(let why) {
            return why
        } catch {
            return "\(error)"
        }
    }

    @Test func fileThatIsNoDatabaseIsRefusedAndUnchanged() throws {
        let folder = try Folder()
        let text = String(repeating: "no database, but a letter to a friend. ", count: 100)
        try text.write(toFile: folder.file, atomically: true, encoding: .utf8)
        #expect(refusal(of: folder.file) == "'\(folder.file)' is not an SQLite database")
        #expect(try String(contentsOfFile: folder.file, encoding: .utf8) == text)
    }

    @Test func foreignDatabaseIsRefused() throws {
        let folder = try Folder()
        let queue = try DatabaseQueue(path: folder.file)
        try queue.write { try $0.execute(sql: "CREATE TABLE notes (text TEXT)") }
        try queue.close()
        #expect(refusal(of: folder.file) == "'\(folder.file)': it is a database of another program")
    }

    @Test(arguments: ["application_id", "user_version"])
    func emptyDatabaseWithForeignApplicationIDIsRefused(mark: String) throws {
        let folder = try Folder()
        let queue = try DatabaseQueue(path: folder.file)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA \(mark) = 1") }
        try queue.close()
        #expect(refusal(of: folder.file) == "'\(folder.file)': it is a database of another program")
    }

    @Test func fileOfLaterVersionIsRefused() throws {
        let folder = try Folder()
        _ = try SQLiteBroker(path: folder.file)
        let queue = try DatabaseQueue(path: folder.file)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 99") }
        try queue.close()
        #expect(refusal(of: folder.file).hasPrefix("'\(folder.file)': it was made by a later version (schema 99; "))
    }

    @Test func truncatedFileIsRefused() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await bench.driver.append((0..<1_000).map { "\($0)" })
        await bench.driver.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: bench.folder.file))
        try bytes.prefix(8_192).write(to: URL(fileURLWithPath: bench.folder.file))
        let refused = await Task {
            do {
                let driver = try SQLiteDriver(path: bench.folder.file)
                try await driver.append(["x"])
                return "appended"
            } catch BrokerError.refused(let why) {
                return why
            } catch {
                return "\(error)"
            }
        }.value
        #expect(refused.hasPrefix("'\(bench.folder.file)' is damaged"))
    }

    @Test func invalidPathIsRefused() throws {
        let folder = try Folder()
        #expect(refusal(of: folder.path + "/none/streams.sqlite").contains("cannot be opened"))
        #expect(refusal(of: folder.path).contains("cannot be opened"))
        #expect(refusal(of: "").contains("the path of a file is needed"))
        #expect(refusal(of: ":memory:").contains("the path of a file is needed"))
    }

    @Test func fileURLIsRefused() throws {
        let folder = try Folder()
        #expect(refusal(of: "file:\(folder.file)").contains("the path of a file is needed"))
    }

    @Test func relativePathKeepsItsFileWhenFolderChanges() async {
        await #expect(processExitsWith: .success) {
            let (folder, other) = (try Folder(), try Folder())
            let foreign = try SQLiteDriver(path: other.file)
            try await foreign.ensure(StreamSettings("orders"))
            try await foreign.append(["foreign"])
            precondition(chdir(folder.path) == 0)
            let driver = try SQLiteDriver(path: "streams.sqlite")
            precondition(chdir(other.path) == 0)
            try await driver.ensure(StreamSettings("orders"))
            try await driver.append(["own"])
            let texts = try await driver.texts()
            precondition(texts == ["own"], "\(texts)")
            await driver.close()
            await foreign.close()
        }
    }

    @Test func relativePathWithoutCurrentFolderIsRefused() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder()
            precondition(chdir(folder.path) == 0 && rmdir(folder.path) == 0)
            do {
                _ = try SQLiteBroker(path: "none/streams.sqlite")
                preconditionFailure("opened")
            } catch BrokerError.refused(let why) {
                precondition(why == "'none/streams.sqlite': the current directory has been removed", why)
            }
        }
    }

    @Test func closedFileHasAllMessages() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await bench.driver.append(["a"])
        await bench.driver.close()
        // Copies only the main file, without the WAL.
        let copy = try Folder()
        try FileManager.default.copyItem(atPath: bench.folder.file, toPath: copy.file)
        #expect(try await SQLiteDriver(path: copy.file).texts() == ["a"])
    }

    @Test func cancelledBrokerClosesAfterLeavingMembers() async throws {
        let folder = try Folder()
        let broker = try SQLiteBroker(path: folder.file)
        try await broker.driver.ensure(StreamSettings("orders"))
        let passage = Departures.Passage(broker.driver)
        passage.leave()
        let run = Task { try await broker.run() }
        run.cancel()
        // `passage` stands for a member that still writes, so the broker stays open until `passage.end()`.
        for number in 1...20 { try await broker.driver.append(["\(number)"]) }
        passage.end()
        try await run.value
        await #expect(throws: BrokerError.closed) { try await broker.driver.append(["21"]) }
    }

    @Test func severalProcessesMayCreateFileAtOnce() async throws {
        let folder = try Folder()
        let made = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(returning: (try? SQLiteBroker(path: folder.file)) != nil)
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made == Array(repeating: true, count: 8))
    }

    /// While a connection creates the file, SQLite reports it as busy without waiting.
    @Test func openWhileAnotherCreatesFileWaits() async throws {
        let (folder, opened) = (try Folder(), Seen<Bool>())
        try await Self.hold(folder.file) {
            Thread.detachNewThread { opened.add((try? SQLiteBroker(path: folder.file)) != nil) }
            try await Task.sleep(for: .milliseconds(300))
        }
        try await eventually("tried") { !opened.all.isEmpty }
        #expect(opened.all == [true])
    }

    @Test func lockedFileIsRetriedEveryMillisecond() {
        guard case .callback(let mayContinue) = DatabaseFile.configuration(patience: .milliseconds(20)).busyMode else {
            Issue.record("no callback")
            return
        }
        #expect(mayContinue(19))
        #expect(!mayContinue(20))
    }

    /// The file is moved before the first read, so the reading connection cannot be opened.
    @Test func missingFileIsUnavailableUntilItReturns() async throws {
        let bench = try Bench()
        let away = bench.folder.file + "-away"
        try FileManager.default.moveItem(atPath: bench.folder.file, toPath: away)
        do {
            _ = try await bench.driver.summary(of: "orders")
            Issue.record("read")
        } catch BrokerError.unavailable(let why) {
            #expect(why.contains("cannot be opened"))
        }
        try FileManager.default.moveItem(atPath: away, toPath: bench.folder.file)
        await #expect(throws: BrokerError.missing("stream orders")) { try await bench.driver.summary(of: "orders") }
    }

    @Test func errorHasSQLiteMessage() {
        let error = DatabaseError(resultCode: .SQLITE_IOERR, message: "the cable is loose")
        #expect(
            BrokerError(error, path: "x.sqlite")
                == .unavailable("'x.sqlite' cannot be read or written (the cable is loose)"))
    }

    @Test func syncsAreFull() async throws {
        let bench = try Bench()
        #expect(try await bench.driver.write { db, _ in try db.value("PRAGMA synchronous") } == 2)
        #expect(try await bench.driver.write { db, _ in try db.value("PRAGMA journal_mode") } == "wal")
    }

    @Test func fileLockedByAnotherProcessIsUnavailableUntilReleased() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file, now: { RxTime() }, patience: .milliseconds(50))
        try await driver.ensure(StreamSettings("orders"))
        let told = Seen<String>()
        _ = driver.status.subscribe(onNext: { status in told.add("\(status)") })
        try await Self.hold(folder.file) {
            await #expect(throws: BrokerError.unavailable("another process has locked '\(folder.file)'")) {
                try await driver.append(["a"])
            }
        }
        #expect(try await driver.append(["b"]).map(\.position.number) == [1])
        let states = told.all
        #expect(states[1].hasPrefix("connecting(attempt: 1"))
        #expect(states.firstIndex(of: states[0]) == 0 && states.lastIndex(of: states[0]) == states.count - 1)
    }

    @Test func statusRecoversWithoutWrites() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file, now: { RxTime() }, patience: .milliseconds(50))
        try await driver.ensure(StreamSettings("orders"))
        let told = Seen<BrokerStatus>()
        _ = driver.status.subscribe(onNext: { status in told.add(status) })
        try await Self.hold(folder.file) {
            await #expect(throws: BrokerError.self) { try await driver.append(["a"]) }
            try await eventually("tried again") { told.all.count >= 3 }
            #expect(!told.all.dropFirst().contains(DatabaseFile.connected))
        }
        try await eventually("well again") { told.all.last == DatabaseFile.connected }
        await driver.close()
    }

    @Test func grownWALFileIsTruncated() async throws {
        let bench = try Bench()
        #expect(try await bench.driver.write { db, _ in try db.value("PRAGMA journal_size_limit") } == 67_108_864)
    }

    @Test func openOfLockedFileFailsInTheEnd() async throws {
        let (folder, told) = (try Folder(), Seen<String>())
        let driver = try SQLiteDriver(path: folder.file)
        func open() {
            Thread.detachNewThread {
                do {
                    _ = try SQLiteDriver(path: folder.file, now: { RxTime() }, patience: .milliseconds(50))
                    told.add("opened")
                } catch {
                    told.add("\(error)")
                }
            }
        }
        try await Self.hold(folder.file) {
            open()
            try await eventually("told") { !told.all.isEmpty }
        }
        let held = BrokerError.unavailable("another process has locked '\(folder.file)'")
        #expect(told.all == ["\(held)"])
        await driver.close()
    }

    @Test func ensureMatchingStreamDoesNotWaitForLock() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file, now: { RxTime() }, patience: .milliseconds(50))
        let keeping = Retention(age: .seconds(100), count: 10, bytes: 1_000)
        let orders = StreamSettings("orders", subjects: ["orders.>", "bills"], keeping: keeping)
        try await driver.ensure(orders)
        try await Self.hold(folder.file) { try await driver.ensure(orders) }
    }

    @Test func writesWaitingForLockFailTogether() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file, now: { RxTime() }, patience: .milliseconds(100))
        try await driver.ensure(StreamSettings("orders"))
        try await Self.hold(folder.file) {
            let clock = ContinuousClock()
            var alone = Duration.seconds(60)
            for _ in 0..<3 { alone = min(alone, await clock.measure { _ = try? await driver.append(["a"]) }) }
            let together = await clock.measure {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<40 { group.addTask { _ = try? await driver.append(["a"]) } }
                }
            }
            // The later appends share a transaction and wait once. Separate waits would take `alone * 40`.
            #expect(together < alone * 20)
        }
        #expect(try await driver.summary(of: "orders").last == Position(0))
    }

    @Test func failureDuringCloseIsReportedAsClosed() async throws {
        let bench = try Bench()
        let driver = bench.driver
        let (hasBegun, mayContinue) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let read = Task {
            try await driver.read { _, _ -> Int in
                hasBegun.continuation.finish()
                mayContinue.wait()
                throw DatabaseError(resultCode: .SQLITE_IOERR)
            }
        }
        for await _ in hasBegun.stream {}
        let close = Task { await driver.close() }
        try await eventually("closed") { (try? driver.checkOpen()) == nil }
        mayContinue.signal()
        await #expect(throws: BrokerError.closed) { try await read.value }
        await close.value
    }

    @Test func pullWaitingForLockTakesNothingAfterClose() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await bench.driver.append(["a"])
        let member = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        var pull: Task<[PulledMessage], any Error>?
        var close: Task<Void, Never>?
        try await Self.hold(bench.folder.file) {
            pull = Task { try await member.pull(upTo: 1, within: .seconds(60)) }
            // The pull must begin before `close`.
            try await Task.sleep(for: .milliseconds(100))
            close = Task { await bench.driver.close() }
            try await eventually("closed") { (try? bench.driver.checkOpen()) == nil }
        }
        await #expect(throws: BrokerError.closed) { try await pull?.value }
        await close?.value
        let again = try await bench.other().join(GroupSettings("billing"), of: "orders")
        #expect(try await again.take().map(\.shown) == ["1:1"])
    }

    @Test func pullInProgressAtCloseTakesNothing() async throws {
        let folder = try Folder()
        let awaited = Mutex(0)
        let (isAsked, mayContinue) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let clock = AskedClock { times in
            guard times == awaited.withLock({ $0 }) else { return }
            isAsked.continuation.finish()
            mayContinue.wait()
        }
        let driver = try SQLiteDriver(path: folder.file, now: clock.now)
        try await driver.ensure(StreamSettings("orders"))
        try await driver.append(["a"])
        let member = try await driver.join(GroupSettings("billing"), of: "orders")
        // The pull reads the clock once to search and once to take messages.
        let taking = clock.asked + 2
        awaited.withLock { $0 = taking }
        let pull = Task { try await member.pull(upTo: 1, within: .seconds(60)) }
        for await _ in isAsked.stream {}
        let close = Task { await driver.close() }
        try await eventually("closed") { (try? driver.checkOpen()) == nil }
        mayContinue.signal()
        await #expect(throws: BrokerError.closed) { try await pull.value }
        await close.value
        let again = try await SQLiteDriver(path: folder.file).join(GroupSettings("billing"), of: "orders")
        #expect(try await again.take().map(\.shown) == ["1:1"])
    }

    private static func stall(
        _ driver: SQLiteDriver
    ) async -> (write: Task<Void, any Error>, mayContinue: DispatchSemaphore) {
        let (hasBegun, mayContinue) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let write = Task {
            try await driver.write { _, _ in
                hasBegun.continuation.finish()
                mayContinue.wait()
            }
        }
        for await _ in hasBegun.stream {}
        return (write, mayContinue)
    }

    @Test func concurrentClosesBothWait() async throws {
        let (bench, closed) = (try Bench(), Seen<Int>())
        let driver = bench.driver
        let (write, mayContinue) = await Self.stall(driver)
        for number in 1...2 {
            Task {
                await driver.close()
                closed.add(number)
            }
            try await eventually("closed") { (try? driver.checkOpen()) == nil }
        }
        try await Task.sleep(for: .milliseconds(100))
        mayContinue.signal()
        try await write.value
        try await eventually("both have closed it") { closed.all.count == 2 }
    }

    /// If the second close did not wait, it would return during the sleep.
    @Test func secondCloseWaitsForFirst() async throws {
        let (bench, closed) = (try Bench(), Seen<Int>())
        let driver = bench.driver
        let (write, mayContinue) = await Self.stall(driver)
        let first = Task { await driver.close() }
        try await eventually("closed") { (try? driver.checkOpen()) == nil }
        let second = Task {
            await driver.close()
            closed.add(2)
        }
        try await Task.sleep(for: .milliseconds(100))
        #expect(closed.all.isEmpty)
        mayContinue.signal()
        try await write.value
        await first.value
        await second.value
    }

    @Test func appendDuringCloseIsRefusedAndNotStored() async throws {
        let bench = try Bench()
        let driver = bench.driver
        try await driver.ensure(StreamSettings("orders"))
        let (write, mayContinue) = await Self.stall(driver)
        let close = Task { await driver.close() }
        try await eventually("closed") { (try? driver.checkOpen()) == nil }
        // A refused append fails at once. An accepted one waits for this signal.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(300)) { mayContinue.signal() }
        await #expect(throws: BrokerError.closed) { try await driver.append(["a"]) }
        try await write.value
        await close.value
        #expect(try await bench.other().texts().isEmpty)
    }

    /// If `close` did not wait, it would return during the sleep, and the WAL file would remain.
    @Test func closeWaitsForOperationsInProgress() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file, now: { RxTime() }, patience: .milliseconds(50))
        try await driver.ensure(StreamSettings("orders"))
        let (hasBegun, mayContinue) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let read = Task {
            try await driver.read { db, _ in
                _ = try db.row("SELECT COUNT(*) FROM messages")
                hasBegun.continuation.finish()
                mayContinue.wait()
            }
        }
        for await _ in hasBegun.stream {}
        try await driver.append(["a"])
        let (write, writeGoesOn) = await Self.stall(driver)
        let close = Task { await driver.close() }
        try await eventually("closed") { (try? driver.checkOpen()) == nil }
        writeGoesOn.signal()
        try await write.value
        try await Task.sleep(for: .milliseconds(500))
        mayContinue.signal()
        try await read.value
        await close.value
        let copy = try Folder()
        try FileManager.default.copyItem(atPath: folder.file, toPath: copy.file)
        #expect(try await SQLiteDriver(path: copy.file).texts() == ["a"])
    }

    @Test func attemptsRestartWithEachOutage() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file, now: { RxTime() }, patience: .milliseconds(50))
        try await driver.ensure(StreamSettings("orders"))
        let told = Seen<Int>()
        _ = driver.status.subscribe(onNext: { status in
            if case .connecting(let attempt, _) = status { told.add(attempt) } else { told.add(0) }
        })
        for _ in 0..<2 {
            try await Self.hold(folder.file) {
                for _ in 0..<2 {
                    await #expect(throws: BrokerError.self) { try await driver.append(["a"]) }
                }
            }
            for text in ["b", "c"] { try await driver.append([text]) }
        }
        // In each outage the appends make two attempts, and the driver may make more.
        let outages = told.all.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
        #expect(outages.count == 4 && outages[0].isEmpty && outages[3].isEmpty)
        for outage in outages[1...2] { #expect(outage.count >= 2 && outage == Array(1...outage.count)) }
    }

    private static func hold(_ path: String, _ work: () async throws -> Void) async throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        try await work()
        try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try queue.close()
    }

    /// The second write rolls back its transaction, as a file error can do. During the sleep, the second write and the
    /// append wait for the first write, so they share a transaction.
    @Test func failedWriteRollsBackNoneOfItsTransaction() async throws {
        let bench = try Bench()
        let driver = bench.driver
        try await driver.ensure(StreamSettings("orders"))
        let (hasBegun, mayContinue) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let first = Task {
            try await driver.write { _, _ in
                hasBegun.continuation.finish()
                mayContinue.wait()
            }
        }
        for await _ in hasBegun.stream {}
        let undoes = Task { try await driver.write { db, _ in try db.execute(sql: "ROLLBACK") } }
        let kept = Task { try await driver.append(["a"]) }
        try await Task.sleep(for: .milliseconds(100))
        mayContinue.signal()
        try await first.value
        await #expect(throws: (any Error).self) { try await undoes.value }
        #expect(try await kept.value == [Receipt(Position(1))])
        #expect(try await driver.texts() == ["a"])
        await driver.close()
    }

    @Test(arguments: [false, true], [false, true])
    func writeIntoRemovedFileFails(isReplaced: Bool, throughALink: Bool) async throws {
        let folder = try Folder()
        let file = folder.file
        let path = throughALink ? file + "-link" : file
        if throughALink { #expect(symlink(file, path) == 0) }
        let driver = try SQLiteDriver(path: path)
        try await driver.ensure(StreamSettings("orders"))
        try await driver.append(["a"])
        for end in ["", "-wal", "-shm"] { #expect(unlink(file + end) == 0) }
        if isReplaced { #expect(FileManager.default.createFile(atPath: file, contents: nil)) }
        let refusal = BrokerError.refused(
            "'\(path)' has been removed or replaced while it was open: written data is lost. Open a new broker")
        await #expect(throws: refusal) { try await driver.append(["b"]) }
        await driver.close()
    }

    @Test func noRoomLosesNothingAcknowledgedAndRecovers() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await bench.driver.append(["first"])
        // SQLite reports growth beyond the page limit as a full disk.
        try await Self.limit(bench.driver, pages: 0)
        let large = String(repeating: "x", count: 4_000)
        var kept = 1
        do {
            for _ in 0..<1_000 {
                try await bench.driver.append([large])
                kept += 1
            }
            Issue.record("the file may grow")
        } catch BrokerError.unavailable(let why) {
            #expect(why.contains("its disk is full"))
        }
        #expect(try await bench.driver.texts().count == kept)
        try await Self.limit(bench.driver, pages: 1_000_000)
        try await bench.driver.append(["last"])
        #expect(try await bench.driver.texts().last == "last")
        #expect(try await bench.driver.summary(of: "orders").count == kept + 1)
    }

    private static func limit(_ driver: SQLiteDriver, pages: Int) async throws {
        _ = try await driver.write { db, _ in
            let pages = try pages == 0 ? (db.value("PRAGMA page_count") ?? 0) + 4 : pages
            return try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages)")
        }
    }
}

/// Only root may create small file systems.
@Suite(.serialized, .enabled(if: SmallDisk.canBeMade))
struct DiskTests {
    @Test func fullDiskLosesNothingAcknowledgedAndRecovers() async throws {
        let disk = try SmallDisk()
        let driver = try SQLiteDriver(path: disk.path + "/streams.sqlite")
        try await driver.ensure(StreamSettings("orders"))
        let (why, kept) = try await Self.fill(driver)
        #expect(why.contains("full") || why.contains("cannot be written") || why.contains("read or written"))
        #expect(try await driver.summary(of: "orders").count == kept)
        try disk.grow()
        try await driver.append(["last"])
        await driver.close()
        let again = try SQLiteDriver(path: disk.path + "/streams.sqlite")
        #expect(try await again.summary(of: "orders").count == kept + 1)
        #expect(try await again.texts(from: UInt64(kept + 1)) == ["last"])
        await again.close()
    }

    @Test func fullDiskStatusRecoversWithoutWrites() async throws {
        let disk = try SmallDisk()
        let driver = try SQLiteDriver(path: disk.path + "/streams.sqlite")
        try await driver.ensure(StreamSettings("orders"))
        _ = try await Self.fill(driver)
        for _ in 0..<1_000 {
            guard (try? await driver.write { db, _ in try Schema.touch(db) }) != nil else { break }
        }
        let told = Seen<BrokerStatus>()
        _ = driver.status.subscribe(onNext: { status in told.add(status) })
        try await eventually("tried again") { told.all.count >= 3 }
        #expect(!told.all.contains(DatabaseFile.connected))
        try disk.grow()
        try await eventually("well again") { told.all.last == DatabaseFile.connected }
        await driver.close()
    }

    private static func fill(_ driver: SQLiteDriver) async throws -> (String, Int) {
        var kept = 0
        let large = String(repeating: "x", count: 10_000)
        while kept < 10_000 {
            do {
                try await driver.append([large])
                kept += 1
            } catch BrokerError.unavailable(let why) {
                return (why, kept)
            }
        }
        return ("never full", kept)
    }

    @Test func unwritableFileIsRefused() async throws {
        let disk = try SmallDisk()
        let path = disk.path + "/streams.sqlite"
        let driver = try SQLiteDriver(path: path)
        try await driver.ensure(StreamSettings("orders"))
        await driver.close()
        try disk.mount("remount,ro")
        do {
            _ = try SQLiteBroker(path: path)
            Issue.record("opened")
        } catch BrokerError.refused(let why) {
            #expect(why.contains("cannot be"))
        }
    }

    @Test func readOnlyFileWithWritableWALIsRefused() async throws {
        let disk = try SmallDisk()
        let path = disk.path + "/streams.sqlite"
        // While this driver is open, the WAL exists.
        let driver = try SQLiteDriver(path: path)
        try await driver.ensure(StreamSettings("orders"))
        try disk.freeze(path)
        do {
            _ = try SQLiteBroker(path: path)
            Issue.record("opened")
        } catch BrokerError.refused(let why) {
            #expect(why.contains("cannot be written"))
        }
        await driver.close()
    }
}

final class SmallDisk: Sendable {
    static let canBeMade = geteuid() == 0 && (try? SmallDisk()) != nil

    private let folder: Folder
    var path: String { folder.path }

    init() throws {
        folder = try Folder()
        try Self.run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder.path)
    }

    func grow() throws { try mount("remount,size=16m") }

    /// Makes the file read-only for connections that open it later.
    func freeze(_ file: String) throws {
        try Self.run("mount", "--bind", file, file)
        try Self.run("mount", "-o", "remount,bind,ro", file)
    }

    func mount(_ options: String) throws { try Self.run("mount", "-o", options, "tmpfs", path) }

    deinit { try? Self.run("umount", "-l", folder.path) }

    private struct Failed: Error {}

    private static func run(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw Failed() }
    }
}
