import RxSwift

/// Decides when there is a permit. A ``Turnstile`` calls it under its lock, so it makes no call-out. Times are
/// nanoseconds.
protocol PermitRule: Sendable {
    /// The kind and the name of the object that has the rule, for its events.
    static var kind: Resilience.Kind { get }
    var name: String { get }

    /// Takes a permit, if there is one, and returns its era.
    mutating func take(at now: Int) -> Int?

    /// Returns a permit, after use or unused.
    mutating func giveBack(of era: Int, unused: Bool)

    /// Whether one more claim may wait when `count` claims wait.
    func mayWait(_ count: Int) -> Bool

    /// The time until there is a permit even if none is returned; nil if that never happens.
    func pause(at now: Int) -> Int?

    /// The error for a claim that may not wait when `count` claims do. Called without the lock.
    func refusal(at now: Int, waiting count: Int) -> any Error
}

/// Starts claims as a rule gives permits: first come, first served, and no thread waits.
///
/// A waiting claim is started by a thread that returns a permit or, as in 3, submits a later claim. If the rule depends
/// on time, only the alarm starts it, and so on the scheduler.
///
/// Guards: the lock of `state` protects the rule, the queue, the alarm, and the stage of each claim. Claims are
/// started, refused and released, and timers set, without it.
///
/// 1. *One step returns it*: a permit is taken with the step to *starting*, and returned with the step that leaves
///    *starting* (to *over*), *abandoned* or *running*. All steps are made under the lock, so no permit is returned
///    twice, and none is lost.
/// 2. *Disposed of while it is granted*: the disposing thread makes the claim unwilling to start, then reads its stage.
///    If the claim is still waiting, it leaves the queue and never has a permit. If it is starting, the starting thread
///    sees either that the claim did not start or, afterwards, that it is abandoned, and returns the permit in both
///    cases.
/// 3. *No claim is forgotten*: a permit may be free while claims wait only if a thread is in `serve`, or on its way
///    there and passing on an end. That thread dequeues the next claim before it leaves. The observer of the end may
///    wait for a later claim, so a thread that submits a claim does not rely on that thread: it serves the queue
///    itself, except in case 4.
/// 4. *No nesting*: after a claim that ends on the thread that is starting it, that thread starts the next one, in a
///    loop. A claim that is submitted on that same thread in between is left to the loop; the thread is found by its
///    claim in `startingEnded`.
/// 5. *An end is passed on* after one claim has been started, before that loop, because new claims may keep the loop
///    running for ever.
/// 6. *With time*: a thread that enqueues a claim, dequeues one for a permit, or may have returned an unused permit,
///    sets the alarm for the moment of the next permit. Waiting claims are started only by the alarm. So a slow start
///    delays no other claim. A free permit stays unused until the alarm fires.
// Sendable because `state` is, and the rest never changes; any thread may use `scheduler`.
final class Turnstile<Rule: PermitRule>: PermitKeeper, @unchecked Sendable {
    private struct State {
        var rule: Rule
        var line = Line<Claim>()
        var alarm = Alarm()
        /// The claims that have ended on the thread that is in their `start()`, which serves the queue afterwards.
        var startingEnded: [Claim] = []

        /// Dequeues the next claim, if there is a permit for it. The calling thread must start it.
        mutating func nextInLine(at time: Int) -> Claim? {
            guard !line.isEmpty, let era = rule.take(at: time) else { return nil }
            let claim = line.removeFirst()
            claim?.begin(era)
            return claim
        }

        /// Records that a claim has been started.
        mutating func note(_ started: Claim, hasBegun: Bool) {
            switch started.stage {
            case .starting where hasBegun: started.stage = .running
            case .starting, .abandoned:
                started.stage = .over
                rule.giveBack(of: started.era, unused: !hasBegun)
            default:
                startingEnded.removeAll { $0 === started }
            }
        }

        /// Sets the alarm for the moment at which there is a permit for the next claim.
        mutating func setAlarm(at now: Int) -> Timers {
            guard !line.isEmpty, let pause = rule.pause(at: now) else { return Timers(old: alarm.disarm()) }
            let (old, new) = alarm.move(to: now.advanced(bySaturating: pause))
            return Timers(old: old, new: new, pause: max(0, pause))
        }
    }

    /// The alarm's timers: one to dispose of, and one to set.
    private struct Timers {
        var old: SingleAssignmentDisposable?
        var new: SingleAssignmentDisposable?
        var pause = 0
    }

    private enum Answer {
        case granted(Claim), left
        case refused(Rule, waiting: Int)
        case waits(Timers)
    }

    private let state: Locked<State>
    private let scheduler: (any SchedulerType)?
    /// Nil if the rule does not depend on time.
    private let clock: SpanClock?
    /// Measures how long calls wait, if that is observed.
    private let stopwatch: SpanClock
    private let name: String

    /// - Parameters:
    ///   - scheduler: the scheduler that measures the time, if the rule depends on time.
    ///   - stopwatch: measures how long calls wait.
    init(_ rule: Rule, scheduler: (any SchedulerType)?, stopwatch: SpanClock) {
        state = Locked(State(rule: rule))
        self.scheduler = scheduler
        clock = scheduler.map { SpanClock($0) }
        self.stopwatch = stopwatch
        name = rule.name
    }

