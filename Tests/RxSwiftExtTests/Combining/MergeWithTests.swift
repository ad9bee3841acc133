import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct MergeWithTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func elementsComeAsTheyAreSent() {
        let (a, b) = (scheduler.hot("{10}1{19}3{9}|"), scheduler.hot("{20}2{29}4{9}|"))
        scheduler.start { a.asObservable().merge(with: b.asObservable()) }.expect("{10}1{9}2{9}3{19}4{9}|")
    }

    @Test func severalMayBeMerged() {
        let sources = ["{10}1{29}|", "{20}2{29}|", "{30}3{29}|"].map { scheduler.hot($0).asObservable() }
        scheduler.start { sources[0].merge(with: Array(sources[1...])) }.expect("{10}1{9}2{9}3{29}|")
    }
}
