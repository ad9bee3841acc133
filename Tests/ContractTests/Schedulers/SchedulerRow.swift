import Dispatch
import RxSwift
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One way to come by a scheduler, and what the scheduler promises.
struct SchedulerRow: Sendable {
    struct Promises: OptionSet {
        let rawValue: Int

        /// Actions begin in the order in which they were scheduled, by whatever thread.
        static let fifo = Promises(rawValue: 1)
        /// One action at a time.
        static let serial = Promises(rawValue: 2)
        /// What an action schedules begins after that action has ended.
        static let trampolined = Promises(rawValue: 4)
        /// It has a clock: it is a `SchedulerType`.
        static let timed = Promises(rawValue: 8)
        /// Its clock goes only as far as it is told to, on the thread that made it.
        static let virtual = Promises(rawValue: 16)
        /// It has threads of its own.
        static let threads = Promises(rawValue: 32)
    }

    /// The class.
    let name: String
    /// The initialiser with its argument labels, or the instance.
    let form: String
    /// Tells rows of one form apart.
    let note: String
    let promises: Promises
    /// How many steps a recursion takes: enough to overflow any stack; fewer under a sanitizer, whose frames are
    /// larger.
    let steps: Int
    fileprivate let make: @Sendable () -> any ImmediateSchedulerType

    init(
        _ name: String, _ form: String, _ promises: Promises, note: String = "", steps: Int = 100_000,
        make: @escaping @Sendable () -> any ImmediateSchedulerType
    ) {
        self.name = name
        self.form = form
        self.note = note
        self.promises = promises
        self.steps = steps / (isSanitized ? 5 : 1)
        self.make = make
    }

    /// The rows that promise all of this, and nothing of that.
    static func all(_ promises: Promises = [], without others: Promises = []) -> [SchedulerRow] {
        all.filter { $0.promises.isSuperset(of: promises) && $0.promises.isDisjoint(with: others) }
    }
}

extension SchedulerRow: CustomTestStringConvertible {
    var testDescription: String { "\(name).\(form)\(note.isEmpty ? "" : ", \(note)")" }
}

/// A virtual clock.
private protocol Startable {
    func start()
}

extension VirtualTimeScheduler: Startable {}

/// Threads of its own.
private protocol Stoppable {
    func shutdown(_ pending: PendingWork)
}

extension PthreadScheduler: Stoppable {}
extension PthreadPoolScheduler: Stoppable {}

/// A scheduler on trial.
// @unchecked Sendable because its properties never change, and any thread may use a scheduler.
struct SchedulerTrial: @unchecked Sendable {
    let scheduler: any ImmediateSchedulerType
    private let done = DispatchSemaphore(value: 0)

    init(_ row: SchedulerRow) {
        scheduler = row.make()
    }

    /// The scheduler as one with a clock.
    var timed: any SchedulerType {
        get throws { try #require(scheduler as? any SchedulerType) }
    }

    /// Schedules a body.
    @discardableResult
    func schedule(_ body: @escaping @Sendable () -> Void) -> any Disposable {
        scheduler.schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }

    /// Counts one end, from any thread.
    func end() {
        done.signal()
    }

    /// Has the scheduler work, and waits for so many ends; but not for ever.
    func wait(ends: Int = 1) throws {
        (scheduler as? any Startable)?.start()
        for _ in 0..<ends { try #require(done.wait(timeout: .now() + 60) == .success, "it has not come to an end") }
    }

    /// Shuts the scheduler down.
    func shutdown(_ pending: PendingWork) throws {
        try #require(scheduler as? any Stoppable).shutdown(pending)
    }

    /// Has the scheduler work, and waits for what was scheduled before: by a piece of work that comes later on every
    /// scheduler but the concurrent.
    func settle() throws {
        schedule(end)
        try wait()
    }
}

/// Expects what other threads bring about, as soon as they do; but does not wait for ever.
func expectSoon(
    _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) {
    for _ in 0..<10_000 where !condition() { pause(milliseconds: 1) }
    #expect(condition(), comment(), sourceLocation: sourceLocation)
}

/// Blocks the calling thread.
func pause(milliseconds: UInt32) {
    usleep(milliseconds * 1_000)
}
