import RxSwift

/// How the subscription, or the work, that had a permit came to its end.
enum Ending {
    case completed
    case failed(any Error)
    /// Disposed of, or its task cancelled: neither a success nor a failure.
    case disposed
    /// It had its permit, and has not begun with anything.
    case unused
}

/// Who gives out permits. Its own lock guards the ``Claim/stage`` of each claim that it was handed.
protocol PermitKeeper: AnyObject, Sendable {
    /// Decides about a new claim, once: it is started, refused, or told to wait.
    func submit(_ claim: Claim)

    /// The claim's subscription is over, and what it had in use is torn down. The first call counts, and gives the
    /// permit back, if the claim has one.
    ///
    /// - Parameter passOn: tells the end to who waits for it. Called once, without a lock, when the permit is back and
    ///   at most one other claim has been started: the end does not wait for all that follow.
    func settle(_ claim: Claim, _ ending: Ending, passOn: () -> Void)

    /// The claim does not wait any longer; one that has its permit keeps it.
    func withdraw(_ claim: Claim)
}

extension PermitKeeper {
    func settle(_ claim: Claim, _ ending: Ending) {
        settle(claim, ending, passOn: {})
    }
}

/// What belongs to one subscription, or to one `run`: its claim to a permit, and then the permit.
///
/// | stage | meaning | entered by |
/// |---|---|---|
/// | fresh | not submitted | the making |
/// | waiting | in line, without a permit | `submit` |
/// | starting | has a permit; one thread is in `start()` | `submit`, or whoever serves the line |
/// | abandoned | given up meanwhile: that thread gives the permit back | `settle` |
/// | running | has a permit, `start()` has returned | whoever served it |
/// | over | has none, and never will | `settle`, `withdraw`, a refusal, a start that began with nothing |
///
/// So a permit is out exactly while a claim is starting, abandoned or running, and comes back with the one step that
/// leaves these.
///
/// Guards: the keeper's lock has `stage`, `starter` and the place in line; `era` and `begun` are written under it with
/// the permit, and never again.
// @unchecked Sendable because of these guards; subclasses name theirs.
class Claim: LineMember, @unchecked Sendable {
    enum Stage {
        case fresh, waiting, starting, abandoned, running, over
    }

    final let keeper: any PermitKeeper
    final var stage = Stage.fresh
    /// Which thread starts it, or has.
    final var starter: UInt = 0

    /// Whether it may wait even if the line is as long as it may be. Written before it is submitted.
    final var waitsAnyway = false

    /// Between which two changes of its keeper's state it was let in; of a circuit breaker's, when.
    final var era = 0
    final var begun = 0

    init(_ keeper: any PermitKeeper) {
        self.keeper = keeper
    }

    /// It has got a permit, and the calling thread is to start it. Under the keeper's lock.
    final func begin(_ era: Int) {
        self.era = era
        stage = .starting
        starter = ThreadIdentity.current
    }

    /// Begins what the permit is for, unless it was disposed of. Called by one thread, without a lock.
    ///
    /// - Returns: whether it has begun.
    func start() -> Bool {
        fatalError("\(#function) must be overridden")
    }

    /// There is no permit for it, now or later.
    func refuse(_ error: any Error) {
        fatalError("\(#function) must be overridden")
    }

    /// It has left without a permit, because it was withdrawn or disposed of.
    func hasLeft() {}
}
