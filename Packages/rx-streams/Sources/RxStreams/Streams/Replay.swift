import Logging
public import RxSwift

/// An element as a stream keeps it, with where and when.
public struct Record<Element: Sendable>: Sendable {
    /// The element.
    public let element: Element
    /// Where it is.
    public let position: Position
    /// When it was kept, by the engine's clock.
    public let time: RxTime
    /// Its subject.
    public let subject: String
    /// Its id, where it has one.
    public let id: String?
}

extension Record: Equatable where Element: Equatable {}

extension DurableStream {
    /// What the stream keeps from a point on, then what comes, as one sequence in the order of positions, each once.
    ///
    /// ```swift
    /// orders.replay(from: .position(saved.next)).subscribe(onNext: { view.apply($0.element); saved = $0.position })
    /// ```
    ///
    /// It belongs to no group and settles nothing: each subscription gets all of it. What its retention has taken away
    /// meanwhile is left out. The stream is made where there is none; one that is there stays as it is.
    ///
    /// Where the stream is removed it fails with ``BrokerError/missing(_:)``, also where it has been made again before
    /// the replay asks for more. NATS does not tell that one from the one before: there such a replay goes on in it,
    /// behind the position that it had.
    ///
    /// Where positions begin anew behind it, because the engine has lost the last messages or, on NATS, the stream has
    /// been made again, it goes on with what has been kept since then. It finds that out when nothing has come for half
    /// a minute, and logs it; where more has been kept by then than was lost, the first of that are left out. One that
    /// has had nothing yet goes on with what comes from then on.
    ///
    /// - **Buffering**: it reads on while the chain below is not paused, at most 256 at once, and of large elements
    ///   about 4 MiB or one.
    /// - **Errors**: ``BrokerError`` but for ``BrokerError/unavailable(_:)``, during which it waits, and goes on where
    ///   it was. A message that is no element is left out, logged and counted.
    /// - **Disposal**: ends it.
    /// - **Threads**: elements come one at a time, on the tasks of Swift's pool.
    ///
    /// - Parameters:
    ///   - start: where to begin.
    ///   - live: whether it goes on with what comes, and never completes; otherwise it completes behind what the stream
    ///     holds when it is subscribed to.
    public func replay(from start: ReplayStart, live: Bool = true) -> Observable<Record<Element>> {
        stored(from: start, live: live).compactMap { stored in
            do {
                return Record(
                    element: try codec.decode(stored.message.payload), position: stored.position, time: stored.time,
                    subject: stored.message.subject, id: stored.message.id)
            } catch {
                metrics.undecodable.increment()
                warnUndecodable("the replay leaves it out", stored.position, error)
                return nil
            }
        }
    }

    /// The messages of a replay.
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
                // All that was there has gone meanwhile.
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
    /// Where a replay begins, and in which stream of the name; nil where the driver does not tell that.
    fileprivate func find(
        _ start: ReplayStart, of stream: String
    ) async throws -> (position: Position, identity: Int64?) {
        guard let driver = self as? any StreamTelling else { return (try await locate(start, in: stream), nil) }
        let (position, identity) = try await driver.find(start, in: stream)
        return (position, identity)
    }

    /// Reads what a replay sends next, of the stream that it has begun in.
    fileprivate func read(
        _ stream: String, of identity: Int64?, from position: Position, within span: RxTimeInterval
    ) async throws -> [StoredMessage] {
        guard let driver = self as? any StreamTelling else {
            return try await read(stream, from: position, limit: 256, within: span)
        }
        return try await driver.read(stream, identity: identity, from: position, limit: 256, within: span)
    }

    /// Where a replay goes on that has found nothing: where it was, unless the stream's positions have begun anew.
    ///
    /// - Parameter time: that of the last message it has read; nil where it has read none.
    fileprivate func next(_ position: Position, after time: RxTime?, in stream: String) async throws -> Position {
        let end = try await summary(of: stream).last.next
        if position <= end { return position }
        Logger(label: "RxStreams").warning(
            "positions have begun anew: the replay goes on with what has been kept since",
            metadata: ["rx.stream": "\(stream)", "rx.position": "\(position)", "rx.end": "\(end)"])
        // Of its own it had all, so what is later is new.
        guard let time else { return end }
        return try await locate(.time(time.addingTimeInterval(1e-6)), in: stream)
    }
}
