import RxSwiftExt
import TestSupport
import Testing

struct CatchErrorJustCompleteTests {
    @Test func anErrorIsACompletion() {
        outcome("{10}1{9}#") { $0.catchErrorJustComplete() }.expect("{10}1{9}|", subscribed: "^{19}!")
        outcome("{10}1{9}|") { $0.catchErrorJustComplete() }.expect("{10}1{9}|", subscribed: "^{19}!")
    }
}
