public import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. All tests of a run begin together, so a test may wait minutes for a thread of the
    /// concurrency pool. The limit includes this wait, and is below the time that scripts/test.sh allows for the run.
    public static var notForever: Self { .timeLimit(.minutes(25)) }
}
