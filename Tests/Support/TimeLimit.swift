public import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. The limit is far above the duration of a test, because the time also counts while the
    /// body waits for a thread. A run begins all its tests at once, and they wait for the few threads of the
    /// concurrency pool, for minutes on a slow machine. The limit is below the time that scripts/test.sh allows for the
    /// whole run.
    public static var notForever: Self { .timeLimit(.minutes(25)) }
}
