extension Sequence where Element == Int {
    /// The numbers as strings. With `map(String.init)`, the compiler needs up to a second for an expectation.
    package var texts: [String] { map { number in "\(number)" } }
}
