/// The default error for `#` in a marble string.
public struct MarbleError: Error, Equatable, CustomStringConvertible {
    /// Makes the error; all instances are equal.
    public init() {}

    /// The text `#`.
    public var description: String { "#" }
}
