import Logging
import RxSwift

/// A stream that an engine keeps: what is published to it is delivered at least once to each group, and may be
/// replayed.
///
/// ```swift
/// let publishing = source.publish(to: orders, id: \.id).subscribe(onError: report)
/// let work = orders.work(as: "billing", concurrency: 16) { order in try await charge(order) }
///     .subscribe(onError: report)
/// let view = orders.replay(from: .beginning).subscribe(onNext: { show($0.element) }, onError: report)
/// ```
///
/// It is a description: making one does nothing. Any number may describe the same stream, all of them alike: who
/// publishes to it or works on it gives it the settings that he describes. A ``Broker`` makes them.
public struct DurableStream<Element: Sendable>: Sendable {
    let driver: any StreamDriver
    let codec: Codec<Element>
    /// What the stream is.
    public let settings: StreamSettings
    let metrics: StreamMetrics

    init(_ driver: any StreamDriver, _ codec: Codec<Element>, _ settings: StreamSettings) {
        self.driver = driver
        self.codec = codec
        self.settings = settings
        metrics = StreamMetrics(stream: settings.name)
    }

    /// Its name.
    public var name: String { settings.name }

    /// The subject of an element that has none of its own: the first of the stream's, with `all` for each wildcard.
    var defaultSubject: String {
        let first = settings.subjects.first ?? name
        return (try? SubjectPattern(first))?.example ?? first
    }

    /// What the stream holds at present.
    ///
    /// - Throws: ``BrokerError``; ``BrokerError/missing(_:)`` where it has not been made.
    public func summary() async throws -> StreamSummary {
        try await driver.summary(of: name)
    }

    /// How far a group is at present.
    ///
    /// - Throws: ``BrokerError``; ``BrokerError/missing(_:)`` where it has not been made.
    public func summary(of group: String) async throws -> GroupSummary {
        try await driver.summary(of: group, in: name)
    }

    /// Makes the stream at the engine, or gives the one that is there these settings: what they do not keep goes at
    /// once. Publishing and groups do that by themselves; who only reads makes it where there is none, and changes
    /// nothing.
    public func ensure() async throws {
        try await driver.ensure(settings)
    }

    /// Removes the stream at the engine, with all that it keeps. Only once nobody works on it: on NATS, a verdict on
    /// one of its messages that comes later may settle another message, where the stream is made again.
    public func remove() async throws {
        try await driver.remove(stream: name)
    }

    /// Removes a group with its progress. Its members fail with ``BrokerError/missing(_:)``; whoever works in it next
    /// makes it anew, with another start or subject if he describes them. Only once nobody works in it: on NATS, a
    /// verdict that comes later may settle a delivery of the group that is made anew.
    public func remove(group: String) async throws {
        try await driver.remove(group: group, of: name)
    }
}

/// Limits the warnings of messages that cannot be decoded.
private let undecodable = WarningLimit()

extension DurableStream {
    /// Logs that a message cannot be decoded, ten times a minute at most.
    ///
    /// - Parameters:
    ///   - consequence: the end of the sentence that is logged.
    ///   - position: the position of the message.
    ///   - error: the error of the codec.
    func warnUndecodable(_ consequence: String, _ position: Position, _ error: any Error) {
        guard let omitted = undecodable.admit("\(name): \(consequence)") else { return }
        var metadata: Logger.Metadata = [
            "rx.stream": "\(name)", "rx.position": "\(position)", "error": "\(error)",
        ]
        if omitted > 0 { metadata["rx.omitted"] = "\(omitted)" }
        Logger(label: "RxStreams").warning("a message is no \(Element.self): \(consequence)", metadata: metadata)
    }
}

extension StreamDriver {
    /// Makes a stream where there is none; one that is there stays as it is.
    func makeIfMissing(_ stream: StreamSettings) async throws {
        do { _ = try await summary(of: stream.name) } catch BrokerError.missing { try await ensure(stream) }
    }

    /// Does what may fail for want of a connection, again and again until it succeeds or fails for another reason.
    /// Where that takes long, a warning says so about once a minute.
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
                        "the engine does not do what it is asked for: it is asked again and again",
                        metadata: ["rx.stream": "\(stream)", "why": "\(why)"])
                }
            }
        }
    }

    /// An observable that a task feeds, on the driver's executor. Disposing of it cancels the task.
    ///
    /// Closing the broker, or the driver alone, cancels the task as well. If the work then throws
    /// `CancellationError`, the observable fails with ``BrokerError/closed``.
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