    /// The number of claims that wait.
    var waiting: Int { state.withLock { $0.line.count } }

    /// Reads a value from the rule.
    func read<Value>(_ path: (Rule) -> Value) -> Value { path(state.withLock { $0.rule }) }

    /// The rule, the number of claims that wait, and the time.
    var present: (rule: Rule, waiting: Int, now: Int) {
        let now = now
        return state.withLock { ($0.rule, $0.line.count, now) }
    }

    /// Changes the rule. Then starts the claims for which there is a permit now or, if the rule depends on time, sets
    /// the alarm for them.
    ///
    /// - Parameter body: called under the lock with the rule and the time, so it makes no call-out.
    func change(_ body: (inout Rule, _ now: Int) -> Void) {
        let now = now
        state.withLock { body(&$0.rule, now) }
        serve(nil)
    }

    func submit(_ claim: Claim) {
        if Resilience.isObserved { claim.asked = stopwatch.now }
        let now = now
        let answer: Answer = state.withLock { state in
            guard claim.stage == .fresh else { return .left }
            if state.line.isEmpty, let era = state.rule.take(at: now) {
                claim.begin(era)
                return .granted(claim)
            }
            guard claim.waitsAnyway || state.rule.mayWait(state.line.count) else {
                claim.stage = .over
                return .refused(state.rule, waiting: state.line.count)
            }
            claim.stage = .waiting
            state.line.append(claim)
            if clock == nil, !state.startingEnded.contains(where: { $0.starter == ThreadIdentity.current }),
                let first = state.nextInLine(at: now)
            {
                return .granted(first)
            }
            return .waits(state.setAlarm(at: now))
        }
        switch answer {
        case .granted(let first): serve(first)
        case .left: claim.hasLeft()
        case .refused(let rule, let count):
            Resilience.tell(Rule.kind, name, .rejected)
            claim.refuse(rule.refusal(at: now, waiting: count))
        case .waits(let timers): set(timers)
        }
    }

    func settle(_ claim: Claim, _ ending: Ending, passOn: () -> Void) {
        let isDisposed = if case .disposed = ending { true } else { false }
        let isUnused = if case .unused = ending { true } else { false }
        if isDisposed { withdraw(claim) }
        let isFree = state.withLock { state in
            switch claim.stage {
            case .starting where isDisposed:
                claim.stage = .abandoned
                return false
            case .starting, .running:
                let isFree = claim.stage == .running || claim.starter != ThreadIdentity.current
                if !isFree { state.startingEnded.append(claim) }
                claim.stage = .over
                state.rule.giveBack(of: claim.era, unused: isUnused)
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

    func withdraw(_ claim: Claim) {
        let (hasLeft, timer) = state.withLock { state -> (Bool, SingleAssignmentDisposable?) in
            defer { if claim.stage == .fresh || claim.stage == .waiting { claim.stage = .over } }
            guard claim.stage == .waiting else { return (false, nil) }
            state.line.remove(claim)
            return (true, state.line.isEmpty ? state.alarm.disarm() : nil)
        }
        timer?.dispose()
        guard hasLeft else { return }
        Resilience.tell(Rule.kind, name, .withdrawn(waited: waited(claim)))
        claim.hasLeft()
    }

    /// Starts a claim that has a permit.
    private func start(_ claim: Claim) -> Bool {
        Resilience.tell(Rule.kind, name, .admitted(waited: waited(claim)))
        return claim.start()
    }

    private func waited(_ claim: Claim) -> RxTimeInterval {
        stopwatch.elapsed(since: claim.asked)
    }

    /// Starts a claim that has a permit, and then the next ones while there are permits. If the rule depends on time,
    /// starts the next ones only after the alarm has fired.
    ///
    /// - Parameter alarm: the moment of the alarm that has fired, if one has.
    private func serve(_ granted: Claim?, atAlarmFor alarm: Int? = nil) {
        var claim = granted
        repeat {
            let hasBegun = claim.map { start($0) } ?? true
            claim = next(after: claim, hasBegun: hasBegun, atAlarmFor: alarm)
        } while claim != nil
    }

    /// Records that a claim has been started, and dequeues the next one if there is a permit for it. If the rule
    /// depends on time, dequeues only after the alarm has fired.
    private func next(after started: Claim? = nil, hasBegun: Bool = true, atAlarmFor alarm: Int? = nil) -> Claim? {
        let now = now
        let time: Int? = if let clock { alarm.map { clock.time(now, atAlarmFor: $0) } } else { now }
        let (claim, timers) = state.withLock { state in
            if let started { state.note(started, hasBegun: hasBegun) }
            let claim = time.flatMap { state.nextInLine(at: $0) }
            return (claim, state.setAlarm(at: now))
        }
        set(timers)
        return claim
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

    /// The clock may belong to a scheduler from outside the library, so it is never read under the lock.
    private var now: Int { clock?.now ?? 0 }
}
