import RxStreams
import RxSwift
import Synchronization

/// Wakes the waiting tasks of all processes when something has changed.
///
/// A `NOTIFY` locks the whole server at the commit, so publishing transactions do not notify. One separate connection
/// listens, and notifies at most once every 10 ms. Without this connection, tasks poll.
final class Notifier: Sendable {
    private struct State {
        var link: Link?
        var isDue = false
        var isSending = false
        var isClosed = false
    }

    private let pool: Pool
    private let channel: String
    private let signal: AsyncSignal
    private let state = Mutex(State())
    /// Signals the end of the connection, and closing.
    private let ended = AsyncSignal()

    init(_ pool: Pool, channel: String, _ signal: AsyncSignal) {
        self.pool = pool
        self.channel = channel
        self.signal = signal
    }

    var isListening: Bool { state.withLock { $0.link != nil } }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    func start() {
        Task { [self] in
            let clock = ConcurrentDispatchQueueScheduler(qos: .utility)
            while true {
                let (lost, back) = (ended.count, pool.signal.count)
                // Checked after the counts are read, so the signal of `close()` is not missed.
                if isClosed { return }
                if await !listen() {
                    await pool.signal.wait(after: back, atMost: .milliseconds(.random(in: 500...2_000)), on: clock)
                    continue
                }
                signal.send()
                await ended.wait(after: lost, atMost: .never, on: clock)
                state.withLock { $0.link = nil }
                // Notifications may have been missed.
                signal.send()
            }
        }
    }

    private func listen() async -> Bool {
        do {
            let link = try await pool.separate { [signal] in
                signal.send()
            } onBreak: { [ended] _ in
                ended.send()
            }
            try await link.script("LISTEN \(channel)", within: .seconds(10))
            let isClosed = state.withLock { state in
                if !state.isClosed { state.link = link }
                return state.isClosed
            }
            if isClosed { link.close() }
            return true
        } catch {
            return false
        }
    }

    func notify() {
        let begins = state.withLock { state in
            if state.isClosed || state.link == nil { return false }
            state.isDue = true
            defer { state.isSending = true }
            return !state.isSending
        }
        if begins { Task { await send() } }
    }

    private func send() async {
        while true {
            let link = state.withLock { state -> Link? in
                guard state.isDue, !state.isClosed, let link = state.link else {
                    state.isSending = false
                    return nil
                }
                state.isDue = false
                return link
            }
            guard let link else { return }
            try? await link.script("SET synchronous_commit = off; NOTIFY \(channel)", within: .seconds(10))
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    func close() {
        let link = state.withLock { state in
            state.isClosed = true
            return state.link.take()
        }
        link?.close()
        ended.send()
        pool.signal.send()
    }
}
