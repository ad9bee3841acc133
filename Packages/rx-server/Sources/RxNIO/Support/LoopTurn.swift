import NIOCore

/// What an event loop runs once, or lets go of because it has been shut down.
protocol LoopWork: AnyObject, Sendable {
    /// Does the work, on the loop.
    func run()

    /// Called in place of ``run()`` where the loop never will, on any thread. A timer that is cancelled is dropped as
    /// well, under a lock of the loop's: what is disposed of already does nothing then, and calls nobody.
    func drop()
}

/// The turn that a loop owes to some work.
///
/// Only the loop keeps it. A loop that has been shut down says so in no other way that holds for all loops, timers and
/// tasks: it lets go of what it does not run, and so a turn that is freed unrun drops its work.
///
/// Guard: `work` is the loop's until it runs the turn or frees it.
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

/// Two closures as ``LoopWork``.
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
    /// Runs some work in a turn of its own, behind what waits already.
    func take(_ work: any LoopWork) {
        let turn = LoopTurn(work)
        execute { turn.run() }
    }

    /// Calls one of two closures: the first on the loop, in a turn of its own, or the second, where it has been shut
    /// down.
    func call(_ work: @escaping @Sendable () -> Void, orWhenShutDown drop: @escaping @Sendable () -> Void) {
        take(LoopCall(work, drop))
    }
}
