import Foundation
import RxResilience

/// A service of limited capacity that is slow for a moment, and clients that call it at a constant rate: does it come
/// back?
///
/// The service answers one request after the other and does not know which clients have given up. Once its queue is
/// longer than the clients' patience, it does nothing but answer those who no longer listen. Whether the queue gets
/// shorter then depends on how much the clients add to it.
///
/// All of it is on virtual time, and the same on each run.
public struct Storm: Sendable {
    /// How many requests the service answers in a second.
    public var capacity = 100
    /// How many calls are made in a second.
    public var load = 80
    /// When the service becomes slow, and for how long, in milliseconds.
    public var slowFrom = 1_000
    public var slowFor = 650
    /// How many times as long a request takes then.
    public var slowdown = 10
    /// How long a client waits for an answer, in milliseconds.
    public var patience = 100
    /// How many attempts a call makes, the first included, with pauses that grow and are spread at random.
    public var attempts = 3
    /// How long calls are made, in milliseconds.
    public var duration = 10_000

    public init() {}

    /// Runs it with clients that are protected in some way.
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

/// How clients are protected. Their calls are retried around what guards them, around the timeout, around the request;
/// what a breaker refuses is not tried again.
public struct Strategy: Sendable {
    public struct Protection {
        /// What all calls may spend on retries; nil for any number.
        public var budget: RetryBudget?
        /// What stands between a retry and its attempts: a breaker, a bulkhead.
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

    /// - Parameters:
    ///   - name: what it is called in the plot.
    ///   - protection: makes what one run needs, on the run's time.
    public init(_ name: String, _ protection: @escaping @Sendable (any SchedulerType) -> Protection) {
        self.name = name
        self.protection = protection
    }
}

/// What the service sends.
public struct Answer: Sendable {}

/// One call: when it began, in microseconds, and what became of it in the end.
public struct Call: Sendable {
    public let begin: Int
    public let isAnswered: Bool
}

/// What came of a run.
public struct Course: Sendable {
    public let name: String
    /// In the order in which they began.
    public let calls: [Call]
    /// How many requests the service got.
    public let requests: Int
    /// How long a request would have waited for its turn, in milliseconds, each tenth of a second.
    public let waits: [Int]

    /// How many calls were answered.
    public var answered: Int { calls.count { $0.isAnswered } }

    /// When the first call began after which none failed any more, in milliseconds; nil where that was not within the
    /// last second: then it never was.
    public var recovered: Int? {
        guard let end = calls.last?.begin else { return 0 }
        guard let last = calls.lastIndex(where: { !$0.isAnswered }) else { return 0 }
        guard last + 1 < calls.count, end - calls[last + 1].begin >= 1_000_000 else { return nil }
        return calls[last + 1].begin / 1_000
    }

    /// What came of it, in one line.
    ///
    /// - Parameter storm: what it came of.
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

    /// What part of the calls of each fifth of a second were answered.
    public var rates: [Double] {
        Dictionary(grouping: calls, by: { $0.begin / 200_000 }).sorted { $0.key < $1.key }.map { _, calls in
            Double(calls.count { $0.isAnswered }) / Double(calls.count)
        }
    }
}

/// Touched by the scheduler's actions alone, on the one thread that runs them.
private final class Record {
    var calls: [Call] = []
    var waits: [Int] = []
}

/// Answers one request after the other. Touched as ``Record`` is.
private final class Service {
    private let storm: Storm
    private let scheduler: VirtualTimeScheduler<Microseconds>
    /// When it has answered all that it was asked.
    private var free = 0
    private(set) var requests = 0

    init(_ storm: Storm, _ scheduler: VirtualTimeScheduler<Microseconds>) {
        self.storm = storm
        self.scheduler = scheduler
    }

    /// How long a request would wait for its turn.
    var wait: Int { max(0, free - scheduler.clock) }

    /// An answer in its turn. Who disposes of it does not hear it, and it is worked out all the same.
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

/// Virtual time in whole microseconds.
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

/// A generator that repeats itself: SplitMix64, for each call another one.
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
