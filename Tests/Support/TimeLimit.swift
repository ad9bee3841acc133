public import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. All tests of a run begin together, so a test may wait minutes for a thread of the
    /// concurrency pool. The limit includes this wait. It is below the limit that scripts/test.sh sets for the run.
    public static var notForever: Self { .timeLimit(.minutes(25)) }
}
