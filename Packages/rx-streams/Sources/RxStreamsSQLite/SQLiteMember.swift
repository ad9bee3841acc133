import GRDB
import RxStreams
import RxSwift

final class SQLiteMember: GroupMember {
    private let driver: SQLiteDriver
    private let group: Int64
    private let member: Int64
    private let deadline: Microseconds

    init(_ driver: SQLiteDriver, group: Int64, member: Int64, deadline: Microseconds) {
        self.driver = driver
        self.group = group
        self.member = member
        self.deadline = deadline
    }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        guard count >= 1 else { throw BrokerError.refused("\(count) messages cannot be pulled") }
        let pulled = try await driver.wait(within: span) { try await look(count) }
        return pulled ?? []
    }

    /// First searches without writing, so that an empty pull does not lock the file.
    private func look(_ count: Int) async throws -> SQLiteDriver.Look<[PulledMessage]> {
        guard driver.isMember(member) else { return try gone() }
        let prospect = try await driver.read { [group] db, now in
            let (group, stream) = try GroupRecord.of(group, db)
            return try group.prospect(in: stream, now: now, db)
        }
        if case .nothing(let due) = prospect { return .nothing(until: due) }
        let taken = try await driver.write { [driver, group, member, deadline] db, now in
            // The messages of a member that has left may already have been handed back.
            guard driver.isMember(member) else { return GroupRecord.Catch?.none }
            let (group, stream) = try GroupRecord.of(group, db)
            return try group.pull(upTo: count, for: member, within: deadline, in: stream, now: now, db)
        }
        guard let taken else { return try gone() }
        return taken.isEmpty ? .unfinished : .found(taken)
    }

    private func gone() throws -> SQLiteDriver.Look<[PulledMessage]> {
        try driver.checkOpen()
        throw BrokerError.refused("a member that has left cannot pull")
    }

    func settle(_ verdicts: [Verdict]) async throws {
        if verdicts.isEmpty { return }
        let wakes = try await driver.write { [deadline] db, now in
            try GroupRecord.settle(verdicts, within: deadline, now: now, db)
        }
        if wakes { driver.wakeWaiters() }
    }

    func leave() async {
        guard driver.removeMember(member) else { return }
        _ = try? await driver.write { [group, member] db, now in
            try GroupRecord.of(group, db).0.handBack(from: member, now: now, db)
        }
        driver.wakeWaiters()
    }
}
