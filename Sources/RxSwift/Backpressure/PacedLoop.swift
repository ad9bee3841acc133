internal import CRxCore

/// The loop of a cold source in a scope. It sends one element at a time, and before each it checks whether its chain is
/// paused.
///
/// Its first turns run where the loop would run without a scope. After it has parked, it resumes at its
/// resumeScheduler, on a trampoline of its own.
///
/// Guards: as ``ColdLoop``: one turn at a time. Parking passes the loop to the thread that resumes it.
final class PacedLoop<Element>: FlowJob, @unchecked Sendable {  // because of the guard above
    private let loop: ColdLoop<Element>
    private let source: PausableSource
    /// Whether it runs on its scheduler from the start.
    private let isForeign: Bool
    private let budget: Int
    /// The context to restore when it does not run in its subscriber's trampoline.
    private let captured = CapturedContext.capture()

    /// - Parameter scheduler: the scheduler on which it runs; nil for the trampoline of the subscriber's thread.
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

    /// Sends up to `budget` elements; false if the loop is parked or has ended.
    fileprivate func send(_ budget: Int) -> Bool {
        let chain = loop.sink.chain
        for _ in 0..<budget {
            let word = crx_pause_word(chain)
            if crx_lifetime_is_over(word) { return false }
            if crx_pause_is_paused(word) {
                switch source.park(self) {
                case .parked, .over: return false
                case .goesOn: break
                }
            }
            guard loop.advance(loop, false) else { return false }
            if Trampoline.hasWaiting { break }
        }
        return true
    }

    /// Disposes of the chain, because the scheduler has been shut down and no more elements can come.
    override func drop() {
        ChainLifetime.of(loop.sink.chain)._withUnsafeGuaranteedRef { $0.dispose() }
    }

    /// The turns before the first parking, on the trampoline of the subscribing thread.
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
