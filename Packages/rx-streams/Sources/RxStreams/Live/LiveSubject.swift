public import RxSwift

/// A subject across processes: what is sent gets to all who listen at the moment, at most once.
///
/// ```swift
/// let prices = broker.subject("prices.*", of: Price.self)
/// prices.asObservable().observe(on: q, buffering: .newest(1)).subscribe(onNext: show)
/// try await broker.subject("prices.oil", of: Price.self).send(price)
/// ```
///
/// It is hot: who does not listen, or is too slow, or has no connection at the moment, misses it. It completes when the
/// broker is closed, and does not end before, unless the engine forbids it. It does not pause: of what a bound below
/// has no room for, the last 8192 messages of at most 64 MiB wait in each subscription. The rest is dropped and
/// reported to `Hooks.droppedElementHandler`.
///
/// Give it a subject that belongs to no stream. On NATS a stream keeps every message of its subjects, also live ones,
/// and a listener hears the messages that are published to the stream. On SQLite and in tests neither is so.
public struct LiveSubject<Element: Sendable>: ObservableConvertibleType, Sendable {
    private let driver: any LiveDriver
    private let codec: Codec<Element>
    /// The subject, or the pattern, that it listens to.
    public let pattern: String

    init(_ driver: any LiveDriver, _ pattern: String, _ codec: Codec<Element>) {
        self.driver = driver
        self.pattern = pattern
        self.codec = codec
    }

    /// Sends an element to all who listen.
    ///
    /// - Parameters:
    ///   - element: the element.
    ///   - subject: its subject; the pattern itself unless given, which has no wildcards then.
    /// - Throws: what the codec throws; ``BrokerError/refused(_:)`` for a subject that is none;
    ///   ``BrokerError/unavailable(_:)`` where there is no connection.
    public func send(_ element: Element, to subject: String? = nil) async throws {
        let subject = subject ?? pattern
        try SubjectPattern.checkSubject(subject)
        try await driver.send(NewMessage(subject, codec.encode(element)))
    }

    /// What is sent from the subscription on, on the driver's threads. What is no element is left out. Fails with
    /// ``BrokerError/refused(_:)`` where the pattern is none, or the engine forbids to listen to it.
    public func asObservable() -> Observable<Element> {
        elements(pattern).map(\.element)
    }

    /// As ``asObservable()``, with the subject of each.
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
