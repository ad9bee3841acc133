import Dispatch
import RxSwift

/// Lets concurrent callers with the same key share one call, and keeps its value for a while.
///
///     let users = SingleFlight<UserID, User>(ttl: .seconds(5))
///     let user = users.value(for: id) { client.fetch(id) }
///     let same = try await users.value(for: id) { try await client.fetch(id) }
///
/// The first caller of a key makes the call. Later callers share the running call. For `ttl` after the end of the call,
/// callers get its value at once. An error is sent to all waiting callers and is not kept. See <doc:SingleFlights>.
///
/// Any thread may use a single flight. Keys are hashed and compared, and values are released, without a lock.
///
/// **Memory**: a single flight retains the running calls, and at most `capacity` values. A timer releases a value after
/// its `ttl`. Above `capacity`, the oldest value is released.
// @unchecked Sendable because `table` has a lock, the other properties never change, and any thread may use
// `scheduler`.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    /// The object's name in its events.
    public let name: String

    private let table = Locked(Table<Key, Value>())
    private let ttl: Int
    private let capacity: Int
    private let scheduler: any SchedulerType
    private let clock: SpanClock

    /// Creates an empty instance.
    ///
    /// With a `ttl` of zero, only running calls are shared. A `capacity` less than 0 stops the process. `scheduler`
    /// measures the time, and releases values.
    public convenience init(
        ttl: RxTimeInterval = .seconds(0), capacity: Int = .max,
        scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
    ) {
        self.init("flights", ttl: ttl, capacity: capacity, scheduler: scheduler)
    }

    /// Creates an instance with a `name` for events. See ``init(ttl:capacity:scheduler:)``.
    public init(
        _ name: String, ttl: RxTimeInterval = .seconds(0), capacity: Int = .max,
        scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
    ) {
        if capacity < 0 {
            rxFatalError("A count can't be negative", operator: "SingleFlight", argument: "capacity", value: capacity)
        }
        self.name = name
        self.ttl = ttl.nanosecondsInInt
        self.capacity = capacity
        self.scheduler = scheduler
        clock = SpanClock(scheduler)
        Resilience.list(self)
    }

    deinit {
        Resilience.unlist(self)
        var (kept, timer) = table.withLock { table in
            (exchange(&table.kept, with: Line()), table.alarm.disarm())
        }
        timer?.dispose()
        // Releases one member at a time: each retains the next, so a recursive release could overflow the stack.
        while kept.removeFirst() != nil {}
    }

    /// The number of keys with a running call or a value.
    public var count: Int { table.withLock { $0.count } }

    /// Returns a kept value, the value of a running call, or the value of a new call.
    ///
    ///     call:                    ----(7|)
    ///     value(for: id) { call }: ----(7|)
    ///     concurrent caller:       --^-(7|)
    ///     caller within ttl:       ------(^7|)
    ///
    /// ![One call for concurrent and slightly later callers](marble-single-flight)
    ///
    /// A new call is made on the subscribing thread. A kept value is sent during the subscription, any other value on
    /// the thread on which the call ends. When the last waiting caller is disposed of, the call is disposed of. The
    /// shared call has no ``Deadline``. A call that requests its own key waits for itself for ever.
    @preconcurrency
    public func value(for key: Key, _ call: @escaping @Sendable () throws -> Single<Value>) -> Single<Value> {
        Observable.create { observer in
            let (flight, sharing) = self.join(key)
            Resilience.tell(.singleFlight, self.name, .shared(sharing))
            nonisolated(unsafe) let subscription = flight.answer.subscribe(observer)  // any thread may dispose of it
            if sharing == .called { self.begin(flight, call) }
            return Disposables.create {
                subscription.dispose()
                self.leave(flight)
            }
        }.asSingle()
    }

    /// Returns the kept value of `key`, the value of running work, or the value of new work.
    ///
    /// `work` runs in its own task. This task is cancelled when all waiting tasks have been cancelled.
    ///
    /// - Throws: any error of `work`; `CancellationError` if the waiting task is cancelled.
    public func value(
        for key: Key, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await value(for: key) { Single<Value>.create(work: work) }.value
    }

    /// Removes the value of `key`. A running call continues for its waiting callers only: its value is not kept.
    public func forget(_ key: Key) {
        let timer = at(key) { table, flight, _ in
            if let flight { table.drop(flight) }
            return table.idleTimer()
        }
        timer?.dispose()
    }

    private func join(_ key: Key) -> (Flight<Key, Value>, Resilience.Sharing) {
        let now = clock.now
        return at(key) { table, flight, hash in
            switch flight?.phase {
            case .underWay:
                flight!.callers += 1
                return (flight!, .joined)
            case .kept(let until) where now < until:
                return (flight!, .kept)
            default:
                // If there is a flight, its value has expired.
                if let flight { table.drop(flight) }
                let flight = Flight<Key, Value>(key, hash)
                flight.callers = 1
                table.list(flight)
                return (flight, .called)
            }
        }
    }

    private func begin(_ flight: Flight<Key, Value>, _ call: @escaping @Sendable () throws -> Single<Value>) {
        let source = Observable.deferred { try call().asObservable() }
        // The shared call must not fail at the first caller's deadline.
        Deadline.restore(nil) {
            flight.call.setDisposable(
                source.subscribe { event in
                    if event.isStopEvent { self.end(flight, isKept: event.error == nil) }
                    flight.answer.on(event)
                })
        }
    }

    /// Called before the answer is delivered, because an observer of the answer may request the key again. That request
    /// must get the kept value or, if none is kept, make a new call.
    private func end(_ flight: Flight<Key, Value>, isKept: Bool) {
        let now = clock.now
        let (oldest, timer) = table.withLock { table -> (Flight<Key, Value>?, SingleAssignmentDisposable?) in
            guard case .underWay = flight.phase else { return (nil, nil) }
            flight.phase = .over
            guard flight.isListed else { return (nil, nil) }
            guard isKept, ttl > 0 else {
                table.drop(flight)
                return (nil, nil)
            }
            let until = now.advanced(bySaturating: ttl)
            flight.phase = .kept(until: until)
            table.kept.append(flight)
            let oldest = table.kept.count > capacity ? table.kept.first : nil
            if let oldest { table.drop(oldest) }
            return (oldest, table.kept.isEmpty ? nil : table.alarm.arm(for: until))
        }
        withExtendedLifetime(oldest) {}
        set(timer, ttl)
    }

    private func leave(_ flight: Flight<Key, Value>) {
        let isLast = table.withLock { table in
            guard case .underWay = flight.phase else { return false }
            flight.callers -= 1
            guard flight.callers == 0 else { return false }
            flight.phase = .over
            table.drop(flight)
            return true
        }
        if isLast { flight.call.dispose() }
    }

    private func set(_ timer: SingleAssignmentDisposable?, _ pause: Int) {
        guard let timer else { return }
        timer.setDisposable(
            scheduler.scheduleRelative((), dueTime: .span(pause)) { [weak self, weak timer] in
                if let timer { self?.sweep(timer) }
                return Disposables.create()
            })
    }

    private func sweep(_ rung: SingleAssignmentDisposable) {
        let now = clock.now
        var old: [Flight<Key, Value>] = []
        let (timer, pause) = table.withLock { table -> (SingleAssignmentDisposable?, Int) in
            guard let alarm = table.alarm.ring(rung) else { return (nil, 0) }
            let time = clock.time(now, atAlarmFor: alarm)
            while let flight = table.kept.first, case .kept(let until) = flight.phase {
                guard until <= time else { return (table.alarm.arm(for: until), until.span(since: now)) }
                table.drop(flight)
                old.append(flight)
            }
            return (nil, 0)
        }
        set(timer, pause)
    }

    /// Calls `body` under the lock with the flight of `key`. The keys are compared without the lock. If the bucket has
    /// changed before `body` is called, the search is repeated.
    private func at<Result>(
        _ key: Key, _ body: (inout Table<Key, Value>, Flight<Key, Value>?, _ hash: Int) -> Result
    ) -> Result {
        let hash = key.hashValue
        while true {
            let seen = table.withLock { $0.buckets[hash] ?? [] }
            let flight = seen.first { $0.key == key }
            let result = table.withLock { table -> Result? in
                let bucket = table.buckets[hash] ?? []
                guard bucket.count == seen.count, zip(bucket, seen).allSatisfy({ $0 === $1 }) else { return nil }
                return body(&table, flight, hash)
            }
            // `seen` may hold a dropped flight, so it is released outside the lock.
            withExtendedLifetime(seen) {}
            if let result { return result }
        }
    }
}

