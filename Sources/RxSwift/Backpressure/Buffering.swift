/// The policy of a boundary for elements that wait for the thread below: ``ObservableType/observe(on:buffering:)``.
public enum Buffering: Sendable, Equatable {
    /// The queue has no bound. This is the default of every operator.
    case unbounded
    /// When the queue holds this number of elements, the source pauses until a quarter of them is left. If the source
    /// cannot pause, such as a subject, the sequence fails with ``FlowError/overflow(boundary:limit:source:)``, after
    /// the queued elements.
    case pausing(Int)
    /// When the queue holds this number of elements, new elements are dropped.
    case oldest(Int)
    /// When the queue holds this number of elements, a new element replaces the oldest one.
    case newest(Int)
    /// When the queue holds this number of elements, one more fails the sequence with
    /// ``FlowError/overflow(boundary:limit:source:)``, after the queued elements.
    case failing(Int)

    /// Whether a full queue pauses the source.
    var pauses: Bool {
        if case .pausing = self { true } else { false }
    }

    /// The maximum number of waiting elements.
    var bound: Int {
        switch self {
        case .unbounded: .max
        case .pausing(let bound), .oldest(let bound), .newest(let bound), .failing(let bound): bound
        }
    }

    /// Traps if the bound is not positive.
    @usableFromInline
    func checked(by boundary: StaticString) -> Buffering {
        if bound < 1 {
            rxFatalError("a bound must be at least 1", operator: boundary, argument: "buffering", value: self)
        }
        return self
    }
}

/// The error of a bounded queue.
public enum FlowError: Error, Equatable {
    /// A source that did not pause sent more elements than the queue may hold.
    ///
    /// - Parameters:
    ///   - boundary: the operator with the queue.
    ///   - limit: the bound of the queue.
    ///   - source: the name of the source.
    case overflow(boundary: String, limit: Int, source: String)
}

extension FlowError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .overflow(let boundary, let limit, let source):
            """
            \(boundary) is full: \(limit) \(limit == 1 ? "element is" : "elements are") waiting, and \(source) did \
            not pause; use a source that can pause, or drop elements (see the page "Bounded memory")
            """
        }
    }
}
