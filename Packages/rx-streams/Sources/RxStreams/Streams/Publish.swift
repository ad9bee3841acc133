@_spi(RxServer) public import RxSwift

extension ObservableType where Element: Sendable {
    /// Keeps each element in a stream, and sends where it is kept.
    ///
    /// ```swift
    /// incoming.publish(to: orders, id: \.id, subject: { "orders.\($0.country)" })
    ///     .subscribe(onError: report)
    /// ```
    ///
    /// An element whose position has come out is kept as well as the engine can. While the engine is not there, it
    /// waits. The source is subscribed to at once, whether the engine is there or not.
    ///
    /// - **Buffering**: elements that come while others are being kept wait, and go together, at most `inFlight` at
    ///   once. When so many wait the source pauses; one that cannot pause ends the sequence in `FlowError.overflow`
    ///   behind what waits. Where the positions are taken in slowly, publishing pauses too.
    /// - **Order**: that of the source. Where keeping some together fails half-way they are tried again: then
    ///   only an `inFlight` of 1 keeps the order.
    /// - **Duplicates**: an element is tried again under the same id, so that the engine keeps it once, within the
    ///   stream's duplicate window.
    /// - **Errors**: the source's, what the codec throws, that a subject is none of the stream's, and that the engine
    ///   refuses an element: each behind the elements before it, which are kept. None behind it is kept, unless the
    ///   engine alone knew of what it has against it, such as a bound of its own: then of those that went together with
    ///   it some may be. Another ``BrokerError`` but for ``BrokerError/unavailable(_:)``: while that lasts, a warning
    ///   is logged about once a minute.
    /// - **Disposal**: ends it. What was being kept may have been kept.
    ///
    /// - Parameters:
    ///   - stream: the stream.
    ///   - id: what tells an element from others; one of its own each unless given, or where it is empty. Called once
    ///     for each element.
    ///   - subject: its subject, one of the stream's; unless given the stream's first, with `all` for each wildcard.
    ///   - inFlight: how many are kept at once, and how many wait meanwhile; at least 1.
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
                    // Nothing more is kept for who has been disposed of meanwhile.
                    try Task.checkCancellation()
                    let (receipts, failure) = await publisher.keep(batch)
                    for receipt in receipts { try await observer.send(receipt.position) }
                    if let failure { throw failure }
                }
            }
        }
    }
}

/// What a source sends from the moment on in which this is made, so that nothing is missed while the engine is waited
/// for.
private final class Arrivals<Element: Sendable>: Disposable, @unchecked Sendable {  // because of the guard
    private let limit: Int
    /// The publishing task's alone.
    private var elements: BoundedValues<Element>.Iterator
    private let subscription: any Disposable

    init(_ source: Observable<Element>, atMost limit: Int) {
        self.limit = limit
        elements = source.values(buffering: .pausing(limit)).makeAsyncIterator()
        subscription = elements.subscribe()
    }

    /// Those that wait; nil at the end of the source.
    func next() async throws -> [Element]? {
        try await elements.next(upTo: limit)
    }

    func dispose() {
        subscription.dispose()
    }
}

/// Makes messages of elements, and has them kept.
private struct Publisher<Element: Sendable>: Sendable {
    let stream: DurableStream<Element>
    let id: (@Sendable (Element) -> String)?
    let subject: (@Sendable (Element) -> String)?
    let ids = MessageIDs()
    /// What the stream keeps.
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

    /// Keeps elements in their order, up to the first that cannot be.
    ///
    /// - Returns: where they are, and why that one cannot be.
    func keep(_ batch: [Element]) async -> (receipts: [Receipt], failure: (any Error)?) {
        let fallback = stream.defaultSubject
        var (messages, receipts, failure) = ([NewMessage](), [Receipt](), (any Error)?.none)
        do {
            for element in batch {
                var message = NewMessage(
                    subject?(element) ?? fallback, try stream.codec.encode(element), id: id?(element))
                if message.id == nil { message.id = ids.next() }
                // Here, because an engine may keep those behind it before it refuses this one.
                try check(message.subject)
                messages.append(message)
            }
        } catch {
            failure = error
        }
        do {
            receipts = try await keep(messages)
        } catch BrokerError.refused where messages.count > 1 {
            // Nobody says which. What has been kept already is found by its id.
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
        throw BrokerError.refused("'\(subject)' is no subject of stream \(stream.name)")
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
