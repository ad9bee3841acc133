import RxSwift
import TestSupport
import Testing

struct EmptyTests {
    @Test func emptyCompletes() {
        #expect(seen(Observable<Int>.empty()) == "completed")
    }

    @Test func neverIsSilentAndStaysSubscribed() {
        let log = Log()
        let subscription = Observable<Int>.never().subscribe { log($0) }
        #expect(log.text == "")
        subscription.dispose()
        #expect(log.text == "")
    }

    @Test func errorEndsWithIt() {
        #expect(seen(Observable<Int>.error(TestError.a)) == "error(a)")
    }
}
