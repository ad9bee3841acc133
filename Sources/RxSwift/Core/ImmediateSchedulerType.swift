/// Runs actions at once, later, or on another thread.
public protocol ImmediateSchedulerType {
    /// Schedules an action to run as soon as possible.
    ///
    /// - Parameters:
    ///   - state: the argument of the action.
    ///   - action: the work. It returns a disposable that is disposed of with the scheduled action.
    /// - Returns: a disposable. If it is disposed of before the action starts, the action does not run.
    @preconcurrency
    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable
}
