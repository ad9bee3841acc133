/// The error of a wait whose events must pass a thread or queue that the waiting thread blocks.
///
/// ``BlockingObservable`` lists the detected cases.
public struct DeadlockError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The blocked thread or queue, and a remedy.
    public let description: String

    init(waitingOn what: String) {
        description = """
            toBlocking() would wait forever: the events of this sequence arrive on \(what), which the waiting code \
            itself blocks. Wait on another thread, or observe (or subscribe) on another scheduler.
            """
    }
}
