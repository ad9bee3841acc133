public import Dispatch
@_spi(RxServer) public import RxSwift
import RxResilience
import ServerSupport
import Synchronization

/// A page, for any HTTP server, that shows the live subscriptions of the program.
///
/// ```swift
/// let inspector = Inspector(title: "orders")                 // before the program subscribes
/// let server = try await InspectorServer.start(inspector)    // http://127.0.0.1:PORT/
/// ```
///
/// See <doc:InspectingAService>. While no page is open, only `Subscriptions.areListed` has a cost. Elements are not
/// shown.
///
/// Any thread may use an inspector. No lock is held while a scheduler, a limit or a viewer is called.
///
/// Guards: `state` and `looker` have locks, and neither lock is held while the other one is acquired.
public final class Inspector: Sendable {
    private struct State {
        var viewers: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
        var latestViewer = 0
        /// The timer of updates; nil without viewers.
        var timer: SerialDisposable?
        var observation: Observation?
        var log = InspectorLog()
    }

    /// @unchecked Sendable because any thread may dispose of an observation.
    private struct Observation: @unchecked Sendable {
        let disposable: any Disposable
    }

    private struct Looker {
        var model = InspectorModel()
        var places: [Int: Subscriptions.Places] = [:]
        var latest: (time: Int, json: String)?
    }

    private let title: String
    private let documentation: String?
    private let showsErrorTexts: Bool
    private let period: Int
    // nonisolated(unsafe) because it is immutable, and any thread may schedule on a scheduler.
    nonisolated(unsafe) private let scheduler: any SchedulerType
    /// The monotonic time in nanoseconds.
    private let clock: @Sendable () -> Int
    private let state = Mutex(State())
    private let looker = Mutex(Looker())

    /// The shortest pause after a snapshot, as a multiple of the snapshot's duration. With 99, snapshots take at most
    /// 1 % of a core, unless `longestPause` limits the pause.
    private static let pausePerLook = 99
    private static let longestPause = 30_000_000_000
    /// The age in nanoseconds below which `snapshotJSON()` returns the latest snapshot again.
    private static let freshness = 200_000_000

    @usableFromInline
    static let ownQueue = "rx.inspector"

    /// Creates an inspector, and sets `Subscriptions.areListed`. Only later subscriptions are shown. To see pauses,
    /// drops and counts of errors, set `Counters.isCounting` as well.
    ///
    /// - Parameters:
    ///   - title: the name of the program.
    ///   - period: the time between two updates of the page, at least 100 ms. With many thousand subscriptions the time
    ///     is longer, up to 30 s, to limit the processor time of snapshots.
    ///   - documentation: the URL of the documentation that `scripts/docs.sh` has written. Warnings link to its pages.
    ///   - showsErrorTexts: whether the page shows the descriptions of errors, which may contain elements.
    ///   - scheduler: makes the snapshots while the page is open.
    public convenience init(
        title: String, period: RxTimeInterval = .seconds(1), documentation: String? = nil,
        showsErrorTexts: Bool = false,
        scheduler: any SchedulerType = SerialDispatchQueueScheduler(
            internalSerialQueueName: Inspector.ownQueue)
    ) {
        self.init(
            title: title, period: period, documentation: documentation, showsErrorTexts: showsErrorTexts,
            scheduler: scheduler, clock: { Int(clamping: DispatchTime.now().uptimeNanoseconds) })
    }

    init(
        title: String, period: RxTimeInterval, documentation: String? = nil, showsErrorTexts: Bool = false,
        scheduler: any SchedulerType, clock: @escaping @Sendable () -> Int
    ) {
        self.title = title
        self.period = max(100_000_000, period.inNanoseconds)
        self.documentation = documentation.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.showsErrorTexts = showsErrorTexts
        self.scheduler = scheduler
        self.clock = clock
        Subscriptions.areListed = true
    }

    deinit {
        let (viewers, timer, observation) = state.withLock { ($0.viewers, $0.timer, $0.observation) }
        timer?.dispose()
        observation?.disposable.dispose()
        for viewer in viewers.values { viewer.finish() }
    }

    // MARK: Requests

