/// The body of a method that every subclass overrides.
@usableFromInline
func abstractMethod(function: StaticString = #function) -> Never {
    fatalError("\(function) must be overridden")
}
