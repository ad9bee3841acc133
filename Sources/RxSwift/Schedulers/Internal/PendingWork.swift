/// Whether a scheduler's shutdown runs or drops the waiting jobs. Timers that are not due are dropped in either case.
public enum PendingWork: Sendable {
    /// The waiting jobs run, in order. Jobs that arrive during the shutdown are dropped.
    case drain
    /// The waiting jobs are dropped. A running job is completed.
    case drop
}
