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

/// One way to obtain a scheduler, and its guarantees.
struct SchedulerRow: Sendable {
    struct Promises: OptionSet {
        let rawValue: Int

        /// The actions of one thread begin in the order of scheduling, even if other threads schedule too.
        static let fifo = Promises(rawValue: 1)
        static let serial = Promises(rawValue: 2)
        /// Actions that a running action schedules begin after the running action has ended.
        static let trampolined = Promises(rawValue: 4)
        /// The scheduler has a clock: it is a `SchedulerType`.
        static let timed = Promises(rawValue: 8)
        /// Only the thread that made the scheduler advances the clock.
        static let virtual = Promises(rawValue: 16)
        static let threads = Promises(rawValue: 32)
    }

    let name: String
    /// The initialiser with its labels, or the instance.
    let form: String
    /// Distinguishes rows of the same form.
    let note: String
    let promises: Promises
    /// The number of steps of a recursion. If the steps nested, they would overflow the stack. A sanitizer enlarges
    /// stack frames, so fewer steps are enough.
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

    static func all(_ promises: Promises = [], without others: Promises = []) -> [SchedulerRow] {
        all.filter { $0.promises.isSuperset(of: promises) && $0.promises.isDisjoint(with: others) }
    }
}

extension SchedulerRow: CustomTestStringConvertible {
    var testDescription: String { "\(name).\(form)\(note.isEmpty ? "" : ", \(note)")" }
}

private protocol Startable {
    func start()
}

extension VirtualTimeScheduler: Startable {}

private protocol Stoppable {
    func shutdown(_ pending: PendingWork)
}

extension PthreadScheduler: Stoppable {}
extension PthreadPoolScheduler: Stoppable {}

// @unchecked Sendable because its properties never change, and any thread may use a scheduler.
struct SchedulerTrial: @unchecked Sendable {
    let scheduler: any ImmediateSchedulerType
    private let done = DispatchSemaphore(value: 0)

    init(_ row: SchedulerRow) {
        scheduler = row.make()
    }

    var timed: any SchedulerType {
        get throws { try #require(scheduler as? any SchedulerType) }
    }

    @discardableResult
    func schedule(_ body: @escaping @Sendable () -> Void) -> any Disposable {
        scheduler.schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }

    func end() {
        done.signal()
    }

    /// Runs a virtual scheduler, then waits for `ends` calls of `end()`.
    func wait(ends: Int = 1) throws {
        (scheduler as? any Startable)?.start()
        for _ in 0..<ends { try #require(done.wait(timeout: .now() + 60) == .success, "it has not come to an end") }
    }

    func shutdown(_ pending: PendingWork) throws {
        try #require(scheduler as? any Stoppable).shutdown(pending)
    }

    /// Schedules one more action and waits for it. Except on a concurrent scheduler, all earlier actions have then run.
    func settle() throws {
        schedule(end)
        try wait()
    }
}

func expectSoon(
    _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) {
    for _ in 0..<10_000 where !condition() { pause(milliseconds: 1) }
    #expect(condition(), comment(), sourceLocation: sourceLocation)
}

func pause(milliseconds: UInt32) {
    usleep(milliseconds * 1_000)
}
