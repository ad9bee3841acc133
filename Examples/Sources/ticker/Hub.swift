import NIOCore
import RxSwift
import Synchronization

/// Sends each event to all clients, through one `AsyncStream` per client with the default, unbounded buffer.
final class Hub: Sendable {
    private typealias Client = (watchList: WatchList, continuation: AsyncStream<ByteBuffer>.Continuation)

    private struct State {
        var clients: [Int: Client] = [:]
        var lastKey = 0
    }

    private let state = Mutex(State())

    func events(for watchList: WatchList) -> AsyncStream<ByteBuffer> {
        AsyncStream { continuation in
            let key = state.withLock { state in
                state.lastKey += 1
                state.clients[state.lastKey] = (watchList, continuation)
                return state.lastKey
            }
            continuation.onTermination = { [self] _ in
                let client = state.withLock { $0.clients.removeValue(forKey: key) }
                withExtendedLifetime(client) {}
            }
        }
    }

    func send(_ tick: Tick) {
        let clients = state.withLock { Array($0.clients.values) }
        for client in clients where client.watchList.market == tick.market {
            client.continuation.yield(tick.event(for: client.watchList))
        }
    }
}
