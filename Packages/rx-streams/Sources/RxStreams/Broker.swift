public import Dispatch
public import RxSwift
public import ServiceLifecycle

/// Where streams are kept: one machine's file, servers, or a test's memory.
///
/// ```swift
/// let broker = try SQLiteBroker(path: "streams.sqlite")
/// let orders = broker.stream("orders", of: Order.self, subjects: ["orders.>"], keeping: .days(7))
/// ```
///
/// The same program runs on each of them: `SQLiteBroker` of `RxStreamsSQLite`, `NATSBroker` of `RxStreamsNATS`,
/// ``VirtualBroker`` in tests.
///
/// - **Connection**: it is made in the background and made again for ever; ``status`` says how it is. No sequence ends
///   because of it: what is to be published waits, and what was delivered and not settled comes again.
/// - **As a service**: in a `ServiceGroup` it runs until the graceful shutdown, and closes then. Let the pipelines be
///   services that come after it in the group: they are stopped before it.
public protocol Broker: Service {
    /// What keeps the streams.
    var driver: any LiveDriver { get }
}

extension Broker {
    /// How the connection is: the present state at once, then each change, on the broker's threads. Completes after
    /// ``BrokerStatus/closed``, never fails.
    public var status: Observable<BrokerStatus> { driver.status }

    /// A stream of elements in JSON. What first uses it makes it at the engine. What publishes to it or works on it
    /// gives one that is there these settings, so describe it alike everywhere: see ``DurableStream/ensure()``.
    ///
    /// - Parameters:
    ///   - name: its name: letters, digits, `-` and `_`.
    ///   - element: the type of its elements.
    ///   - subjects: the subjects of what it keeps, with `*` for one word and `>` at the end for one or more; its name
    ///     alone unless given. With `*` or `>` alone no other stream has a subject of one word, so it has no dead
    ///     letters and no groups.
    ///   - keeping: how long it keeps what it has got.
    ///   - replicas: on how many servers it is kept, where the engine has several.
    ///   - duplicateWindow: for how long an id is remembered, so that nothing is kept twice.
    public func stream<Element: Codable & Sendable>(
        _ name: String, of element: Element.Type, subjects: [String]? = nil, keeping: Retention = .forever,
        replicas: Int = 1, duplicateWindow: RxTimeInterval = .seconds(120)
    ) -> DurableStream<Element> {
        stream(
            name, of: element, codec: .json, subjects: subjects, keeping: keeping, replicas: replicas,
            duplicateWindow: duplicateWindow)
    }

    /// A stream of elements that have a codec of their own. What first uses it makes it at the engine. What publishes
    /// to it or works on it gives one that is there these settings, so describe it alike everywhere: see
    /// ``DurableStream/ensure()``.
    ///
    /// - Parameters:
    ///   - name: its name: letters, digits, `-` and `_`.
    ///   - element: the type of its elements.
    ///   - codec: how they become bytes.
    ///   - subjects: the subjects of what it keeps, with `*` for one word and `>` at the end for one or more; its name
    ///     alone unless given. With `*` or `>` alone no other stream has a subject of one word, so it has no dead
    ///     letters and no groups.
    ///   - keeping: how long it keeps what it has got.
    ///   - replicas: on how many servers it is kept, where the engine has several.
    ///   - duplicateWindow: for how long an id is remembered, so that nothing is kept twice.
    public func stream<Element: Sendable>(
        _ name: String, of element: Element.Type, codec: Codec<Element>, subjects: [String]? = nil,
        keeping: Retention = .forever, replicas: Int = 1, duplicateWindow: RxTimeInterval = .seconds(120)
    ) -> DurableStream<Element> {
        DurableStream(
            driver, codec,
            StreamSettings(
                name, subjects: subjects, keeping: keeping, replicas: replicas, duplicateWindow: duplicateWindow))
    }

    /// What is sent to a subject, or to all that match a pattern, while somebody listens: at most once.
    ///
    /// - Parameters:
    ///   - pattern: the subject, or a pattern with `*` for one word and `>` at the end for one or more.
    ///   - element: the type of its elements.
    ///   - codec: how they become bytes; JSON unless given.
    public func subject<Element: Codable & Sendable>(
        _ pattern: String, of element: Element.Type, codec: Codec<Element> = .json
    ) -> LiveSubject<Element> {
        LiveSubject(driver, pattern, codec)
    }

    /// A value that all processes see and change.
    ///
    /// - Parameters:
    ///   - name: its name: letters, digits, `-` and `_`.
    ///   - element: the type of the value.
    ///   - codec: how it becomes bytes; JSON unless given.
    public func relay<Element: Codable & Sendable>(
        _ name: String, of element: Element.Type, codec: Codec<Element> = .json
    ) -> SharedRelay<Element> {
        SharedRelay(driver, name, codec)
    }

    /// Ends all work with the broker, hands back what is not settled, and closes the connection. Closing again does
    /// nothing.
    ///
    /// Each pipeline of the broker fails with ``BrokerError/closed``, also while it waits for room, for its source or
    /// for the chain below. Its handlers are cancelled, no other handler begins, and it hands back what has not been
    /// handled. Closing waits until all pipelines have done that, those disposed of before among them, at most five
    /// seconds. After that, it hands back what they still have, also while a handler runs that does not heed its
    /// cancellation. A task that is cancelled closes as well.
    public func close() async {
        let driver = driver
        // A virtual clock is run by somebody, or by nobody: nothing is left to it.
        guard driver.executor == nil else { return await Departures.close(driver) }
        await Task { await Departures.close(driver) }.value
    }

    /// Runs until the service is asked to shut down gracefully or its task is cancelled, and closes.
    public func run() async throws {
        try? await gracefulShutdown()
        await close()
    }
}
