public import CRxCore

/// A source whose job checks for pauses. During a pause, the job is *parked* in `parked`, and the thread that ends the
/// pause queues it.
///
/// Guards: the running job owns `parked` until the *parked* bit is set. Then the thread that notifies the source, or
/// the thread that disposes of the chain, owns it. The notification clears the bit; the disposal does not.
@usableFromInline
class PausableSource: Upstream {
    /// Unretained: the running job, and each thread that notifies the source or disposes of the chain, retain the
    /// chain.
    @usableFromInline
    final let chain: UnsafeMutablePointer<crx_chain>
    private final var parked: FlowJob?

    init(_ lifetime: ChainLifetime) {
        chain = lifetime.chain
        crx_pause_set_pausable(chain)
    }

    @usableFromInline
    enum Parking {
        /// The job must return: another thread may already run it.
        case parked
        case goesOn
        case over
    }

    /// Parks the job if the chain is paused and `goesOn` is false.
    final func admits(_ job: FlowJob, unless goesOn: @autoclosure () -> Bool = false) -> Parking {
        let word = crx_pause_word(chain)
        if crx_lifetime_is_over(word) { return .over }
        return crx_pause_is_paused(word) && !goesOn() ? park(job) : .goesOn
    }

    @usableFromInline
    final func park(_ job: FlowJob) -> Parking {
        parked = job
        switch crx_pause_park(chain) {
        case CRX_PARK_DONE: return .parked
        case CRX_PARK_OPEN:
            parked = nil
            return .goesOn
        default:
            parked = nil
            return .over
        }
    }

    @usableFromInline
    func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        if let job = parked.take() { worklist.queue(job) }
    }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        if crx_pause_is_parked(crx_lifetime_word(chain)) { parked.take()?.drop() }
    }

    @usableFromInline
    func halt() {}

    @usableFromInline
    var sourceName: String { "the source" }
}

/// The source of a chain that `upper` feeds. Passes pauses, halts and disposals on to `upper`.
class UpperChain: Upstream {
    final let upper: ChainLifetime
    /// Called with `paused`, `resumed` or `isDisposed`, so that `debug` can print the word.
    private let report: ((StaticString) -> Void)?

    init(_ upper: ChainLifetime, reporting report: ((StaticString) -> Void)? = nil) {
        self.upper = upper
        self.report = report
    }

    func dispose(key _: UnsafeMutableRawPointer?) {
        report?("isDisposed")
        upper.dispose()
    }

    final func halt() {
        upper.halt()
    }

    final func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        report?(isPaused ? "paused" : "resumed")
        worklist.setHeld(isPaused, upper)
    }
}

/// Pauses the chain `source` while at least `threshold` of the chains below it are paused.
///
/// Guards: the lock of `paused` protects `paused`, the variables of each ``PauseVote``, and each change of the *full*
/// bit of `source`, so the bit matches the latest count.
final class PauseVotes: Sendable {
    let source: ChainLifetime
    private let threshold: Int
    private let paused = Locked(0)

    init(pausing source: ChainLifetime, threshold: Int) {
        self.source = source
        self.threshold = threshold
    }

    fileprivate func set(_ vote: PauseVote, _ isPaused: Bool, isLast: Bool, _ worklist: inout PauseWorklist) {
        paused.withLock { paused in
            if vote.isOver { return }
            vote.isOver = isLast
            guard vote.isPaused != isPaused else { return }
            vote.isPaused = isPaused
            paused += isPaused ? 1 : -1
            worklist.setFull(paused >= threshold, source)
        }
    }
}

/// The source of one chain below. Reports the pauses of that chain to the ``PauseVotes``.
class PauseVote: Upstream, @unchecked Sendable {  // see the guards of PauseVotes
    let votes: PauseVotes
    fileprivate var isPaused = false
    fileprivate var isOver = false

    init(_ votes: PauseVotes) {
        self.votes = votes
    }

    final func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        votes.set(self, isPaused, isLast: false, &worklist)
    }

    func dispose(key: UnsafeMutableRawPointer?) {
        var worklist = PauseWorklist(turnOf: nil)
        votes.set(self, false, isLast: true, &worklist)
        worklist.notifyAll()
    }

    func halt() {}

    var sourceName: String { "the source" }
}

