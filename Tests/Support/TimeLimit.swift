public import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. A run begins all its tests together, so a test may wait for minutes for one of the few
    /// threads of the concurrency pool. The limit includes this wait, and is below the time that scripts/test.sh allows
    /// for the whole run.
    public static var notForever: Self { .timeLimit(.minutes(25)) }
}
