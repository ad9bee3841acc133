/// Whether a shutdown of a scheduler runs or drops the waiting jobs.
///
/// Timers that are not due yet are dropped in either case: a shutdown does not wait for them.
public enum PendingWork: Sendable {
    /// The waiting jobs run, in order, before the threads end. Jobs that arrive during the shutdown are dropped, so a
    /// source that keeps scheduling cannot delay the end.
    case drain
    /// The waiting jobs are dropped without running. Only a job that already runs is completed.
    case drop
}
