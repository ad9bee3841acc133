@_spi(RxServer) package import RxSwift
import Synchronization

/// The maximum number of messages that wait for a listener. If more arrive, the oldest are dropped and reported.
package let liveBound = 8_192
/// The maximum number of bytes that wait for a listener; see ``liveBound``.
package let liveBytes = 64 << 20

extension Observable where Element == NewMessage {
    /// While the downstream has room, delivers messages at once, on the sender's thread. Otherwise at most the last
    /// ``liveBound`` messages and ``liveBytes`` bytes wait, and are delivered on the thread that makes room. If nothing
    /// downstream can pause, this function has no cost.
    package func waitingForRoom() -> Observable {
        whereBounded { $0.waiting(on: CurrentThreadScheduler.instance) }
    }

    /// Delivers messages on a scheduler. At most the last ``liveBound`` messages and `bytes` bytes wait for the
    /// scheduler and for room downstream. A single message waits regardless of its size.
    package func waiting(on scheduler: any ImmediateSchedulerType, atMost bytes: Int = liveBytes) -> Observable {
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        return Observable.deferred {
            let queue = LiveQueue(atMost: bytes)
            return self.filter { queue.add($0) }
                .map { _ in }
                .observe(on: scheduler, buffering: .newest(liveBound))
                .compactMap { _ in queue.take() }
        }
    }
}

/// The queue of `observe(on:buffering:)`, the *boundary*, limits the number of elements but not their bytes. So a
/// listener's messages wait here. For each message, an empty element, a *ticket*, waits in the boundary. A ticket that
/// leaves the boundary takes the oldest message. When messages are dropped, their tickets stay in the boundary, and new
/// messages use them. So there are at most ``liveBound`` tickets, and the boundary drops none. `surplus` is the number
/// of tickets without a message.
///
/// Guards: `state` is protected by its lock. Messages are released, and drops are reported, outside of it.
private final class LiveQueue: Sendable {
    private struct State {
        /// The waiting messages begin at `first`; earlier elements are nil.
        var messages: [NewMessage?] = []
        var first = 0
        var bytes = 0
        var surplus = 0
        var dropped = 0

        var count: Int { messages.count - first }

        mutating func removeFirst() -> NewMessage? {
            guard count > 0 else { return nil }
            let message = messages[first].take()
            first += 1
            bytes -= message.map(LiveQueue.size) ?? 0
            // Compacts only when more than half is nil, so each removal moves at most one message on average.
            if first * 2 > messages.count {
                messages.removeFirst(first)
                first = 0
            }
            return message
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(atMost bytes: Int) {
        limit = bytes
    }

    /// Adds a message. If the bounds are exceeded, drops the oldest messages. Returns whether the message needs a new
    /// ticket.
    func add(_ message: NewMessage) -> Bool {
        let (gone, dropped, needsTicket) = state.withLock { state -> ([NewMessage], Int, Bool) in
            state.messages.append(message)
            state.bytes += Self.size(message)
            var gone: [NewMessage] = []
            while state.count > liveBound || state.bytes > limit && state.count > 1 {
                if let message = state.removeFirst() { gone.append(message) }
            }
            state.dropped += gone.count
            let needsTicket = gone.count + state.surplus == 0
            if !needsTicket { state.surplus += gone.count - 1 }
            return (gone, state.dropped, needsTicket)
        }
        if !gone.isEmpty { Hooks.droppedElementHandler?("LiveSubject", .newest(liveBound), dropped) }
        withExtendedLifetime(gone) {}
        return needsTicket
    }

    /// Called for a ticket that has left the boundary.
    func take() -> NewMessage? {
        state.withLock { state in
            if state.count == 0 { state.surplus -= 1 }
            return state.removeFirst()
        }
    }

    private static func size(_ message: NewMessage) -> Int {
        message.headers.reduce(message.payload.count + message.subject.utf8.count + 128) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 64
        }
    }
}
