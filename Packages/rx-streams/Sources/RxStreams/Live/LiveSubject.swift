public import RxSwift

/// A subject across processes. Each element reaches each current listener at most once.
///
/// ```swift
/// let prices = broker.subject("prices.*", of: Price.self)
/// prices.asObservable().observe(on: q, buffering: .newest(1)).subscribe(onNext: show)
/// try await broker.subject("prices.oil", of: Price.self).send(price)
/// ```
///
/// The sequence is hot: an observer that is too slow or has no connection misses elements. It completes when the broker
/// is closed. It does not pause. If a bounded queue downstream is full, at most the last 8 192 messages and 64 MiB wait
/// in each subscription. Older ones are dropped and reported to `Hooks.droppedElementHandler`.
///
/// Use a subject that belongs to no stream. Otherwise, on NATS, the stream stores the live messages, and a listener
/// receives the messages published to the stream.
public struct LiveSubject<Element: Sendable>: ObservableConvertibleType, Sendable {
    private let driver: any LiveDriver
    private let codec: Codec<Element>
    /// The subject or pattern to listen to.
    public let pattern: String

    init(_ driver: any LiveDriver, _ pattern: String, _ codec: Codec<Element>) {
        self.driver = driver
        self.pattern = pattern
        self.codec = codec
    }

    /// Sends an element to all current listeners of `subject`. The default is ``pattern``, if it has no wildcards.
    /// Throws the codec's error, ``BrokerError/refused(_:)`` for an invalid subject, or ``BrokerError/unavailable(_:)``
    /// without a connection.
    public func send(_ element: Element, to subject: String? = nil) async throws {
        let subject = subject ?? pattern
        try SubjectPattern.checkSubject(subject)
        try await driver.send(NewMessage(subject, codec.encode(element)))
    }

    /// Returns the elements sent after the subscription. They are delivered on the driver's threads or on the thread of
    /// a sender in this process. An element that waited for room downstream is delivered on the thread that made room.
    /// Messages that cannot be decoded are skipped. Fails with ``BrokerError/refused(_:)`` if the pattern is invalid or
    /// the engine forbids listening to it.
    public func asObservable() -> Observable<Element> {
        elements(pattern).map(\.element)
    }

    /// Like ``asObservable()``, with each element's subject.
    public func withSubjects() -> Observable<(subject: String, element: Element)> {
        elements(pattern)
    }

    private func elements(_ pattern: String) -> Observable<(subject: String, element: Element)> {
        Observable.deferred { [driver, codec] in
            try SubjectPattern.check(pattern)
            return driver.messages(on: pattern).compactMap { message in
                guard let element = try? codec.decode(message.payload) else { return nil }
                return (message.subject, element)
            }
        }
    }
}
