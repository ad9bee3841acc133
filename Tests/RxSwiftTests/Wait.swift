import Dispatch
import Testing

func wait(for done: DispatchSemaphore) throws {
    try #require(done.wait(timeout: .now() + 300) == .success)
}
