import RxSwift

/// Decides when a permit is free. Unless noted otherwise, a requirement is called under the lock of the
/// ``PermitQueue``, so it must make no call-out. Times are nanoseconds.
protocol PermitRule: Sendable {
    static var kind: Resilience.Kind { get }
    var name: String { get }

    /// Takes a permit and returns the current *era*, a number that the rule may increase; nil if no permit is free.
    /// `giveBack` receives this era, and may ignore a permit of an earlier era.
    mutating func take(at now: Int) -> Int?

    mutating func giveBack(of era: Int, unused: Bool)

    /// Whether one more request may wait behind `count` waiting requests.
    func mayWait(_ count: Int) -> Bool

    /// Returns the nanoseconds until a permit is free, assuming that no call ends; nil if time adds no permits.
    func pause(at now: Int) -> Int?

    /// The error for a further request. Called without the lock.
    func refusal(at now: Int, waiting count: Int) -> any Error
}

/// A queue of requests that wait for permits. Requests start in order of arrival, and no thread waits. If the rule
/// depends on time, the alarm starts waiting requests. Otherwise, a thread starts them when it returns a permit,
/// submits a later request or changes the rule.
///
/// Guards: the lock of `state` protects the rule, the queue, the alarm, and the stage of each request (see
/// ``PermitRequest``). Requests are started, refused and released, and timers are set, without the lock.
///
/// 1. *Returned once*: a permit is taken with the step to *starting*. It is returned with the step from *starting* to
///    *over*, or with the step that leaves *abandoned* or *running*. All steps are made under the lock.
/// 2. *Disposed of while it gets a permit*: the disposing thread first makes `isWanted` false, then reads the request's
///    stage. A waiting request leaves the queue without a permit. If the request is starting, the starting thread sees
///    that `isWanted` is false or, after `start()`, sees the stage *abandoned*. The starting thread then returns the
///    permit.
/// 3. *No request is forgotten*: if a permit is free while requests wait, a thread is in `serve`, `change` or `settle`,
///    and will dequeue the next request. But `settle` may call `passOn` first, and `passOn` may block until a later
///    request has started. So a thread that submits a request serves the queue itself, unless it is in the loop of
///    claim 4.
/// 4. *No nesting*: if a request ends during its own `start()`, on the same thread, that thread starts the next
///    requests in the loop of `serve`. The loop also starts requests that the thread submits between the end and the
///    return of `start()`. In this period, `startingEnded` contains a request whose `starter` is this thread.
/// 5. *An end is passed on* after at most one other request has been started. If the end waited for the loop of
///    `serve`, new requests could delay it for ever.
/// 6. *If the rule depends on time*: a thread that enqueues or starts a request, returns a permit or changes the rule,
///    sets the alarm for the next permit. The alarm starts waiting requests on the scheduler. If the scheduler has
///    several threads, a slow start delays no other request. While requests wait, a free permit stays unused until the
///    alarm fires.
// @unchecked Sendable because `state` is Sendable, the other properties never change, and any thread may use
// `scheduler`.
final class PermitQueue<Rule: PermitRule>: PermitKeeper, @unchecked Sendable {
    private struct State {
        var rule: Rule
        var line = Line<PermitRequest>()
        var alarm = Alarm()
        /// Requests that ended during their own `start()`, on the same thread.
        var startingEnded: [PermitRequest] = []

        mutating func nextInLine(at time: Int) -> PermitRequest? {
            guard !line.isEmpty, let era = rule.take(at: time) else { return nil }
            let request = line.removeFirst()
            request?.begin(era)
            return request
        }

        mutating func note(_ started: PermitRequest, hasBegun: Bool) {
            switch started.stage {
            case .starting where hasBegun: started.stage = .running
            case .starting, .abandoned:
                started.stage = .over
                rule.giveBack(of: started.era, unused: !hasBegun)
            default:
                startingEnded.removeAll { $0 === started }
            }
        }

        mutating func setAlarm(at now: Int) -> Timers {
            guard !line.isEmpty, let pause = rule.pause(at: now) else { return Timers(old: alarm.disarm()) }
            let (old, new) = alarm.move(to: now.advanced(bySaturating: pause))
            return Timers(old: old, new: new, pause: max(0, pause))
        }
    }

    private struct Timers {
        var old: SingleAssignmentDisposable?
        var new: SingleAssignmentDisposable?
        var pause = 0
    }

    private enum Answer {
        case granted(PermitRequest), left
        case refused(Rule, waiting: Int)
        case waits(Timers)
    }

    private let state: Locked<State>
    private let scheduler: (any SchedulerType)?
    /// The rule's clock; nil if the rule does not depend on time.
    private let clock: SpanClock?
    private let stopwatch: SpanClock
    private let name: String

    init(_ rule: Rule, scheduler: (any SchedulerType)?, stopwatch: SpanClock) {
        state = Locked(State(rule: rule))
        self.scheduler = scheduler
        clock = scheduler.map { SpanClock($0) }
        self.stopwatch = stopwatch
        name = rule.name
    }

    var waiting: Int { state.withLock { $0.line.count } }

    func read<Value>(_ path: (Rule) -> Value) -> Value { path(state.withLock { $0.rule }) }

    var present: (rule: Rule, waiting: Int, now: Int) {
        let now = now
        return state.withLock { ($0.rule, $0.line.count, now) }
    }

