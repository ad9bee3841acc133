import RxSwift
import TestSupport
import Testing

struct DeferredTests {
    @Test func makesASequenceForEachSubscription() {
        nonisolated(unsafe) var count = 0
        let source = Observable<Int>.deferred {
            count += 1
            return .of(count, count * 10)
        }
        #expect(count == 0)
        #expect(seen(source) == "1 10 completed")
        #expect(seen(source) == "2 20 completed")
    }

    @Test func factoryErrorEndsTheSequence() {
        #expect(seen(Observable<Int>.deferred { throw TestError.a }) == "error(a)")
    }
}
