/// Returns `body` as a `@Sendable` closure, for a closure of this package that the compiler cannot check.
///
/// The public API takes `@Sendable` closures, because their isolation must not be inferred. A chain calls them one at a
/// time, but on any thread. So `body` may capture what the chain's own guards protect, and generic types.
@inlinable
package func unchecked<Input, Output>(_ body: @escaping (Input) -> Output) -> @Sendable (Input) -> Output {
    nonisolated(unsafe) let body = body
    return { body($0) }
}

/// Returns a `body` without arguments as a `@Sendable` closure.
@inlinable
package func unchecked<Output>(_ body: @escaping () -> Output) -> @Sendable () -> Output {
    nonisolated(unsafe) let body = body
    return { body() }
}

/// Returns a throwing `body` as a `@Sendable` closure.
@inlinable
package func unchecked<Input, Output>(
    _ body: @escaping (Input) throws -> Output
) -> @Sendable (Input) throws -> Output {
    nonisolated(unsafe) let body = body
    return { try body($0) }
}
