public import RxSwift

/// A bound that can change while the program runs, for bounded subscriptions.
///
///     let room = QueueLimit(256, name: "lines")
///     let parsed = lines.observe(on: queue).map(parse).observe(on: other).bounded(room)
///     try room.setCount(1_024)
///
/// A subscription keeps the bound with which it was made, so a lower bound drops no waiting element. See
/// <doc:ChangingLimits>. Any thread may use a limit.
public final class QueueLimit: Sendable {
    /// The limit's name in ``InvalidLimit``.
    public let name: String

    private let current: Locked<Int>

    /// Creates a bound.
    ///
    /// - Parameters:
    ///   - count: the number of elements that may wait at each boundary; less than 1 stops the process.
    ///   - name: the limit's name in errors.
    public init(_ count: Int, name: String = "queue") {
        Self.problem(count)?.stop("QueueLimit")
        self.name = name
        current = Locked(count)
    }

    /// The bound of new subscriptions.
    public var count: Int { current.withLock { $0 } }

    /// Changes ``count``.
    ///
    /// - Throws: ``InvalidLimit`` for a bound below 1.
    public func setCount(_ count: Int) throws(InvalidLimit) {
        if let problem = Self.problem(count) { throw problem.error("queue limit \(name)") }
        current.withLock { $0 = count }
    }

    private static func problem(_ count: Int) -> LimitProblem? {
        count < 1 ? LimitProblem("A queue needs room for at least one element", "count", count, "elements") : nil
    }
}

extension ObservableType {
    /// Bounds the memory of everything upstream, with a bound that can change.
    ///
    /// See ``RxSwift/ObservableType/bounded(_:)``.
    public func bounded(_ limit: QueueLimit) -> Observable<Element> {
        bounded { limit.count }
    }
}
