@_spi(RxServer) public import RxSwift

extension ObservableType where Element: Sendable {
    /// Stores each element in a stream and sends its position.
    ///
    /// ```swift
    /// incoming.publish(to: orders, id: \.id, subject: { "orders.\($0.country)" })
    ///     .subscribe(onError: report)
    /// ```
    ///
    /// When the position of an element has been sent, the element is as durable as the engine can make it. Subscribing
    /// to the sequence subscribes to the source at once.
    ///
    /// - **Buffering**: while elements are being stored, new ones wait. They are then stored together, in a batch of at
    ///   most `inFlight`. When `inFlight` elements wait, the source pauses. If it cannot pause, the sequence fails with
    ///   `FlowError.overflow`, after the waiting elements have been stored. If the observer accepts positions slowly,
    ///   publishing pauses.
    /// - **Order**: elements are stored in the order of the source. If only a part of a batch is stored, the batch is
    ///   tried again, and the order can change. With an `inFlight` of 1, the order is always kept.
    /// - **Duplicates**: an element is tried again under the same id, so within the stream's duplicate window the
    ///   engine stores it once: see <doc:AtLeastOnce>.
    /// - **Errors**: the sequence fails if the source or the codec fails, if an element's subject does not belong to
    ///   the stream, or if the engine refuses an element. The elements before the error have then been stored, and
    ///   later ones have not. But if the engine refuses an element, later elements of its batch may have been stored.
    ///   Every other ``BrokerError`` also ends the sequence, except ``BrokerError/unavailable(_:)``: then publishing
    ///   waits, and logs a warning about once a minute.
    /// - **Disposal**: stops publishing. A write already in flight may still be stored.
    ///
    /// - Parameters:
    ///   - stream: the stream.
    ///   - id: returns the id of an element for duplicate detection, and is called once for each element. By default,
    ///     and if the id is empty, an element gets a unique id.
    ///   - subject: returns the subject of an element; by default the stream's first subject, with `all` in place of
    ///     each wildcard.
    ///   - inFlight: the maximum number of elements in a batch, and also of waiting elements; at least 1.
    public func publish(
        to stream: DurableStream<Element>, id: (@Sendable (Element) -> String)? = nil,
        subject: (@Sendable (Element) -> String)? = nil, inFlight: Int = 256
    ) -> Observable<Position> {
        let (source, limit) = (asObservable(), max(inFlight, 1))
        return Observable.using {
            Arrivals(source, atMost: limit)
        } observableFactory: { arrivals in
            stream.driver.feeding { observer in
                let publisher = Publisher(stream, id, subject)
                try await stream.driver.persistently(for: stream.name) { try await stream.ensure() }
                while let batch = try await arrivals.next() {
                    try Task.checkCancellation()
                    let (receipts, failure) = await publisher.keep(batch)
                    for receipt in receipts { try await observer.send(receipt.position) }
                    if let failure { throw failure }
                }
            }
        }
    }
}

/// Buffers the elements, so none is missed while the engine is unavailable.
private final class Arrivals<Element: Sendable>: Disposable, @unchecked Sendable {  // because of the guard
    private let limit: Int
    /// The elements, used by the publishing task alone.
    private var elements: BoundedValues<Element>.Iterator
    private let subscription: any Disposable

    init(_ source: Observable<Element>, atMost limit: Int) {
        self.limit = limit
        elements = source.values(buffering: .pausing(limit)).makeAsyncIterator()
        subscription = elements.subscribe()
    }

    func next() async throws -> [Element]? {
        try await elements.next(upTo: limit)
    }

    func dispose() {
        subscription.dispose()
    }
}

private struct Publisher<Element: Sendable>: Sendable {
    let stream: DurableStream<Element>
    let id: (@Sendable (Element) -> String)?
    let subject: (@Sendable (Element) -> String)?
    let ids = MessageIDs()
    private let patterns: [SubjectPattern]

    init(
        _ stream: DurableStream<Element>, _ id: (@Sendable (Element) -> String)?,
        _ subject: (@Sendable (Element) -> String)?
    ) {
        self.stream = stream
        self.id = id
        self.subject = subject
        patterns = stream.settings.subjects.compactMap { try? SubjectPattern($0) }
    }

    /// Stores elements up to the first that fails. Returns the receipts, and that element's error.
    func keep(_ batch: [Element]) async -> (receipts: [Receipt], failure: (any Error)?) {
        let fallback = stream.defaultSubject
        var (messages, receipts, failure) = ([NewMessage](), [Receipt](), (any Error)?.none)
        do {
            for element in batch {
                var message = NewMessage(
                    subject?(element) ?? fallback, try stream.codec.encode(element), id: id?(element))
                if message.id == nil { message.id = ids.next() }
                // Checked here, because an engine may store later messages of the batch before it refuses this one.
                try check(message.subject)
                messages.append(message)
            }
        } catch {
            failure = error
        }
        do {
            receipts = try await keep(messages)
        } catch BrokerError.refused where messages.count > 1 {
            // The error does not identify the refused message, so the messages are tried one by one. The engine
            // recognises stored messages by their ids.
            do {
                for message in messages { receipts += try await keep([message]) }
            } catch {
                failure = error
            }
        } catch {
            failure = error
        }
        return (receipts, failure)
    }

    private func check(_ subject: String) throws {
        try SubjectPattern.checkSubject(subject)
        if patterns.contains(where: { $0.matches(subject) }) { return }
        throw BrokerError.refused("'\(subject)' is not a subject of stream \(stream.name)")
    }

    private func keep(_ messages: [NewMessage]) async throws -> [Receipt] {
        if messages.isEmpty { return [] }
        let begun = ContinuousClock.now
        let receipts = try await stream.driver.persistently(for: stream.name) {
            try await stream.driver.append(messages, to: stream.name)
        }
        stream.metrics.published(
            receipts.count, duplicates: receipts.count { $0.isDuplicate },
            taking: begun.duration(to: .now))
        return receipts
    }
}
