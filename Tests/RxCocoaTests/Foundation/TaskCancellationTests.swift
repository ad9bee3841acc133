#if Foundation
    import Dispatch
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import TestSupport
    import Testing

    @testable import RxCocoa

    @Suite(.notForever)
    struct TaskCancellationTests {
        private func task() throws -> URLSessionTask {
            let url = try #require(URL(string: "http://127.0.0.1:9/"))
            return URLSession(configuration: .ephemeral).dataTask(with: url)
        }

        @Test func taskWithRunningHandlerIsNotCancelled() throws {
            let (task, later) = (try task(), try task())
            let cancellation = TaskCancellation()
            cancellation.taskHasEnded()
            cancellation.cancel(task)
            // `later` is cancelled before its handler begins.
            let another = TaskCancellation()
            another.cancel(later)
            another.taskHasEnded()
            #expect(task.state == .suspended)
            task.cancel()
        }

        @Test func aHandlerWaitsUntilTheCancellationIsDone() throws {
            let (cancellation, task) = (TaskCancellation(), try task())
            cancellation.cancel(task)
            cancellation.taskHasEnded()
            #expect((task.error as? URLError)?.code == .cancelled)
        }

        /// Checks the shortest of several waits, because a busy machine makes waits longer. A wait lasts at most a
        /// second.
        @Test func handlerContinuesAfterFinishedCancellation() throws {
            var shortest = UInt64.max
            for _ in 0..<5 where shortest > 500_000_000 {
                let (cancellation, task) = (TaskCancellation(), try task())
                cancellation.cancel(task)
                let begin = DispatchTime.now().uptimeNanoseconds
                cancellation.taskHasEnded()
                shortest = min(shortest, DispatchTime.now().uptimeNanoseconds - begin)
            }
            #expect(shortest < 500_000_000)
        }
    }
#endif
