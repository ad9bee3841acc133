public import RxSwift

/// An element as a group's member gets it: what it is, and by what it is settled.
///
/// It is settled once: by the first of ``ack()``, ``retry(after:)`` and ``reject(_:)``; later calls do nothing. Until
/// then it counts among those that the member has in flight. One that is not settled comes again, to this member or
/// another: at once when the chain is disposed of, after the group's deadline else.
///
/// - **Threads**: each function may be called from any thread and returns at once; the member tells the engine.
public struct Delivery<Element: Sendable>: Sendable {
    /// The element.
    public let element: Element
    /// Where it is in its stream.
    public let position: Position
    /// Its id, where it has one.
    public let id: String?
    /// Its subject.
    public let subject: String
    /// When it was kept, by the engine's clock.
    public let time: RxTime
    /// How often it has been delivered in its group, this time included: 1 for the first.
    public let attempt: Int
    let pulled: PulledMessage
    let window: Window

    init(_ pulled: PulledMessage, _ element: Element, _ window: Window) {
        self.element = element
        self.pulled = pulled
        self.window = window
        position = pulled.stored.position
        id = pulled.stored.message.id
        subject = pulled.stored.message.subject
        time = pulled.stored.time
        attempt = pulled.attempt
    }

    /// It is done with, and does not come again, unless the engine is not reached with that before the deadline.
    public func ack() {
        window.settle(pulled.token, as: .done)
    }

    /// It is to come again, to any member.
    ///
    /// - Parameter pause: how long after now at the earliest.
    public func retry(after pause: RxTimeInterval) {
        window.settle(pulled.token, as: .again(after: pause))
    }

    /// It is given up: it goes to the dead letters, with its bytes.
    ///
    /// - Parameter why: what is written beside it.
    public func reject(_ why: String) {
        guard window.claim(pulled.token) else { return }
        Task(executorPreference: window.executor) { [window, pulled] in await window.bury(pulled, why) }
    }

    /// It is still being worked on: its deadline begins anew.
    public func extend() {
        window.extend(pulled.token)
    }
}