extension Observable {
    /// If `chain`, the chain below, is paused, returns ``pausable``, because a ``Scalar`` would send at once. Otherwise
    /// returns `self`.
    @inlinable
    @inline(__always)
    final func startable(for chain: UnsafeMutablePointer<crx_chain>) -> Observable<Element> {
        crx_pause_is_paused(crx_pause_word(chain)) ? pausable : self
    }

    /// If this is a `Scalar`, a sequence that sends the same element and can be paused; otherwise `self`.
    @usableFromInline
    final var pausable: Observable<Element> {
        Scalar.known(in: self).map { From(CollectionOfOne($0), CurrentThreadScheduler.instance) } ?? self
    }
}

extension SubscribeContext {
    /// Returns the action of a periodic timer. The action sends its argument, a count, and returns the next count. In a
    /// scope, it sends nothing during a pause.
    func ticks<Element: RxAbstractInteger>(into observer: SerializedObserver<Element>) -> (Element) -> Element {
        guard isInScope else {
            return { count in
                observer.enter(count)
                return count &+ 1
            }
        }
        crx_pause_set_pausable(lifetime.chain)
        return { [weak lifetime] count in
            if let lifetime, !crx_pause_is_paused(crx_pause_word(lifetime.chain)) { observer.enter(count) }
            return count &+ 1
        }
    }
}

/// The loop of a cold source in a scope. It checks for a pause before each element.
///
/// Until the first pause, the loop runs on the same thread as without a scope. Then it runs on its `resumeScheduler`,
/// in its own trampoline.
///
/// Guards: only the running turn uses the state; the scheduler runs one turn at a time.
final class PacedLoop<Element>: FlowJob, @unchecked Sendable {  // see the guards above
    private let loop: ColdLoop<Element>
    private let source: PausableSource
    /// Whether the loop runs on `resumeScheduler` from the start.
    private let isForeign: Bool
    private let budget: Int
    /// The subscribing thread's context, restored in each turn on `resumeScheduler`.
    private let captured = CapturedContext.capture()

    /// - Parameter scheduler: the scheduler of the loop; nil for the trampoline of the subscribing thread.
    init(
        _ loop: ColdLoop<Element>, on scheduler: (any ImmediateSchedulerType)?, _ context: SubscribeContext,
        _ scope: FlowScope
    ) {
        self.loop = loop
        isForeign = scheduler != nil
        source = PausableSource(context.lifetime)
        let resumeScheduler = scheduler.map { ResumeScheduler($0) } ?? scope.resumeScheduler
        budget = scheduler != nil ? resumeScheduler.budget(64) : resumeScheduler.queue == nil ? .max : 64
        super.init(resumeScheduler: resumeScheduler) { unsafeDowncast($0, to: PacedLoop<Element>.self).advance() }
        context.feed(from: source)
    }

    func start() {
        if isForeign { resumeScheduler.enqueue(self) } else { Trampoline.enqueue(Beginning(self)) }
    }

    private func advance() -> Bool {
        guard let captured else { return sendTurn() }
        var goesOn = false
        captured.run { goesOn = sendTurn() }
        return goesOn
    }

    private func sendTurn() -> Bool {
        if isForeign || Trampoline.isRunning { return send(budget) }
        var goesOn = false
        Trampoline.run { goesOn = send(budget) }
        return goesOn
    }

    /// Sends at most `budget` elements. Returns false if the loop is parked or has ended.
    fileprivate func send(_ budget: Int) -> Bool {
        for _ in 0..<budget {
            guard source.admits(self) == .goesOn, loop.advance(loop, false) else { return false }
            if Trampoline.hasWaiting { break }
        }
        return true
    }

    override func drop() {
        loop.sink.disposeChain()
    }

    /// Runs the loop on the subscribing thread's trampoline, until the loop is first parked.
    private final class Beginning: ScheduledJob, @unchecked Sendable {  // immutable
        let paced: PacedLoop<Element>

        init(_ paced: PacedLoop<Element>) {
            self.paced = paced
            super.init()
        }

        override func run() {
            if paced.send(.max) { Trampoline.enqueue(self) }
        }
    }
}
