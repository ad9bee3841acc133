import RxSwiftExt
import TestSupport
import Testing

struct CatchErrorJustCompleteTests {
    @Test func anErrorIsACompletion() {
        outcome("--1-#") { $0.catchErrorJustComplete() }.expect("--1-|", subscribed: "^---!")
        outcome("--1-|") { $0.catchErrorJustComplete() }.expect("--1-|", subscribed: "^---!")
    }
}
