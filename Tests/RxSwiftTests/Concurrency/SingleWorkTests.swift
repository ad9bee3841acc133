import RxSwift
import TestSupport
import Testing

struct SingleWorkTests {
    @Test func theResultIsTheEvent() async throws {
        #expect(try await Single<Int>.create { 5 }.value == 5)
        #expect(try await Single<Int>.create(detached: true, priority: .high) { 6 }.value == 6)
        await #expect(throws: TestError.a) { try await Single<Int>.create { () async throws -> Int in throw TestError.a }.value }
    }

    @Test func disposalCancelsTheWork() async {
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let single = Single<Int>.create {
            while !Task.isCancelled { await Task.yield() }
            end.yield(Task.isCancelled)
            return 5
        }
        single.subscribe(onSuccess: { _ in Issue.record("a success after disposal") }).dispose()
        for await wasCancelled in ended {
            #expect(wasCancelled)
            break
        }
    }
}
