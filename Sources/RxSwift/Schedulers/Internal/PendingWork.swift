/// What becomes of the work that waits for its turn when a scheduler is shut down.
///
/// Timers that are not due yet are dropped either way: a shutdown waits for no clock.
public enum PendingWork: Sendable {
    /// It runs, in order, before the threads end. What comes meanwhile is let go, so a source that feeds on does not
    /// keep them.
    case drain
    /// It is let go without having run; only what runs already ends in its own time.
    case drop
}
