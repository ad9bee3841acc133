/// Something that runs work: at once, later, or on another thread.
public protocol ImmediateSchedulerType {
    /// Schedules an action as soon as the scheduler gets to it.
    ///
    /// - Parameters:
    ///   - state: what the action is called with.
    ///   - action: the work; what it returns is disposed of together with the scheduled action.
    /// - Returns: the scheduled action; disposed before its turn, it never runs.
    @preconcurrency
    func schedule<StateType>(_ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable)
        -> any Disposable
}
