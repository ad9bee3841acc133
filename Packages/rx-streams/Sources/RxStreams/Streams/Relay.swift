@_spi(RxServer) public import RxSwift

extension DurableStream {
    /// Copies the stream's elements to a stream of another broker, and sends the position of each copy.
    ///
    /// ```swift
    /// outbox.relay(to: orders, as: "shop-to-nats").subscribe(onError: report)
    /// ```
    ///
    /// Each message is copied at least once, with its headers, in the order of positions. A message without an id gets
    /// one derived from its position and time, so the target stores it once within the duplicate window. After each
    /// batch, the relay stores the position of the next message in the cell `relay-NAME` of the target's broker. The
    /// next relay of that name continues there, and copies at most one batch again. Two running relays of one name copy
    /// the same messages in the same order, and the target stores each once.
    ///
    /// A copy omits the headers that the target's engine would execute or refuse: on NATS, instructions for the
    /// message's own stream, such as `Nats-Rollup`, and malformed headers.
    ///
    /// Missing streams are created.
    ///
    /// - **Buffering**: at most `inFlight` messages wait, and at most `inFlight` are stored at once. The relay pauses
    ///   with its downstream.
    /// - **Errors**: those of ``replay(from:live:)``, and those of the target, except ``BrokerError/unavailable(_:)``.
    ///   If the stream has lost messages or was created again, its next position may be below the position in the cell.
    ///   The relay then fails with ``BrokerError/refused(_:)``: use another name.
    /// - **Disposal**: ends the relay. A batch in flight may still be stored.
    /// - **Threads**: positions are sent one at a time, on tasks of Swift's pool.
    ///
    /// - Parameters:
    ///   - target: the stream that receives the copies.
    ///   - name: the name of the relay.
    ///   - start: where a relay without progress begins.
    ///   - subject: called with a message's subject; returns that of its copy. By default a copy keeps the subject if
    ///     the target has it; otherwise it gets the target's first subject, with `all` in place of each wildcard.
    ///   - inFlight: the maximum number of messages that are stored at once; at least 1.
    public func relay(
        to target: DurableStream<Element>, as name: String, from start: ReplayStart = .beginning,
        subject: (@Sendable (String) -> String)? = nil, inFlight: Int = 256
    ) -> Observable<Position> {
        let limit = max(inFlight, 1)
        return target.driver.feeding { observer in
            guard let driver = target.driver as? any LiveDriver else {
                throw BrokerError.refused("the broker of stream \(target.name) has no cells")
            }
            var progress = RelayProgress(driver, cell: "relay-\(name)")
            let copies = RelayCopies(self, target, subject)
            try await driver.persistently(for: target.name) { try await target.ensure() }
            while true {
                let begin = try await progress.load()
                try await check(begin, name)
                var messages = stored(from: begin.map { .position($0) } ?? start, live: true)
                    .values(buffering: .pausing(limit)).makeAsyncIterator()
                var isAlone = true
                while isAlone, let batch = try await messages.next(upTo: limit) {
                    try Task.checkCancellation()
                    let copied = batch.map(copies.copy)
                    let receipts = try await driver.persistently(for: target.name) {
                        try await driver.append(copied, to: target.name)
                    }
                    if let last = batch.last { isAlone = try await progress.store(last.position.next) }
                    for receipt in receipts { try await observer.send(receipt.position) }
                }
                // If another relay of this name is ahead, this one starts again at the stored position.
                if isAlone { return }
            }
        }
    }

    private func check(_ begin: Position?, _ relay: String) async throws {
        guard let begin else { return }
        let end = try await driver.persistently(for: name) { () async throws -> Position in
            try await driver.makeIfMissing(settings)
            return try await driver.summary(of: name).last.next
        }
        if begin > end {
            throw BrokerError.refused(
                "the relay \(relay) continues at position \(begin) of stream \(name), whose next position is \(end): "
                    + "if the stream has been created again, give the relay another name")
        }
    }
}

private struct RelayCopies<Element: Sendable>: Sendable {
    let source: String
    let patterns: [SubjectPattern]
    let fallback: String
    let subject: (@Sendable (String) -> String)?
    /// The target's driver, if it interprets some headers.
    let reader: (any HeaderReading)?

    init(
        _ source: DurableStream<Element>, _ target: DurableStream<Element>, _ subject: (@Sendable (String) -> String)?
    ) {
        self.source = source.name
        self.subject = subject
        patterns = target.settings.subjects.compactMap { try? SubjectPattern($0) }
        fallback = target.defaultSubject
        reader = target.driver as? any HeaderReading
    }

    func copy(_ stored: StoredMessage) -> NewMessage {
        var message = stored.message
        if let reader { message.headers = message.headers.filter { reader.goesAlong($0.key, $0.value) } }
        message.subject =
            subject?(message.subject)
            ?? (patterns.contains { $0.matches(message.subject) } ? message.subject : fallback)
        if message.id == nil {
            // The time distinguishes the stream from an earlier one of the same name.
            let time = Int64((stored.time.timeIntervalSince1970 * 1e6).rounded())
            message.id = "\(source)-\(stored.position)-\(time)"
        }
        return message
    }
}

/// The position at which a relay continues, stored in a cell. The position only grows.
private struct RelayProgress {
    private let driver: any LiveDriver
    private let cell: String
    /// The last known revision; 0 before the first value.
    private var revision: UInt64 = 0

    init(_ driver: any LiveDriver, cell: String) {
        self.driver = driver
        self.cell = cell
    }

    mutating func load() async throws -> Position? {
        let (driver, cell) = (driver, cell)
        guard let value = try await driver.persistently(for: cell, { try await driver.load(cell) }) else {
            revision = 0
            return nil
        }
        guard let number = UInt64(String(decoding: value.payload, as: UTF8.self)) else {
            throw BrokerError.refused("the cell \(cell) contains no position of a relay")
        }
        revision = value.revision
        return Position(number)
    }

    /// Stores a position. If the stored one is higher, returns false and changes nothing.
    mutating func store(_ position: Position) async throws -> Bool {
        while true {
            let (driver, cell, expected) = (driver, cell, revision)
            do {
                revision = try await driver.persistently(for: cell) {
                    try await driver.store(Array("\(position)".utf8), in: cell, expecting: expected)
                }
                return true
            } catch BrokerError.conflict {
                // Another relay has stored a position, or this one has stored its own but received no answer.
                if let present = try await load(), present >= position { return present == position }
            }
        }
    }
}
