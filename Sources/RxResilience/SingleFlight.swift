import Dispatch
import RxSwift

/// One call for all who ask for the same at the same time, and for those who ask soon after.
///
///     let users = SingleFlight<UserID, User>(ttl: .seconds(5))
///     let user = users.value(for: id) { client.fetch(id) }
///     let same = try await users.value(for: id) { try await client.fetch(id) }
///
/// The first who asks for a key makes the call; who asks while it is under way shares it, and who asks within `ttl` of
/// its end gets the value at once. An error goes to all who wait, and is not kept. When the last who waits has gone,
/// the call is disposed of. See <doc:SingleFlights>.
///
/// Any thread may use it. Keys are hashed and compared, and values released, without a lock.
///
/// **Memory** is that of the calls under way and of the values of the last `ttl`: a timer lets a value go when its time
/// is over, also if nobody asks again. With `capacity`, the oldest value goes when there are more. All go with the
/// ``SingleFlight`` itself.
// @unchecked Sendable because the rest of it never changes, and any thread may use `scheduler`.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    private let table = Locked(Table<Key, Value>())
    private let ttl: Int
    private let capacity: Int
    private let scheduler: any SchedulerType
    private let clock: SpanClock

    /// Makes one without calls or values.
    ///
    /// - Parameters:
    ///   - ttl: how long a value is kept once it has come; zero, where only calls that are under way are shared.
    ///   - capacity: how many values are kept at most; less than 0 stops the process.
    ///   - scheduler: what measures the time, and where values are let go.
    public init(
        ttl: RxTimeInterval = .seconds(0), capacity: Int = .max,
        scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
    ) {
        if capacity < 0 {
            rxFatalError("A count can't be negative", operator: "SingleFlight", argument: "capacity", value: capacity)
        }
        self.ttl = ttl.nanosecondsInInt
        self.capacity = capacity
        self.scheduler = scheduler
        clock = SpanClock(scheduler)
    }

    deinit {
        var (kept, timer) = table.withLock { table in
            (exchange(&table.kept, with: Line()), table.alarm.disarm())
        }
        timer?.dispose()
        // One after the other: each of them holds the next one.
        while kept.removeFirst() != nil {}
    }

    /// How many keys have a call under way or a value.
    public var count: Int { table.withLock { $0.count } }

    /// The value for a key: that which is kept, that of the call under way, or that of a new call.
    ///
    ///     call:                    ----(7|)
    ///     value(for: id) { call }: ----(7|)
    ///     who asks meanwhile:      --^-(7|)
    ///     who asks within ttl:     ------(^7|)
    ///
    /// ![One call for all who ask at the same time or soon after](marble-single-flight)
    ///
    /// A value that is kept comes while it is subscribed, any other one on the thread on which the call ends. An error
    /// of the call, or of `call`, goes to all who wait for it and is not kept. Disposing lets the call go on as long as
    /// another one waits for it; the last one disposes of it. What is shared has nobody's ``Deadline``. A call
    /// that asks for its own key waits for itself, for ever.
    ///
    /// - Parameters:
    ///   - key: what is asked for.
    ///   - call: makes the call. It is called on the subscribing thread, where there is neither a call nor a value.
    @preconcurrency
    public func value(for key: Key, _ call: @escaping @Sendable () throws -> Single<Value>) -> Single<Value> {
        Observable.create { observer in
            let (flight, isFirst) = self.join(key)
            nonisolated(unsafe) let subscription = flight.answer.subscribe(observer)  // any thread may dispose of it
            if isFirst { self.begin(flight, call) }
            return Disposables.create {
                subscription.dispose()
                self.leave(flight)
            }
        }.asSingle()
    }

    /// The value for a key: that which is kept, that of the work under way, or that of new work.
    ///
    /// The work is done by a task of its own, which is cancelled when the tasks that wait for it have all been. See the
    /// other form for errors.
    ///
    /// - Parameters:
    ///   - key: what is asked for.
    ///   - work: the work, where there is neither work nor a value.
    /// - Returns: the value.
    /// - Throws: what the work throws, and `CancellationError` where the waiting task is cancelled.
    public func value(
        for key: Key, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await value(for: key) { Single<Value>.create(work: work) }.value
    }

    /// Lets the value of a key go, if there is one. A call that is under way goes on for who waits for it, but its
    /// value is not kept, and who asks from now on makes a new call.
    ///
    /// - Parameter key: the key.
    public func forget(_ key: Key) {
        let timer = at(key) { table, flight, _ in
            if let flight { table.drop(flight) }
            return table.idleTimer()
        }
        timer?.dispose()
    }

    /// Finds a key's flight or makes one, and counts who asks.
    private func join(_ key: Key) -> (Flight<Key, Value>, isFirst: Bool) {
        let now = clock.now
        return at(key) { table, flight, hash in
            switch flight?.phase {
            case .underWay:
                flight!.callers += 1
                return (flight!, false)
            case .kept(let until) where now < until:
                return (flight!, false)
            default:
                // One that has come to its time; its caller has it, and so it is not released here.
                if let flight { table.drop(flight) }
                let flight = Flight<Key, Value>(key, hash)
                flight.callers = 1
                table.list(flight)
                return (flight, true)
            }
        }
    }

    private func begin(_ flight: Flight<Key, Value>, _ call: @escaping @Sendable () throws -> Single<Value>) {
        let source = Observable.deferred { try call().asObservable() }
        // It is not the first one's alone, and so is not to fail for the others when that one has no time left.
        Deadline.restore(nil) {
            flight.call.setDisposable(
                source.subscribe { event in
                    if event.isStopEvent { self.end(flight, isKept: event.error == nil) }
                    flight.answer.on(event)
                })
        }
    }

    /// Before the answer is given, so that who asks when he has it finds it kept, or an error gone.
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

    /// Lets go what has come to its time, and sleeps until the next one has.
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

    /// Does something about a key's flight, under the lock, having looked for it without.
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
            // What is dropped is among what was seen, so it is released here, after the lock.
            withExtendedLifetime(seen) {}
            if let result { return result }
        }
    }
}

