import GRDB
import RxStreams
import Synchronization

/// Writes to the file, one after the other. What comes while a transaction is made waits, and is made together in the
/// next: one sync serves all of it.
///
/// Each has a savepoint of its own, so that what one throws undoes that one alone. A write is not given up when its
/// task is cancelled: its outcome is always known.
///
/// Guards: `state` is under its lock. Who takes a job out of it runs it in GRDB's writer queue, and calls its `finish`
/// there, once, after the transaction.
final class GroupCommit: Sendable {
    private struct Job: Sendable {
        let run: @Sendable (Database) throws -> Void
        let finish: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isWriting = false
    }

    /// How many are made together.
    private static let most = 256

    private let pool: DatabasePool
    private let whyLost: @Sendable () -> BrokerError?
    private let report: @Sendable (DatabaseError?) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - whyLost: asked in the writer queue after each transaction: why what is in the file is lost all the same.
    ///   - report: called in the writer queue after each transaction, with what was wrong with the file.
    init(
        _ pool: DatabasePool, whyLost: @escaping @Sendable () -> BrokerError?,
        report: @escaping @Sendable (DatabaseError?) -> Void
    ) {
        self.pool = pool
        self.whyLost = whyLost
        self.report = report
    }

    /// Writes, and returns once that is in the file as well as a sync can see to it.
    ///
    /// - Parameter body: what is written. It may be called again where it has been undone.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let written = Mutex(Value?.none)
            let job = Job { db in
                let value = try body(db)
                written.withLock { $0 = value }
            } finish: { error in
                if let error { return continuation.resume(throwing: error) }
                guard let value = written.withLock({ $0.take() }) else { preconditionFailure("no write has no value") }
                continuation.resume(returning: value)
            }
            let begins = state.withLock { state in
                state.waiting.append(job)
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if begins { next() }
        }
    }

    private func next() {
        let jobs = state.withLock { state in
            let jobs = Array(state.waiting.prefix(Self.most))
            state.waiting.removeFirst(jobs.count)
            state.isWriting = !jobs.isEmpty
            return jobs
        }
        if jobs.isEmpty { return }
        pool.asyncWriteWithoutTransaction { [self] db in
            let errors = Self.run(jobs, db)
            report(errors.lazy.compactMap { $0 as? DatabaseError }.first)
            let lost = whyLost()
            for (job, error) in zip(jobs, errors) { job.finish(error ?? lost) }
            next()
        }
    }

    /// - Returns: for each job what it threw; nil for what is in the file.
    private static func run(_ jobs: [Job], _ db: Database) -> [(any Error)?] {
        var errors = [(any Error)?](repeating: nil, count: jobs.count)
        do {
            try db.inTransaction(.immediate) {
                for (index, job) in jobs.enumerated() { errors[index] = try run(job, db) }
                return .commit
            }
            return errors
        } catch {
            // The whole is undone. Who alone is to blame shows when each is tried by itself, unless none can begin.
            if jobs.count == 1 || (error as? DatabaseError)?.resultCode == .SQLITE_BUSY {
                return jobs.map { _ in error }
            }
            return jobs.flatMap { run([$0], db) }
        }
    }

    /// - Returns: what the job threw, where that leaves the transaction as it was before.
    private static func run(_ job: Job, _ db: Database) throws -> (any Error)? {
        do {
            try db.inSavepoint {
                try job.run(db)
                return .commit
            }
            return nil
        } catch {
            if !db.isInsideTransaction { throw error }
            return error
        }
    }
}
