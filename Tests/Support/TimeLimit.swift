public import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. It is far above what a test takes, because it counts before the body has a thread: a run
    /// begins all its tests, and they wait for the few threads of the concurrency pool, minutes on a slow machine. It
    /// is below what scripts/test.sh gives the whole run.
    public static var notForever: Self { .timeLimit(.minutes(25)) }
}
