import RxSwiftExt
import TestSupport
import Testing

struct CatchErrorJustCompleteTests {
    @Test func anErrorIsACompletion() {
        #expect(outcome("210:1 220!") { $0.catchErrorJustComplete() } == "210:1 220| (200: 220)")
        #expect(outcome("210:1 220|") { $0.catchErrorJustComplete() } == "210:1 220| (200: 220)")
    }
}