    /// Answers a request. Accept only GET, and only from callers who may see internal data of the program.
    ///
    /// - Parameter path: the path below the place where the inspector is mounted: `/` or nothing for the page,
    ///   `/events` for its server-sent events, `/snapshot.json` for one snapshot. A query is ignored.
    /// - Returns: the response. For `/events`, the inspector takes snapshots until the last viewer has left.
    public func respond(to path: String) -> InspectorResponse {
        switch path.prefix(while: { $0 != "?" }).drop(while: { $0 == "/" }) {
        case "", "index.html": InspectorResponse("text/html; charset=utf-8", .bytes(InspectorPage.bytes))
        case "events": InspectorResponse("text/event-stream", .events(view()))
        case "snapshot.json": InspectorResponse("application/json", .bytes(Array(snapshotJSON().utf8)))
        default: InspectorResponse(status: 404, "text/plain; charset=utf-8", .bytes(Array("no such page\n".utf8)))
        }
    }

    /// Returns a snapshot as a JSON object. Rates are averages since the previous snapshot, and 0 in the first. A
    /// snapshot takes some microseconds for each live subscription.
    public func snapshotJSON() -> String {
        let now = clock()
        if let json = looker.withLock({ $0.latest.flatMap { now - $0.time < Self.freshness ? $0.json : nil } }) {
            return json
        }
        return look().json
    }

    var viewers: Int { state.withLock { $0.viewers.count } }

