/// The error that `#` stands for in a marble string, unless it is told another one.
public struct MarbleError: Error, Equatable, CustomStringConvertible {
    /// The error that every `#` stands for.
    public init() {}

    /// `#`, as in the string.
    public var description: String { "#" }
}
