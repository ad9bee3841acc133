/// A wait that could never end: what it waits for comes by way of something that the waiting thread itself holds up.
///
/// The operators of ``BlockingObservable`` fail with it at once, where they can tell; ``BlockingObservable`` says when
/// that is.
public struct DeadlockError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is held up, and what to do about it, in a sentence each.
    public let description: String

    init(waitingOn what: String) {
        description = """
            toBlocking() would wait for ever: the events of this sequence come on \(what), which the waiting code \
            itself runs on and holds up. Wait on another thread, or observe (or subscribe) on another scheduler.
            """
    }
}