    private func view() -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(2))
        let (id, timer) = state.withLock { state -> (Int, SerialDisposable?) in
            state.latestViewer += 1
            state.viewers[state.latestViewer] = continuation
            guard state.timer == nil else { return (state.latestViewer, nil) }
            state.timer = SerialDisposable()
            return (state.latestViewer, state.timer)
        }
        continuation.onTermination = { [weak self] _ in self?.leave(id) }
        if let timer {
            observe(timer)
            schedule(after: 0, on: timer)
        } else if let json = looker.withLock({ $0.latest?.json }) {
            continuation.yield(Self.event(json))
        }
        return stream
    }

    private func leave(_ id: Int) {
        let (viewer, timer, observation) = state.withLock { state in
            let viewer = state.viewers.removeValue(forKey: id)
            guard state.viewers.isEmpty else { return (viewer, nil as SerialDisposable?, nil as Observation?) }
            defer { (state.timer, state.observation) = (nil, nil) }
            return (viewer, state.timer, state.observation)
        }
        timer?.dispose()
        observation?.disposable.dispose()
        withExtendedLifetime(viewer) {}
        if timer != nil { looker.withLock { $0 = Looker() } }
    }

    private func observe(_ timer: SerialDisposable) {
        let hook = Resilience.observe { [weak self] source, event in
            switch event {
            case .retried: self?.state.withLock { $0.log.retries[source.name, default: 0] += 1 }
            case .changed: self?.state.withLock { $0.log.changes[source.name, default: 0] += 1 }
            default: break
            }
        }
        let observation = Observation(disposable: hook)
        let isLate = state.withLock { state in
            guard state.timer === timer else { return true }
            state.observation = observation
            return false
        }
        if isLate { hook.dispose() }
    }

    private func schedule(after nanoseconds: Int, on timer: SerialDisposable) {
        // `timer.disposable` is set before scheduling, because the action may run at once and set it again.
        let next = SingleAssignmentDisposable()
        timer.disposable = next
        next.setDisposable(
            scheduler.scheduleRelative((), dueTime: .nanoseconds(nanoseconds)) { [weak self] in
                self?.update(timer)
                return Disposables.create()
            })
    }

    private func update(_ timer: SerialDisposable) {
        let began = clock()
        let (json, lookUps) = look()
        let event = Self.event(json)
        // Excludes the time of look-ups, because a subscription's places are looked up only once.
        let pause = min((clock() - began - lookUps) * Self.pausePerLook, Self.longestPause)
        let viewers = state.withLock { $0.timer === timer ? Array($0.viewers.values) : [] }
        if viewers.isEmpty { return }
        for viewer in viewers { viewer.yield(event) }
        schedule(after: max(period, pause), on: timer)
    }

    private static func event(_ json: String) -> [UInt8] { Array("data: \(json)\n\n".utf8) }

    // MARK: Looking

    /// Returns a snapshot, and the time that the look-up of places took.
    private func look() -> (json: String, lookUps: Int) {
        let log = state.withLock { $0.log }
        let known = looker.withLock { $0.places }
        let (input, places, lookUps) = InspectorInput.read(at: clock(), log, known, clock)
        let json = looker.withLock { looker in
            // Another thread may have stored a later snapshot.
            if let latest = looker.latest, latest.time >= input.now { return latest.json }
            looker.places = places
            let json = looker.model.snapshot(of: input).json(title: title, documentation: documentation).text
            looker.latest = (input.now, json)
            return json
        }
        return (json, lookUps)
    }

    // MARK: Records

    /// Shows a `stall`. Call it from the program's own `Hooks.watchForStalls`; ``watch(stallsLongerThan:)`` calls it
    /// too. The latest 50 stalls are kept.
    public func record(_ stall: Stall) {
        if stall.scheduler == Self.ownQueue { return }
        let stall = InspectorInput.Stall(
            at: clock(), scheduler: stall.scheduler, duration: stall.duration.inNanoseconds,
            callStack: stall.subscriptionCallStack)
        state.withLock { $0.log.add(stall) }
    }

    /// Shows a `runaway` as a warning for a minute. Call it from the program's own `Hooks.watchForRunaways`. The latest
    /// 50 runaways are kept.
    public func record(_ runaway: Runaway) {
        let (fault, text): (InspectorInput.Runaway.Fault, String) =
            switch runaway.fault {
            case .endlessRetry(let attempts): (.retry, "It has retried \(counted(attempts, "time")) without a delay.")
            case .unlimitedInner(let alive): (.inner, "It has \(counted(alive, "inner sequence")) at once.")
            case .loop(let elements): (.loop, "It has sent \(counted(elements, "element")) to itself.")
            }
        let subject = (runaway.outer ?? runaway.subscription).operators.joined(separator: " > ")
        let found = InspectorInput.Runaway(at: clock(), fault: fault, subject: subject, text: text)
        state.withLock { $0.log.add(found) }
    }

    /// Shows an `error`. Call it where the program handles errors. The latest 50 errors are kept; consecutive equal
    /// errors count as one. ``watch(stallsLongerThan:)`` calls it for unhandled errors. Leave
    /// `subscriptionCallStack` empty if it is unknown.
    public func record(_ error: any Error, subscriptionCallStack: [String] = []) {
        let failure = InspectorInput.Failure(
            at: clock(), type: "\(type(of: error))", text: showsErrorTexts ? "\(error)" : nil,
            trail: Checkpoint.trail(of: error), callStack: subscriptionCallStack)
        state.withLock { $0.log.add(failure) }
    }

    /// Begins to record unhandled errors and stalls.
    ///
    /// Unhandled errors still go to the handler that was set before. The watch for stalls replaces the program's own
    /// `Hooks.watchForStalls`, and costs two readings of the clock for each job, even while no page is open.
    ///
    /// - Parameter limit: how long a job may block its scheduler; nil to leave the watch for stalls unchanged.
    /// - Returns: a disposable that ends the recording. Releasing it has no effect.
    public func watch(stallsLongerThan limit: RxTimeInterval? = .milliseconds(100)) -> any Disposable {
        let isOver = BooleanDisposable()
        let before = Hooks.defaultErrorHandler
        Hooks.defaultErrorHandler = { [weak self] callStack, error in
            if !isOver.isDisposed { self?.record(error, subscriptionCallStack: callStack) }
            before(callStack, error)
        }
        let stalls = limit.map { Hooks.watchForStalls(longerThan: $0) { [weak self] stall in self?.record(stall) } }
        return Disposables.create(isOver, stalls ?? Disposables.create())
    }
}

struct InspectorLog: Sendable {
    static let most = 50
    private(set) var stalls: [InspectorInput.Stall] = []
    private(set) var failures: [InspectorInput.Failure] = []
    private(set) var runaways: [InspectorInput.Runaway] = []
    var retries: [String: Int] = [:]
    var changes: [String: Int] = [:]

    mutating func add(_ stall: InspectorInput.Stall) { stalls = (stalls + [stall]).suffix(Self.most) }
    mutating func add(_ runaway: InspectorInput.Runaway) { runaways = (runaways + [runaway]).suffix(Self.most) }

    mutating func add(_ failure: InspectorInput.Failure) {
        var failure = failure
        if let last = failures.last, last.type == failure.type, last.text == failure.text, last.trail == failure.trail {
            failure.count = last.count + 1
            failures.removeLast()
        }
        failures = (failures + [failure]).suffix(Self.most)
    }
}
