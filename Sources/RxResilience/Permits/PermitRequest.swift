import RxSwift

enum Ending {
    case completed
    case failed(any Error)
    /// The request was disposed of or cancelled, which is neither a success nor a failure.
    case disposed
    /// The request had a permit, but did not use it.
    case unused
}

/// Gives permits. Its lock guards the ``PermitRequest/stage`` of its requests.
protocol PermitKeeper: AnyObject, Sendable {
    func submit(_ request: PermitRequest)

    /// Ends a request whose resources have been torn down. The first call returns the request's permit, if it has one.
    ///
    /// - Parameter passOn: passes the end on to the observer. Called once, without a lock, after the permit was
    ///   returned and at most one other request was started.
    func settle(_ request: PermitRequest, _ ending: Ending, passOn: () -> Void)

    /// Ends the wait of a request; no effect on a request with a permit. Makes no call-out, because a cancellation
    /// calls this function while the Swift runtime holds the task's lock.
    func withdraw(_ request: PermitRequest)

    /// If ``withdraw(_:)`` has ended the wait, sends the event `withdrawn`. Called without a lock.
    func reportWithdrawal(_ request: PermitRequest)
}

extension PermitKeeper {
    func settle(_ request: PermitRequest, _ ending: Ending) {
        settle(request, ending, passOn: {})
    }

    func reportWithdrawal(_ request: PermitRequest) {}
}

/// The request of one subscription or one `run`.
///
/// | stage | meaning | entered by |
/// |---|---|---|
/// | fresh | not submitted | `init` |
/// | waiting | in the queue, without a permit | `submit` |
/// | starting | has a permit; one thread is in `start()` | `submit`, or the thread that serves the queue |
/// | abandoned | disposed of during `start()`; the thread in `start()` returns the permit | `settle` |
/// | running | has a permit, `start()` has returned | the thread that called `start()` |
/// | over | has no permit, and never will | `settle`, `withdraw`, a refusal, a `start()` that returned false |
///
/// A permit is in use exactly while a request is starting, abandoned or running. A ``CircuitBreaker`` uses only the
/// stages fresh, running and over.
///
/// Guards: the keeper's lock protects `stage`, `starter`, `isWithdrawn` and the place in the queue. `era` and `begun`
/// are written once, under that lock, when the permit is given. `asked` and `waitsAnyway` are written before the
/// request is submitted.
// @unchecked Sendable because of these guards; subclasses list their own guards.
class PermitRequest: LineMember, @unchecked Sendable {
    enum Stage {
        case fresh, waiting, starting, abandoned, running, over
    }

    final let keeper: any PermitKeeper
    final var stage = Stage.fresh
    final var starter: UInt = 0
    /// Whether the event `withdrawn` is still to be sent.
    final var isWithdrawn = false

    /// Whether the request is enqueued even if the queue is full.
    final var waitsAnyway = false

    /// The time of submission; nil without an observer of ``Resilience/observe(_:)``.
    final var asked: Int?

    /// `era` is the keeper's era when the permit was given; `begun` is the time at which a circuit breaker admitted the
    /// call.
    final var era = 0
    final var begun = 0

    init(_ keeper: any PermitKeeper) {
        self.keeper = keeper
    }

    /// Gives the request a permit. Called under the keeper's lock; the caller must then start the request.
    final func begin(_ era: Int) {
        self.era = era
        stage = .starting
        starter = ThreadIdentity.current
    }

    /// False once the request has been disposed of. Called on any thread.
    var isWanted: Bool { true }

    /// Starts the call. Returns false if the request was disposed of before. Called once, without a lock.
    func start() -> Bool {
        fatalError("\(#function) must be overridden")
    }

    func refuse(_ error: any Error) {
        fatalError("\(#function) must be overridden")
    }

    /// Called when a disposal or a cancellation has ended the request before it had a permit. Makes no call-out.
    func hasLeft() {}
}
