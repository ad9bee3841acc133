import Logging
import RxSwift

/// A stream that an engine stores. A published element is delivered to each group at least once, and can be replayed.
///
/// ```swift
/// let publishing = source.publish(to: orders, id: \.id).subscribe(onError: report)
/// let work = orders.work(as: "billing", concurrency: 16) { order in try await charge(order) }
///     .subscribe(onError: report)
/// let view = orders.replay(from: .beginning).subscribe(onNext: { show($0.element) }, onError: report)
/// ```
///
/// A value of this type is only a description; create one with a ``Broker``.
public struct DurableStream<Element: Sendable>: Sendable {
    package let driver: any StreamDriver
    package let codec: Codec<Element>
    /// The settings of the stream.
    public let settings: StreamSettings
    let metrics: StreamMetrics

    init(_ driver: any StreamDriver, _ codec: Codec<Element>, _ settings: StreamSettings) {
        self.driver = driver
        self.codec = codec
        self.settings = settings
        metrics = StreamMetrics(stream: settings.name)
    }

    /// The stream's name.
    public var name: String { settings.name }

    /// The default subject of elements: the stream's first subject, with `all` in place of each wildcard.
    package var defaultSubject: String {
        let first = settings.subjects.first ?? name
        return (try? SubjectPattern(first))?.example ?? first
    }

    /// Returns the range of the stream's positions, and the number of its messages. Throws ``BrokerError/missing(_:)``
    /// if the stream does not exist.
    public func summary() async throws -> StreamSummary {
        try await driver.summary(of: name)
    }

    /// Returns the progress of a group. Throws ``BrokerError/missing(_:)`` if the group or the stream does not exist.
    public func summary(of group: String) async throws -> GroupSummary {
        try await driver.summary(of: group, in: name)
    }

    /// Creates the stream, or changes the existing one to these settings; messages outside the new retention are
    /// removed. Publishing and joining a group also do this. A replay creates a missing stream, but changes none.
    public func ensure() async throws {
        try await driver.ensure(settings)
    }

    /// Removes the stream with all its messages. First stop all work on it. On NATS, if the stream is created again,
    /// a late verdict on an old message may settle a new one.
    public func remove() async throws {
        try await driver.remove(stream: name)
    }

    /// Removes a group with its progress. First stop all work in it. Its members fail with ``BrokerError/missing(_:)``.
    /// The next member to join creates the group again, and may specify another start or subject. On NATS, a late
    /// verdict may settle a delivery of the new group.
    public func remove(group: String) async throws {
        try await driver.remove(group: group, of: name)
    }
}

private let undecodable = WarningLimit()

extension DurableStream {
    /// Logs a warning, at most ten times a minute. `consequence` is the end of the logged sentence.
    func warnUndecodable(_ consequence: String, _ position: Position, _ error: any Error) {
        guard let omitted = undecodable.admit("\(name): \(consequence)") else { return }
        var metadata: Logger.Metadata = [
            "rx.stream": "\(name)", "rx.position": "\(position)", "error": "\(error)",
        ]
        if omitted > 0 { metadata["rx.omitted"] = "\(omitted)" }
        Logger(label: "RxStreams").warning(
            "a message cannot be decoded as \(Element.self): \(consequence)", metadata: metadata)
    }
}

extension StreamDriver {
    func makeIfMissing(_ stream: StreamSettings) async throws {
        do { _ = try await summary(of: stream.name) } catch BrokerError.missing { try await ensure(stream) }
    }

    /// Repeats the work while it throws ``BrokerError/unavailable(_:)``. If this takes a long time, logs a warning
    /// about once a minute.
    func persistently<Value: Sendable>(
        for stream: String, _ work: () async throws -> Value
    ) async throws -> Value {
        var patience = Patience()
        while true {
            do {
                return try await work()
            } catch BrokerError.unavailable(let why) {
                try await patience.wait(on: self) {
                    Logger(label: "RxStreams").warning(
                        "an operation of the engine failed: it is retried until it succeeds",
                        metadata: ["rx.stream": "\(stream)", "why": "\(why)"])
                }
            }
        }
    }

    /// Returns an observable. A task on the driver's executor sends its elements. Disposing of the subscription, or
    /// closing the broker or the driver, cancels the task. After a close, `CancellationError` becomes
    /// ``BrokerError/closed``.
    func feeding<Element: Sendable>(
        _ work: @escaping @Sendable (AnyObserver<Element>) async throws -> Void
    ) -> Observable<Element> {
        Observable.create { [self] observer in
            let passage = Departures.Passage(self)
            let isOver = SingleAssignmentDisposable()
            let task = Task(executorPreference: executor) {
                do {
                    try await work(observer)
                    observer.onCompleted()
                } catch is CancellationError where passage.isClosed {
                    observer.onError(BrokerError.closed)
                } catch {
                    observer.onError(error)
                }
                isOver.dispose()
                passage.end()
            }
            passage.whenClosed { task.cancel() }
            isOver.setDisposable(
                status.subscribe(
                    onNext: { if $0 == .closed { passage.close() } }, onCompleted: { passage.close() }))
            return Disposables.create {
                passage.leave()
                task.cancel()
            }
        }
    }
}
