import RxOperators
import RxTest
import TestSupport
import Testing

struct ExpandTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func expandElementsOfInnerSequencesAreExpandedAgain() {
        outcome("-1--|", on: scheduler) { [scheduler] in
            $0.expand { element in
                element < 4
                    ? Observable<Int>.timer(.seconds(2), scheduler: scheduler).map { _ in element + 1 } : .empty()
            }
        }
        .expect("-1-2-3-(4|)", subscribed: "^---!")
    }

    @Test func expandSynchronousSequencesSendEachElementAfterItsParent() {
        let tree = Observable.just(1).expand { $0 < 4 ? Observable.of(2 * $0, 2 * $0 + 1) : .empty() }
        nonisolated(unsafe) var order: [Int] = []
        _ = tree.subscribe(onNext: { order.append($0) })
        #expect(order.sorted() == Array(1...7))
        for (index, element) in order.enumerated() where element > 1 {
            #expect(order[..<index].contains(element / 2))
        }
    }

    @Test func expandInnerErrorFails() {
        outcome("-1--|") { $0.expand { _ in Observable<Int>.error(TestError.b) } }
            .expect("-(1#)", error: TestError.b, subscribed: "^!")
    }

    @Test func expandSelectorThrowsFailsAfterElement() {
        outcome("-1-2-|") { $0.expand { try passing($0, unless: 2, Observable<Int>.empty()) } }
            .expect("-1-(2#)", error: TestError.b, subscribed: "^--!")
    }

    @Test func expandSelectorThrowsForInnerElementFailsAfterElement() {
        outcome("-1--|") { $0.expand { try passing($0, unless: 2, Observable.just(2)) } }
            .expect("-(12#)", error: TestError.b, subscribed: "^!")
    }

    @Test func expandSelectorThrowsWhileOtherThreadDeliversFailsAfterElement() {
        let (source, inner, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        _ = source.expand { element -> Observable<Int> in
            switch element {
            case 1: inner.asObservable()
            case 2: throw TestError.b
            default: .empty()
            }
        }
        .subscribe(
            onNext: { element in
                log(element)
                if element == 3 { #expect(throws: Never.self) { try runOnThread { inner.onNext(2) } } }
            }, onError: { log($0) })
        source.onNext(1)
        source.onNext(3)
        #expect(log.text == "1 3 2 b")
    }

    @Test func expandSelectorThrowsObserverLeavesAtElementSendsNothingMore() {
        let (source, log) = (PublishSubject<Int>(), Log())
        _ = source.expand { try passing($0, unless: 1, Observable<Int>.empty()) }.take(1)
            .subscribe(onNext: { log($0) }, onError: { log($0) }, onCompleted: { log("|") })
        source.onNext(1)
        #expect(log.text == "1 |")
        #expect(!source.hasObservers)
    }

    @Test func expandObserverEndsTheSourceAtAnElementExpandsThatElement() {
        let (source, log) = (PublishSubject<Int>(), Log())
        _ = source.expand { $0 < 3 ? Observable.just($0 + 1) : .empty() }
            .subscribe(
                onNext: { element in
                    log(element)
                    if element == 1 { source.onCompleted() }
                }, onCompleted: { log("|") })
        source.onNext(1)
        #expect(log.text == "1 2 3 |")
    }

    @Test func expandManyLevelsFitASmallStack() throws {
        let count = try runOnThread(stackSize: 512 * 1024) {
            nonisolated(unsafe) var count = 0
            _ = Observable.just(1).expand { $0 < 100_000 ? Observable.just($0 + 1) : .empty() }
                .subscribe(onNext: { _ in count += 1 })
            return count
        }
        #expect(count == 100_000)
    }

    @Test func expandDisposedSelectsNothingMore() {
        let (source, log) = (PublishSubject<Int>(), Log())
        _ = source.expand { element in
            log("select \(element)")
            return Observable<Int>.empty()
        }
        .take(1).subscribe(onNext: { log($0) })
        source.onNext(1)
        source.onNext(2)
        #expect(log.text == "select 1 1")
        #expect(!source.hasObservers)
    }
}
