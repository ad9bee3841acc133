internal import CRxCore

/// The loop of a cold source in a scope. It sends one element at a time, and before each it checks whether its chain is
/// paused.
///
/// Its first turns run where the loop would run without a scope. After it has parked, it resumes at its home, on a
/// trampoline of its own.
///
/// Guards: as ``ColdLoop``: one turn at a time. Parking passes the loop to the thread that resumes it.
final class PacedLoop<Element>: FlowJob, @unchecked Sendable {  // because of the guard above
    private let loop: ColdLoop<Element>
    private let source: PollingSource
    /// Whether it runs on its scheduler from the start.
    private let isForeign: Bool
    private let budget: Int
    /// The context to restore when it does not run in its subscriber's trampoline.
    private let context = HopContext.capture()

    /// - Parameter scheduler: the scheduler on which it runs; nil for the trampoline of the subscriber's thread.
    init(
        _ loop: ColdLoop<Element>, on scheduler: (any ImmediateSchedulerType)?, _ assembly: Assembly, _ scope: FlowScope
    ) {
        self.loop = loop
        isForeign = scheduler != nil
        source = PollingSource(assembly.disposer)
        let home = scheduler.map { FlowHome($0) } ?? scope.home
        budget = scheduler != nil ? home.budget(64) : home.queue == nil ? .max : 64
        super.init(home: home) { unsafeDowncast($0, to: PacedLoop<Element>.self).advance() }
        assembly.feed(from: source)
    }

    func start() {
        if isForeign { home.enqueue(self) } else { Trampoline.enqueue(Beginning(self)) }
    }

    private func advance() -> Bool {
        guard let context else { return sendTurn() }
        var goesOn = false
        context.run { goesOn = sendTurn() }
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
            let word = crx_state_load_relaxed(chain)
            if word & UInt(CRX_CHAIN_OVER) != 0 { return false }
            if word & UInt(CRX_CHAIN_REASONS) != 0 {
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
        SinkDisposer.of(loop.sink.chain)._withUnsafeGuaranteedRef { $0.dispose() }
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
