import GRDB
import RxStreams
import Synchronization

/// Writes that arrive during a transaction are combined in the next one, so they share one sync.
///
/// Each write has its own savepoint, so an error undoes only that write. Cancelling a task does not stop its write, so
/// the outcome is always known.
///
/// Guards: `state` is protected by its lock. The code that removes a job from `waiting` runs it in GRDB's writer queue,
/// and calls its `finish` there after the transaction, exactly once.
final class GroupCommit: Sendable {
    private struct Job: Sendable {
        let run: @Sendable (Database) throws -> Void
        let finish: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isWriting = false
    }

    private static let most = 256

    private let pool: DatabasePool
    private let whyLost: @Sendable () -> BrokerError?
    private let report: @Sendable (DatabaseError?) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - whyLost: called in the writer queue after each transaction. Returns an error if the path no longer leads to
    ///     the open file, so the writes are lost.
    ///   - report: called in the writer queue after each transaction, with the first database error, or nil.
    init(
        _ pool: DatabasePool, whyLost: @escaping @Sendable () -> BrokerError?,
        report: @escaping @Sendable (DatabaseError?) -> Void
    ) {
        self.pool = pool
        self.whyLost = whyLost
        self.report = report
    }

    /// Returns once the transaction has been synced.
    ///
    /// - Parameter body: called again if its transaction was rolled back.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let written = Mutex(Value?.none)
            let job = Job { db in
                let value = try body(db)
                written.withLock { $0 = value }
            } finish: { error in
                if let error { return continuation.resume(throwing: error) }
                guard let value = written.withLock({ $0.take() }) else { preconditionFailure("a write has no value") }
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

    private static func run(_ jobs: [Job], _ db: Database) -> [(any Error)?] {
        var errors = [(any Error)?](repeating: nil, count: jobs.count)
        do {
            try db.inTransaction(.immediate) {
                for (index, job) in jobs.enumerated() { errors[index] = try run(job, db) }
                return .commit
            }
            return errors
        } catch {
            // The transaction was rolled back. If the database is busy, all jobs fail. Otherwise each job runs again
            // alone, to find the one that failed.
            if jobs.count == 1 || (error as? DatabaseError)?.resultCode == .SQLITE_BUSY {
                return jobs.map { _ in error }
            }
            return jobs.flatMap { run([$0], db) }
        }
    }

    /// Returns the job's error, or throws it if the transaction has been rolled back.
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
