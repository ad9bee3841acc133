import Foundation
import RxLifecycle
import RxTest
import Synchronization

/// The lines that a test logs and may wait for. Guards: `state` has a lock.
final class Journal: Sendable {
    private struct State {
        var lines: [String] = []
        var waiters: [(line: String, waiter: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func note(_ line: String) {
        let waiters = state.withLock { state in
            state.lines.append(line)
            defer { state.waiters.removeAll { $0.line == line } }
            return state.waiters.filter { $0.line == line }.map(\.waiter)
        }
        for waiter in waiters { waiter.resume() }
    }

    var lines: [String] { state.withLock { $0.lines } }

    func gets(_ line: String, within span: Duration = .seconds(20)) async throws -> Bool {
        let end = ContinuousClock.now + span
        while !lines.contains(line), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
        return lines.contains(line)
    }

    func has(_ line: String) async {
        await withCheckedContinuation { waiter in
            let isThere = state.withLock { state in
                if !state.lines.contains(line) { state.waiters.append((line, waiter)) }
                return state.lines.contains(line)
            }
            if isThere { waiter.resume() }
        }
    }
}

struct AtOnce: SchedulerType {
    var now: Date { Date() }

    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        action(state)
    }

    func scheduleRelative<State>(
        _ state: State, dueTime _: RxTimeInterval, action: @escaping (State) -> any Disposable
    ) -> any Disposable {
        action(state)
    }
}

struct OnThread: SchedulerType {
    let then: @Sendable () -> Void

    init(_ then: @escaping @Sendable () -> Void) {
        self.then = then
    }

    var now: Date { Date() }

    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        nonisolated(unsafe) let job = { _ = action(state) }  // called once, on the new thread
        Thread.detachNewThread { job() }
        then()
        return Disposables.create()
    }

    func scheduleRelative<State>(
        _ state: State, dueTime _: RxTimeInterval, action: @escaping (State) -> any Disposable
    ) -> any Disposable {
        schedule(state, action: action)
    }
}

final class HeldTasks: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

extension TestScheduler {
    static func milliseconds() -> TestScheduler { TestScheduler(initialClock: 0, resolution: 0.001) }
}

extension ObservableType {
    func noted(in journal: Journal, as name: String) -> Observable<Element> {
        self.do(
            onNext: { journal.note("\(name): \($0)") }, onError: { journal.note("\(name) failed: \($0)") },
            onCompleted: { journal.note("\(name) completed") }, onSubscribed: { journal.note("\(name) subscribed") },
            onDispose: { journal.note("\(name) disposed") })
    }
}

struct Declined: Error {}
