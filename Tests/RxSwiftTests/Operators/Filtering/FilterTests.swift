import RxSwift
import TestSupport
import Testing

struct FilterTests {
    @Test func filterPassesElementsThatSatisfyPredicate() {
        outcome("--1-2-3-|") { $0.filter { $0 != 2 } }.expect("--1---3-|", subscribed: "^-------!")
    }

    @Test func sourceErrorIsForwarded() {
        outcome("--1-#") { $0.filter { _ in false } }.expect("----#", subscribed: "^---!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2") { $0.filter { try passing($0, unless: 2, true) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    /// The map changes the element type, because a map and a filter of one type would be fused.
    @Test func isNotAskedOnceAMapAboveItHasDisposed() {
        let (subject, subscription) = (PublishSubject<Int>(), SerialDisposable())
        nonisolated(unsafe) var asked = 0
        let texts = subject.map { element in
            subscription.dispose()
            return "\(element)"
        }
        subscription.disposable = texts.filter { _ in
            asked += 1
            return true
        }
        .subscribe()
        subject.onNext(1)
        #expect(asked == 0)
    }
}
