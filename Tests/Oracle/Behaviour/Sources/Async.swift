// async and await. Uses no declaration of the package.
import Dispatch
import Foundation

/// runs the closure on a detached task, waits, and logs "throws <error>"
func awaited(_ f: @escaping () async throws -> Void) {
    let end = DispatchSemaphore(value: 0)
    Task.detached {
        do { try await f() } catch { l("throws \(error)") }; end.signal()
    }
    if end.wait(timeout: .now() + 3) != .success { l("TIMED-OUT") }
}

/// As `awaited`, but cancels the task once an entry of the log starts with the text.
func cancelled(when text: String, _ f: @escaping () async throws -> Void) {
    let end = DispatchSemaphore(value: 0)
    let task = Task.detached {
        do { try await f() } catch { l("throws \(error)") }; end.signal()
    }
    until { logged(text) }
    task.cancel()
    if end.wait(timeout: .now() + 3) != .success { l("TIMED-OUT") }
}
