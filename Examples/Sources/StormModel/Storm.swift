import Foundation
import RxResilience

/// A service of limited capacity that is slow for a moment, and clients that call it at a constant rate.
///
/// The service answers in order and cannot detect which clients have timed out. Once the wait in its queue exceeds the
/// clients' timeout, all its answers go to clients that no longer wait. Whether the queue then becomes shorter depends
/// on the requests that the clients add.
///
/// Everything runs on virtual time, so each run has the same result.
public struct Storm: Sendable {
    /// The maximum number of requests answered per second.
    public var capacity = 100
    /// The number of calls per second.
    public var load = 80
    /// The slow time's start and length in milliseconds.
    public var slowFrom = 1_000
    public var slowFor = 650
    /// The factor by which requests slow down during the slow time.
    public var slowdown = 10
    /// How long a client waits, in milliseconds.
    public var patience = 100
    /// The maximum number of attempts of a call.
    public var attempts = 3
    /// How long clients make calls, in milliseconds.
    public var duration = 10_000

    public init() {}

    public func run(_ strategy: Strategy) -> Course {
        let scheduler = VirtualTimeScheduler(initialClock: 0, converter: Microseconds())
        let service = Service(self, scheduler)
        let protection = strategy.protection(scheduler)
        let record = Record()
        for number in 0..<(load * duration / 1_000) {
            let begin = number * 1_000_000 / load
            _ = scheduler.scheduleAbsoluteVirtual((), time: begin) {
                let request = service.ask().timeout(total: .milliseconds(patience), scheduler: scheduler)
                let policy = RetryPolicy.exponential(
                    from: .milliseconds(20), limit: .milliseconds(200), attempts: attempts)
                let call = protection.guarding(request).retry(
                    policy, budget: protection.budget, if: { !($0 is CircuitOpen) }, scheduler: scheduler,
                    using: Dice(number))
                return call.subscribe(
                    onNext: { _ in record.calls.append(Call(begin: begin, isAnswered: true)) },
                    onError: { _ in record.calls.append(Call(begin: begin, isAnswered: false)) })
            }
        }
        for moment in 0..<(duration / 100) {
            _ = scheduler.scheduleAbsoluteVirtual((), time: moment * 100_000) {
                record.waits.append(service.wait / 1_000)
                return Disposables.create()
            }
        }
        scheduler.start()
        return Course(
            name: strategy.name, calls: record.calls.sorted { $0.begin < $1.begin }, requests: service.requests,
            waits: record.waits)
    }
}

/// The clients' protection. From the outside in, a call consists of retries, a guard, the timeout and the request. A
/// rejection by a breaker is not retried.
public struct Strategy: Sendable {
    public struct Protection {
        /// The retry budget; nil if only `attempts` limits the retries.
        public var budget: RetryBudget?
        /// A breaker or a bulkhead, around each attempt.
        public var guarding: (Observable<Answer>) -> Observable<Answer>

        public init(
            budget: RetryBudget? = nil, guarding: @escaping (Observable<Answer>) -> Observable<Answer> = { $0 }
        ) {
            self.budget = budget
            self.guarding = guarding
        }
    }

    public let name: String
    let protection: @Sendable (any SchedulerType) -> Protection

    public init(_ name: String, _ protection: @escaping @Sendable (any SchedulerType) -> Protection) {
        self.name = name
        self.protection = protection
    }
}

public struct Answer: Sendable {}

/// `begin` is in microseconds.
public struct Call: Sendable {
    public let begin: Int
    public let isAnswered: Bool
}

public struct Course: Sendable {
    public let name: String
    /// The calls, in the order of their starts.
    public let calls: [Call]
    /// The number of requests that the service received.
    public let requests: Int
    /// How long a new request has to wait, in milliseconds, sampled every 100 ms.
    public let waits: [Int]

    public var answered: Int { calls.count { $0.isAnswered } }

    /// When the service recovered, in milliseconds: the start of the first call after the last failed call; 0 if no
    /// call failed. Nil if there is no such call, or if it starts less than a second before the last call.
    public var recovered: Int? {
        guard let end = calls.last?.begin else { return 0 }
        guard let last = calls.lastIndex(where: { !$0.isAnswered }) else { return 0 }
        guard last + 1 < calls.count, end - calls[last + 1].begin >= 1_000_000 else { return nil }
        return calls[last + 1].begin / 1_000
    }

    public func verdict(on storm: Storm) -> String {
        let recovery =
            switch recovered {
            case nil: "never back"
            case 0: "never away"
            case let moment?: "back \(moment - storm.slowFrom) ms after it became slow"
            }
        return "\(name): \(recovery); \(answered) of \(calls.count) calls answered, \(requests) requests, "
            + "a queue of \(waits.last ?? 0) ms at the end"
    }

    /// The share of answered calls in each span of 200 ms.
    public var rates: [Double] {
        Dictionary(grouping: calls, by: { $0.begin / 200_000 }).sorted { $0.key < $1.key }.map { _, calls in
            Double(calls.count { $0.isAnswered }) / Double(calls.count)
        }
    }
}

/// Used only by the scheduler's actions, on one thread.
private final class Record: @unchecked Sendable {  // because one thread uses it
    var calls: [Call] = []
    var waits: [Int] = []
}

/// Used only by the scheduler's actions, on one thread.
private final class Service: @unchecked Sendable {  // because one thread uses it
    private let storm: Storm
    private let scheduler: VirtualTimeScheduler<Microseconds>
    /// The time at which the service will have answered all requests so far.
    private var free = 0
    private(set) var requests = 0

    init(_ storm: Storm, _ scheduler: VirtualTimeScheduler<Microseconds>) {
        self.storm = storm
        self.scheduler = scheduler
    }

    var wait: Int { max(0, free - scheduler.clock) }

    /// Sends the answer when the service has processed the request. Disposal discards only the answer.
    func ask() -> Observable<Answer> {
        .create { [self] observer in
            requests += 1
            let begin = max(free, scheduler.clock)
            let slow = storm.slowFrom * 1_000..<(storm.slowFrom + storm.slowFor) * 1_000
            free = begin + 1_000_000 / storm.capacity * (slow.contains(begin) ? storm.slowdown : 1)
            return scheduler.scheduleAbsoluteVirtual((), time: free) {
                observer.onNext(Answer())
                observer.onCompleted()
                return Disposables.create()
            }
        }
    }
}

private struct Microseconds: VirtualTimeConverterType {
    func convertFromVirtualTime(_ time: Int) -> RxTime { Date(timeIntervalSince1970: Double(time) / 1e6) }
    func convertToVirtualTime(_ time: RxTime) -> Int { Int((time.timeIntervalSince1970 * 1e6).rounded()) }
    func convertFromVirtualTimeInterval(_ span: Int) -> TimeInterval { Double(span) / 1e6 }
    func convertToVirtualTimeInterval(_ span: TimeInterval) -> Int { Int((span * 1e6).rounded()) }
    func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }
    func compareVirtualTime(_ first: Int, _ second: Int) -> VirtualTimeComparison {
        first < second ? .lessThan : first > second ? .greaterThan : .equal
    }
}

/// Random numbers, with a different seed for each call.
private struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: Int) {
        state = UInt64(seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
