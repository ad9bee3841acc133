/// The errors of several sequences, sent at the end of an operator that delays errors.
public struct CompositeError: Error {
    /// The errors, in the order in which they occurred; at least two.
    public let errors: [any Error]

    /// Creates an error from `errors`.
    public init(_ errors: [any Error]) {
        self.errors = errors
    }
}

extension CompositeError: CustomStringConvertible {
    /// The number of errors, and each error.
    public var description: String {
        "\(errors.count) errors: \(errors.map { "\($0)" }.joined(separator: "; "))"
    }
}
