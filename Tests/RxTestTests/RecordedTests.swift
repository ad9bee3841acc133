import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct RecordedTests {
    @Test func describesItself() {
        #expect(
            "\(Recorded.events(.next(10, "a"), .error(15, TestError.a), .completed(20)))"
                == "[next(a) @ 10, error(a) @ 15, completed @ 20]"
        )
    }

    @Test func isEqualInTimeAndValue() {
        #expect(Recorded.next(1, 2) == Recorded.next(1, 2))
        #expect(Recorded.next(1, 2) != Recorded.next(2, 2))
        #expect(Recorded.next(1, 2) != Recorded.next(1, 3))
        #expect(Recorded.next(1, 2) != .completed(1))
    }

    @Test func listsAreTheSameInBothForms() {
        let list: [Recorded<Event<Int>>] = [.next(1, 2), .completed(3)]
        #expect(Recorded.events(list) == Recorded.events(.next(1, 2), .completed(3)))
    }

    @Test func namesTheElementTypeOfAnEnd() {
        let ends = [Recorded.completed(1, Int.self), Recorded.error(2, TestError.b, Int.self)]
        #expect("\(ends)" == "[completed @ 1, error(b) @ 2]")
    }
}
