/// The error of a wait that could never end, because its events must pass a thread or queue that the waiting thread
/// blocks.
///
/// The operators of ``BlockingObservable`` throw it at once if they detect such a wait; ``BlockingObservable`` lists
/// the cases.
public struct DeadlockError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Names the blocked thread or queue and suggests a remedy.
    public let description: String

    init(waitingOn what: String) {
        description = """
            toBlocking() would wait forever: the events of this sequence arrive on \(what), which the waiting code \
            itself blocks. Wait on another thread, or observe (or subscribe) on another scheduler.
            """
    }
}
