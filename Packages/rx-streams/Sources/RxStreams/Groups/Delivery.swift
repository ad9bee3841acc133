public import RxSwift

/// An element delivered to a member of a group, with the functions that settle it.
///
/// The first call of ``ack()``, ``retry(after:)`` or ``reject(_:)`` settles the element; later calls have no effect. An
/// unsettled element counts as in flight. It is delivered again, to this or another member: at once if the subscription
/// is disposed of, otherwise after the group's deadline.
///
/// - **Threads**: any thread may call each function, which returns at once.
public struct Delivery<Element: Sendable>: Sendable {
    /// The element.
    public let element: Element
    /// The element's position in its stream.
    public let position: Position
    /// The element's id; nil if it has none.
    public let id: String?
    /// The element's subject.
    public let subject: String
    /// When the element was stored, by the engine's clock.
    public let time: RxTime
    /// The number of deliveries in the group, including this one.
    public let attempt: Int
    package let pulled: PulledMessage
    let inFlightMessages: InFlightMessages

    init(_ pulled: PulledMessage, _ element: Element, _ inFlightMessages: InFlightMessages) {
        self.element = element
        self.pulled = pulled
        self.inFlightMessages = inFlightMessages
        position = pulled.stored.position
        id = pulled.stored.message.id
        subject = pulled.stored.message.subject
        time = pulled.stored.time
        attempt = pulled.attempt
    }

    /// Settles the element as handled. If the acknowledgement does not reach the engine before the deadline, the
    /// element is delivered again.
    public func ack() {
        inFlightMessages.settle(pulled.token, as: .done)
    }

    /// Settles the element so that it is delivered again, to any member, after at least `pause`.
    public func retry(after pause: RxTimeInterval) {
        inFlightMessages.settle(pulled.token, as: .again(after: pause))
    }

    /// Gives up the element and sends it to the dead letters, with its bytes and the reason `why`.
    public func reject(_ why: String) {
        guard inFlightMessages.claim(pulled.token) else { return }
        Task(executorPreference: inFlightMessages.executor) { [inFlightMessages, pulled] in
            await inFlightMessages.bury(pulled, why)
        }
    }

    /// Restarts the deadline of an element that is still being handled.
    public func extend() {
        inFlightMessages.extend(pulled.token)
    }
}