    /// Changes the rule, then starts the requests for which there is a permit. If the rule depends on time, sets the
    /// alarm instead. `body` runs under the lock, so it must make no call-out.
    func change(_ body: (inout Rule, _ now: Int) -> Void) {
        let now = now
        state.withLock { body(&$0.rule, now) }
        serve(nil)
    }

    func submit(_ request: PermitRequest) {
        if Resilience.isObserved { request.asked = stopwatch.now }
        let now = now
        let answer: Answer = state.withLock { state in
            guard request.stage == .fresh else { return .left }
            if state.line.isEmpty, let era = state.rule.take(at: now) {
                request.begin(era)
                return .granted(request)
            }
            guard request.waitsAnyway || state.rule.mayWait(state.line.count) else {
                request.stage = .over
                return .refused(state.rule, waiting: state.line.count)
            }
            request.stage = .waiting
            state.line.append(request)
            if clock == nil, !state.startingEnded.contains(where: { $0.starter == ThreadIdentity.current }),
                let first = state.nextInLine(at: now)
            {
                return .granted(first)
            }
            return .waits(state.setAlarm(at: now))
        }
        switch answer {
        case .granted(let first): serve(first)
        case .left: request.hasLeft()
        case .refused(let rule, let count):
            Resilience.tell(Rule.kind, name, .rejected)
            request.refuse(rule.refusal(at: now, waiting: count))
        case .waits(let timers): set(timers)
        }
    }

    func settle(_ request: PermitRequest, _ ending: Ending, passOn: () -> Void) {
        let isDisposed = if case .disposed = ending { true } else { false }
        let isUnused = if case .unused = ending { true } else { false }
        if isDisposed {
            withdraw(request)
            reportWithdrawal(request)
        }
        let isFree = state.withLock { state in
            switch request.stage {
            case .starting where isDisposed:
                request.stage = .abandoned
                return false
            case .starting, .running:
                let isFree = request.stage == .running || request.starter != ThreadIdentity.current
                if !isFree { state.startingEnded.append(request) }
                request.stage = .over
                state.rule.giveBack(of: request.era, unused: isUnused)
                return isFree
            default:
                return false
            }
        }
        guard isFree, let first = next() else { return passOn() }
        let hasBegun = start(first)
        state.withLock { $0.note(first, hasBegun: hasBegun) }
        passOn()
        serve(nil)
    }

    func withdraw(_ request: PermitRequest) {
        let hasLeft = state.withLock { state in
            defer { if request.stage == .fresh || request.stage == .waiting { request.stage = .over } }
            guard request.stage == .waiting else { return false }
            state.line.remove(request)
            request.isWithdrawn = true
            return true
        }
        if hasLeft { request.hasLeft() }
    }

    /// Sends the event `withdrawn`, and stops the timer if no other request waits.
    func reportWithdrawal(_ request: PermitRequest) {
        let (isWithdrawn, timer) = state.withLock { state -> (Bool, SingleAssignmentDisposable?) in
            guard exchange(&request.isWithdrawn, with: false) else { return (false, nil) }
            return (true, state.line.isEmpty ? state.alarm.disarm() : nil)
        }
        timer?.dispose()
        if isWithdrawn { Resilience.tell(Rule.kind, name, .withdrawn(waited: waited(request))) }
    }

    private func start(_ request: PermitRequest) -> Bool {
        // One disposal may end several calls. The first of them may pass its permit to a call that is about to be
        // disposed of.
        guard request.isWanted else {
            Resilience.tell(Rule.kind, name, .withdrawn(waited: waited(request)))
            return false
        }
        Resilience.tell(Rule.kind, name, .admitted(waited: waited(request)))
        return request.start()
    }

    private func waited(_ request: PermitRequest) -> RxTimeInterval {
        stopwatch.elapsed(since: request.asked)
    }

    private func serve(_ granted: PermitRequest?, atAlarmFor alarm: Int? = nil) {
        var request = granted
        repeat {
            let hasBegun = request.map { start($0) } ?? true
            request = next(after: request, hasBegun: hasBegun, atAlarmFor: alarm)
        } while request != nil
    }

    /// Records whether `started` has begun, then dequeues the next request if there is a permit for it. If the rule
    /// depends on time and `alarm` is nil, dequeues nothing, because only the alarm starts waiting requests.
    private func next(after started: PermitRequest? = nil, hasBegun: Bool = true, atAlarmFor alarm: Int? = nil)
        -> PermitRequest?
    {
        let now = now
        let time: Int? = if let clock { alarm.map { clock.time(now, atAlarmFor: $0) } } else { now }
        let (request, timers) = state.withLock { state in
            if let started { state.note(started, hasBegun: hasBegun) }
            let request = time.flatMap { state.nextInLine(at: $0) }
            return (request, state.setAlarm(at: now))
        }
        set(timers)
        return request
    }

    private func set(_ timers: Timers) {
        timers.old?.dispose()
        guard let timer = timers.new, let scheduler else { return }
        timer.setDisposable(
            scheduler.scheduleRelative((), dueTime: .span(timers.pause)) { [weak timer] in
                if let timer, let moment = self.state.withLock({ $0.alarm.ring(timer) }) {
                    self.serve(nil, atAlarmFor: moment)
                }
                return Disposables.create()
            })
    }

    /// The time on the rule's clock. Never read under the lock, because the clock may belong to a scheduler from
    /// outside the library.
    private var now: Int { clock?.now ?? 0 }
}
