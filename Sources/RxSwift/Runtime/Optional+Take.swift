extension Optional {
    /// Moves the value out and leaves `nil`.
    @inlinable
    mutating func take() -> Wrapped? {
        let value = self
        self = nil
        return value
    }
}
