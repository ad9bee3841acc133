import Logging
public import RxSwift

/// An element of a stream, with its position and time.
public struct Record<Element: Sendable>: Sendable {
    /// The element.
    public let element: Element
    /// The element's position.
    public let position: Position
    /// When the element was stored, by the engine's clock.
    public let time: RxTime
    /// The element's subject.
    public let subject: String
    /// The element's id; nil if it has none.
    public let id: String?
}

extension Record: Equatable where Element: Equatable {}

extension DurableStream {
    /// Returns the stored elements from a position on, then new ones, in the order of positions, each once.
    ///
    /// ```swift
    /// orders.replay(from: .position(saved.next)).subscribe(onNext: { view.apply($0.element); saved = $0.position })
    /// ```
    ///
    /// A replay belongs to no group and settles nothing: each subscription receives all elements. A missing stream is
    /// created.
    ///
    /// If the stream is removed, the replay fails with ``BrokerError/missing(_:)``, even if the stream is created
    /// again. On NATS, a replay may miss the removal while it is paused or has no connection. It then continues in the
    /// new stream, after its last position.
    ///
    /// Positions restart if the engine has lost its last messages or, on NATS, if the stream has been created again:
    /// see <doc:WhatAnEngineMayLose>.
    ///
    /// - **Buffering**: a replay reads at most 256 elements at once, and about 4 MiB unless one element is larger. It
    ///   does not read while its downstream is paused.
    /// - **Errors**: each ``BrokerError`` ends the replay, except ``BrokerError/unavailable(_:)``: then the replay
    ///   waits. A message that cannot be decoded is skipped, logged and counted.
    /// - **Disposal**: ends the replay.
    /// - **Threads**: elements are sent one at a time, on tasks of Swift's pool.
    ///
    /// - Parameters:
    ///   - start: where the replay begins.
    ///   - live: whether the sequence continues with new elements and never completes. If false, it completes after the
    ///     elements that the stream holds at the subscription.
    public func replay(from start: ReplayStart, live: Bool = true) -> Observable<Record<Element>> {
        stored(from: start, live: live).compactMap { stored in
            do {
                return Record(
                    element: try codec.decode(stored.message.payload), position: stored.position, time: stored.time,
                    subject: stored.message.subject, id: stored.message.id)
            } catch {
                metrics.undecodable.increment()
                warnUndecodable("the replay skips it", stored.position, error)
                return nil
            }
        }
    }

    func stored(from start: ReplayStart, live: Bool) -> Observable<StoredMessage> {
        let (driver, settings) = (driver, settings)
        return driver.feeding { observer in
            let name = settings.name
            try await driver.persistently(for: name) { try await driver.makeIfMissing(settings) }
            let begun = try await driver.persistently(for: name) { try await driver.find(start, of: name) }
            var position = begun.position
            let last = live ? nil : try await driver.persistently(for: name) { try await driver.summary(of: name).last }
            var time: RxTime?
            while last.map({ position <= $0 }) ?? true {
                try await observer.room()
                let (from, seen) = (position, time)
                let read = try await driver.persistently(for: name) {
                    try await driver.read(
                        name, of: begun.identity, from: from, within: live ? .seconds(30) : .nanoseconds(0))
                }
                if read.isEmpty, !live { return }
                if read.isEmpty {
                    position = try await driver.persistently(for: name) {
                        try await driver.next(from, after: seen, in: name)
                    }
                }
                for message in read {
                    if let last, message.position > last { return }
                    (position, time) = (message.position.next, message.time)
                    try await observer.send(message)
                }
            }
        }
    }
}

extension StreamDriver {
    fileprivate func find(
        _ start: ReplayStart, of stream: String
    ) async throws -> (position: Position, identity: Int64?) {
        guard let driver = self as? any StreamTelling else { return (try await locate(start, in: stream), nil) }
        let (position, identity) = try await driver.find(start, in: stream)
        return (position, identity)
    }

    fileprivate func read(
        _ stream: String, of identity: Int64?, from position: Position, within span: RxTimeInterval
    ) async throws -> [StoredMessage] {
        guard let driver = self as? any StreamTelling else {
            return try await read(stream, from: position, limit: 256, within: span)
        }
        return try await driver.read(stream, identity: identity, from: position, limit: 256, within: span)
    }

    /// Returns where a replay continues after an empty read: at `position`, unless the positions have restarted. `time`
    /// is the time of the last message read.
    fileprivate func next(_ position: Position, after time: RxTime?, in stream: String) async throws -> Position {
        let end = try await summary(of: stream).last.next
        if position <= end { return position }
        Logger(label: "RxStreams").warning(
            "positions have restarted: the replay continues with the messages stored since then",
            metadata: ["rx.stream": "\(stream)", "rx.position": "\(position)", "rx.end": "\(end)"])
        // The replay has read everything up to `time`, so later messages are new.
        guard let time else { return end }
        return try await locate(.time(time.addingTimeInterval(1e-6)), in: stream)
    }
}