extension SingleFlight: Observed {
    func describe(in snapshot: inout Resilience.Snapshot) {
        snapshot.singleFlights.append(Resilience.SingleFlightState(name: name, keys: count))
    }
}

/// Guards: the table's lock protects `callers`, `phase` and `isListed`; the other properties never change.
// @unchecked Sendable because of that guard.
private final class Flight<Key: Hashable, Value>: LineMember, @unchecked Sendable {
    enum Phase {
        case underWay, kept(until: Int), over
    }

    let key: Key
    let hash: Int
    let answer = AsyncSubject<Value>()
    let call = SingleAssignmentDisposable()
    var callers = 0
    var phase = Phase.underWay
    var isListed = false

    init(_ key: Key, _ hash: Int) {
        self.key = key
        self.hash = hash
    }
}

/// Maps the hash of a key to a bucket of flights, so no key is hashed or compared under the table's lock.
private struct Table<Key: Hashable, Value> {
    private(set) var buckets: [Int: [Flight<Key, Value>]] = [:]
    /// The flights with kept values, in order of expiry.
    var kept = Line<Flight<Key, Value>>()
    var alarm = Alarm()
    private(set) var count = 0

    mutating func list(_ flight: Flight<Key, Value>) {
        buckets[flight.hash, default: []].append(flight)
        flight.isListed = true
        count += 1
    }

    /// The caller holds a reference, so the flight is not released under the lock.
    mutating func drop(_ flight: Flight<Key, Value>) {
        guard flight.isListed else { return }
        flight.isListed = false
        count -= 1
        buckets[flight.hash]?.removeAll { $0 === flight }
        if buckets[flight.hash]?.isEmpty == true { buckets[flight.hash] = nil }
        if case .kept = flight.phase {
            kept.remove(flight)
            flight.phase = .over
        }
    }

    /// If no value is kept, disarms and returns the timer.
    mutating func idleTimer() -> SingleAssignmentDisposable? {
        kept.isEmpty ? alarm.disarm() : nil
    }
}
