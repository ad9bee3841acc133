extension PermitKeeper {
    /// Runs `work` with a permit, unless the task is cancelled before it has one.
    func run<Value>(
        isolation: isolated (any Actor)?, _ work: () async throws -> Value
    ) async throws -> Value {
        let request = TaskPermitRequest(self)
        try await request.permit(isolation: isolation)
        guard !Task.isCancelled else {
            settle(request, .unused)
            throw CancellationError()
        }
        do {
            let value = try await work()
            settle(request, .completed)
            return value
        } catch {
            settle(request, Task.isCancelled ? .disposed : .failed(error))
            throw error
        }
    }
}

/// A request whose permit a task awaits. The keeper calls one of `start`, `refuse` and `hasLeft`, once, and this call
/// resumes the task.
// @unchecked Sendable because `continuation` is written before the request is submitted, and only read afterwards.
private final class TaskPermitRequest: PermitRequest, @unchecked Sendable {
    private var continuation: CheckedContinuation<Void, any Error>?

    func permit(isolation: isolated (any Actor)?) async throws {
        do {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    self.continuation = continuation
                    keeper.submit(self)
                }
            } onCancel: {
                keeper.withdraw(self)
            }
        } catch {
            keeper.reportWithdrawal(self)
            throw error
        }
    }

    override func start() -> Bool {
        continuation?.resume()
        return true
    }

    override func refuse(_ error: any Error) {
        continuation?.resume(throwing: error)
    }

    override func hasLeft() {
        continuation?.resume(throwing: CancellationError())
    }
}
