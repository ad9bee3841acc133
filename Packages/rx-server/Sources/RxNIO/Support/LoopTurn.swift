import NIOCore

/// Work that an event loop runs once, or drops if the loop has been shut down.
protocol LoopWork: AnyObject, Sendable {
    func run()

    /// Called on any thread instead of ``run()``. If a timer is cancelled, the loop calls this method while it holds a
    /// lock. In this case, the work is already disposed of, and the method must not call user code.
    func drop()
}

/// Only the loop retains a turn. A loop that has been shut down releases its turns without running them, and gives no
/// other signal. So a turn that is freed before it runs drops its work.
///
/// Guard: `work` belongs to the loop until it runs the turn or frees it.
final class LoopTurn: NIOScheduledCallbackHandler, @unchecked Sendable {  // because of the guard
    private var work: (any LoopWork)?

    init(_ work: any LoopWork) {
        self.work = work
    }

    deinit {
        work?.drop()
    }

    func run() {
        work.take()?.run()
    }

    func handleScheduledCallback(eventLoop _: some EventLoop) {
        run()
    }
}

private final class LoopCall: LoopWork {
    private let call: @Sendable () -> Void
    private let whenShutDown: @Sendable () -> Void

    init(_ call: @escaping @Sendable () -> Void, _ whenShutDown: @escaping @Sendable () -> Void) {
        self.call = call
        self.whenShutDown = whenShutDown
    }

    func run() {
        call()
    }

    func drop() {
        whenShutDown()
    }
}

extension EventLoop {
    /// Runs `work` after all waiting tasks, in a separate turn.
    func take(_ work: any LoopWork) {
        let turn = LoopTurn(work)
        execute { turn.run() }
    }

    /// Calls `work` in a separate turn of the loop, or `drop` if the loop has been shut down.
    func call(_ work: @escaping @Sendable () -> Void, orWhenShutDown drop: @escaping @Sendable () -> Void) {
        take(LoopCall(work, drop))
    }
}
