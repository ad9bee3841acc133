/// What a boundary does with elements that wait for the thread below it: ``ObservableType/observe(on:buffering:)``.
public enum Buffering: Sendable, Equatable {
    /// All wait. It is what every operator does until it is asked for something else.
    case unbounded
    /// At most so many wait; then the source pauses until a quarter of them is left. What cannot pause, a subject say,
    /// ends in ``FlowError/overflow(boundary:limit:source:)`` behind what waits.
    case pausing(Int)
    /// At most so many wait; what comes then is dropped.
    case oldest(Int)
    /// At most so many wait; the oldest of them is dropped for what comes.
    case newest(Int)
    /// At most so many wait; one more ends in ``FlowError/overflow(boundary:limit:source:)`` behind what waits.
    case failing(Int)

    /// Whether what fills it is told to pause.
    var pauses: Bool {
        if case .pausing = self { true } else { false }
    }

    /// How many elements may wait.
    var bound: Int {
        switch self {
        case .unbounded: .max
        case .pausing(let bound), .oldest(let bound), .newest(let bound), .failing(let bound): bound
        }
    }

    /// Stops the program where a bound makes no sense.
    @usableFromInline
    func checked(by boundary: StaticString) -> Buffering {
        if bound < 1 {
            rxFatalError("a bound must be at least 1", operator: boundary, argument: "buffering", value: self)
        }
        return self
    }
}

/// How bounded memory fails.
public enum FlowError: Error, Equatable {
    /// More elements came than may wait, from a source that cannot pause.
    ///
    /// - Parameters:
    ///   - boundary: the operator where they wait.
    ///   - limit: how many may.
    ///   - source: what sent them.
    case overflow(boundary: String, limit: Int, source: String)
}

extension FlowError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .overflow(let boundary, let limit, let source):
            "\(boundary) is full: \(limit) elements wait, and \(source) has not paused"
        }
    }
}
