/// Runs actions at once, later, or on another thread.
public protocol ImmediateSchedulerType {
    /// Schedules `action`, with the argument `state`, to run as soon as possible. The disposable that `action` returns
    /// is disposed of with the scheduled action.
    ///
    /// - Returns: a disposable. If it is disposed of before the action starts, the action does not run.
    @preconcurrency
    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable
}
