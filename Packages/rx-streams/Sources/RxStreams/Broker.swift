public import Dispatch
public import RxSwift
public import ServiceLifecycle

/// A store of named streams: a file on one machine, a PostgreSQL database, NATS servers, or memory in a test.
///
/// ```swift
/// let broker = try SQLiteBroker(path: "streams.sqlite")
/// let orders = broker.stream("orders", of: Order.self, subjects: ["orders.>"], keeping: .days(7))
/// ```
///
/// - **Connection**: the broker connects in the background and reconnects without limit; ``status`` reports the state.
///   A lost connection ends no sequence: publications wait, and unsettled elements are delivered again.
/// - **As a service**: in a `ServiceGroup` the broker runs until the graceful shutdown and then closes. Place the
///   pipelines after the broker in the group, so that they stop before it.
public protocol Broker: Service {
    /// The driver that stores the streams.
    var driver: any LiveDriver { get }
}

extension Broker {
    /// The state of the connection: the current state at once, then each change, on the broker's threads. Completes
    /// after ``BrokerStatus/closed`` and never fails.
    public var status: Observable<BrokerStatus> { driver.status }

    /// A stream of elements encoded as JSON. Publishing to an existing stream, or working on it, applies these
    /// settings: see ``DurableStream/ensure()``. So describe the stream in the same way everywhere.
    ///
    /// - Parameters:
    ///   - name: letters, digits, `-` and `_`.
    ///   - element: the type of the elements.
    ///   - subjects: the stored subjects, by default the stream's name; `*` matches one word, `>` at the end matches
    ///     one or more. The subjects of two streams must not overlap. If a subject is `*` or `>`, the stream cannot
    ///     have groups, because it would overlap the stream of dead letters.
    ///   - keeping: how long the stream retains messages.
    ///   - replicas: the number of servers that store the stream, if the engine has several.
    ///   - duplicateWindow: how long the stream remembers ids, to detect duplicates.
    public func stream<Element: Codable & Sendable>(
        _ name: String, of element: Element.Type, subjects: [String]? = nil, keeping: Retention = .forever,
        replicas: Int = 1, duplicateWindow: RxTimeInterval = .seconds(120)
    ) -> DurableStream<Element> {
        stream(
            name, of: element, codec: .json, subjects: subjects, keeping: keeping, replicas: replicas,
            duplicateWindow: duplicateWindow)
    }

    /// Like ``stream(_:of:subjects:keeping:replicas:duplicateWindow:)``, with a `codec` for the elements.
    public func stream<Element: Sendable>(
        _ name: String, of element: Element.Type, codec: Codec<Element>, subjects: [String]? = nil,
        keeping: Retention = .forever, replicas: Int = 1, duplicateWindow: RxTimeInterval = .seconds(120)
    ) -> DurableStream<Element> {
        DurableStream(
            driver, codec,
            StreamSettings(
                name, subjects: subjects, keeping: keeping, replicas: replicas, duplicateWindow: duplicateWindow))
    }

    /// A live subject. A message reaches each current subscriber at most once. In the `pattern`, `*` matches one word,
    /// `>` at the end one or more. `codec` encodes and decodes each `element`.
    public func subject<Element: Codable & Sendable>(
        _ pattern: String, of element: Element.Type, codec: Codec<Element> = .json
    ) -> LiveSubject<Element> {
        LiveSubject(driver, pattern, codec)
    }

    /// A value of the type `element` that all processes can read and change. Its `name` has letters, digits, `-` and
    /// `_`. `codec` encodes and decodes the value.
    public func relay<Element: Codable & Sendable>(
        _ name: String, of element: Element.Type, codec: Codec<Element> = .json
    ) -> SharedRelay<Element> {
        SharedRelay(driver, name, codec)
    }

    /// Ends all work with the broker, and closes the connection. Closing again has no effect.
    ///
    /// Each pipeline of the broker fails with ``BrokerError/closed``. Its handlers are cancelled, and its unhandled
    /// messages are returned to the engine at once, even if a handler ignores its cancellation. The call waits at most
    /// five seconds for all pipelines to end. The broker is closed even if the calling task is cancelled.
    public func close() async {
        let driver = driver
        // In virtual time, a task on the driver's executor runs only while a thread advances the clock. So the calling
        // task closes the driver itself.
        guard driver.executor == nil else { return await Departures.close(driver) }
        await Task { await Departures.close(driver) }.value
    }

    /// Runs until a graceful shutdown or the task's cancellation, then closes the broker.
    public func run() async throws {
        try? await gracefulShutdown()
        await close()
    }
}