/// A call for a key, and then its value for as long as that is kept.
///
/// Guards: the table's lock has `callers`, `phase` and `isListed`.
// @unchecked Sendable because of the guard; the rest never changes.
private final class Flight<Key: Hashable, Value>: LineMember, @unchecked Sendable {
    enum Phase {
        case underWay, kept(until: Int), over
    }

    let key: Key
    let hash: Int
    /// Has the value or the error in the end, for those who come late, too.
    let answer = AsyncSubject<Value>()
    let call = SingleAssignmentDisposable()
    /// How many wait for the call.
    var callers = 0
    var phase = Phase.underWay
    var isListed = false

    init(_ key: Key, _ hash: Int) {
        self.key = key
        self.hash = hash
    }
}

/// The flights by their keys.
///
/// The lock that guards it is held while nothing hashes or compares a key: flights are found by the hash of their key,
/// and what `at` finds there without the lock holds if the bucket is then as it was.
private struct Table<Key: Hashable, Value> {
    private(set) var buckets: [Int: [Flight<Key, Value>]] = [:]
    /// Those whose value is kept; the time of the first one ends first.
    var kept = Line<Flight<Key, Value>>()
    var alarm = Alarm()
    private(set) var count = 0

    mutating func list(_ flight: Flight<Key, Value>) {
        buckets[flight.hash, default: []].append(flight)
        flight.isListed = true
        count += 1
    }

    /// Takes a flight out; its holder releases it, after the lock.
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

    /// The timer, where there is nothing left for it to do.
    mutating func idleTimer() -> SingleAssignmentDisposable? {
        kept.isEmpty ? alarm.disarm() : nil
    }
}
