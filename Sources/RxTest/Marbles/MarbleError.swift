/// The error that `#` stands for in a marble string by default.
public struct MarbleError: Error, Equatable, CustomStringConvertible {
    /// Makes the error; all instances are equal.
    public init() {}

    /// The text `#`.
    public var description: String { "#" }
}
