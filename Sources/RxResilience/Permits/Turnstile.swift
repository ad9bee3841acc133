import RxSwift

/// When there is a permit: what a ``Turnstile`` asks under its lock, and so calls nobody. Times are nanoseconds.
protocol PermitRule: Sendable {
    /// Takes a permit, if there is one, and says of which era it is.
    mutating func take(at now: Int) -> Int?

    /// A permit comes back, at the end of what it was for, or unused.
    mutating func giveBack(of era: Int, unused: Bool)

    /// Whether one more may wait where `count` do.
    func mayWait(_ count: Int) -> Bool

    /// How long it takes until there is a permit though none is given back; nil where that never happens.
    func pause(at now: Int) -> Int?

    /// What is said to who may not wait, where `count` do. It is called without the lock.
    func refusal(at now: Int, waiting count: Int) -> any Error
}

/// Lets claims in as a rule has permits: first come, first served, and no thread waits.
///
/// Who waits is let in by whoever gives a permit back; where the rule has to do with time, by the alarm alone, and so
/// on the scheduler.
///
/// Guards: the lock of `state` has the rule, the line, the alarm, and the stage of each claim. Claims are started,
/// refused and released, and timers set, without it.
///
/// 1. *One step gives back*: a permit is taken with the step to *starting*, and given back with the one that leaves
///    *starting* (to *over*), *abandoned* or *running*. All steps are made under the lock, so no permit comes back
///    twice, and none is lost.
/// 2. *Disposed of while it is granted*: who disposes makes the claim unwilling to start, then asks for its stage. It
///    is still waiting: it leaves the line and never has a permit. It is starting: the starting thread sees either that
///    the claim did not start, or, afterwards, that it is abandoned, and gives the permit back in both cases.
/// 3. *Nobody is forgotten*: a permit may lie free beside a line that is not empty only while a thread is in `serve`,
///    or on its way there, passing on an end, and that takes the next one before it leaves. That end's observer may
///    wait for who comes after it, so who comes does not rely on that thread: it serves the line itself, but for 4.
/// 4. *No nesting*: a claim that ends on the thread that is starting it is followed by that thread, in a loop. Who
///    comes meanwhile on that very thread (its claim is among `startingEnded`) leaves the line to that loop.
/// 5. *An end comes*: it is passed on when one claim has been started, before that loop, which new claims may keep
///    going for ever.
/// 6. *With time*: who brings somebody to the line, takes one out for a permit, or may have given a permit back unused,
///    sets the alarm for the moment at which who is next has a permit, and starts a claim only then. So a start that
///    takes its time holds nobody up: a permit lies free until the alarm rings.
// Sendable because `state` is, and the rest never changes; `scheduler` may be used by any thread.
final class Turnstile<Rule: PermitRule>: PermitKeeper, @unchecked Sendable {
    private struct State {
        var rule: Rule
        var line = Line<Claim>()
        var alarm = Alarm()
        /// Those that have ended on the thread that is in their `start()`: it takes the next one after that.
        var startingEnded: [Claim] = []

        /// Takes the next one out of the line, if there is a permit for it. The calling thread is to start it.
        mutating func nextInLine(at time: Int) -> Claim? {
            guard !line.isEmpty, let era = rule.take(at: time) else { return nil }
            let claim = line.removeFirst()
            claim?.begin(era)
            return claim
        }

        /// Notes that a claim has been started.
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

        /// Sets the alarm for the moment at which who is next in line has a permit.
        mutating func setAlarm(at now: Int) -> Timers {
            guard !line.isEmpty, let pause = rule.pause(at: now) else { return Timers(old: alarm.disarm()) }
            let (old, new) = alarm.move(to: now.advanced(bySaturating: pause))
            return Timers(old: old, new: new, pause: max(0, pause))
        }
    }

    /// The alarm's: one to be disposed of, and one to be set.
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
    private let clock: SpanClock?

    /// - Parameter scheduler: what measures the time, where the rule has to do with time.
    init(_ rule: Rule, scheduler: (any SchedulerType)? = nil) {
        state = Locked(State(rule: rule))
        self.scheduler = scheduler
        clock = scheduler.map { SpanClock($0) }
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.line.count } }

    /// Something of the rule.
    func read<Value>(_ path: (Rule) -> Value) -> Value { path(state.withLock { $0.rule }) }

    func submit(_ claim: Claim) {
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
        case .refused(let rule, let count): claim.refuse(rule.refusal(at: now, waiting: count))
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
        let hasBegun = first.start()
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
        if hasLeft { claim.hasLeft() }
    }

    /// Starts a claim that has been granted its permit, and then who is next as long as there are permits; with time,
    /// where the alarm has rung.
    ///
    /// - Parameter alarm: the moment of the alarm that has rung, if one has.
    private func serve(_ granted: Claim?, atAlarmFor alarm: Int? = nil) {
        var claim = granted
        repeat {
            let hasBegun = claim?.start() ?? true
            claim = next(after: claim, hasBegun: hasBegun, atAlarmFor: alarm)
        } while claim != nil
    }

    /// Notes that a claim has been started, and takes the next one out of the line if there is a permit for it; with
    /// time, where the alarm has rung.
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

    /// Of the clock of another's scheduler, too, so it is never asked for under the lock.
    private var now: Int { clock?.now ?? 0 }
}
