import RxSwift
import TestSupport
import Testing

struct DistinctUntilChangedTests {
    private struct Pair {
        let left: Int
        let right = 0
    }

    @Test func leavesOutRepetitions() {
        #expect(
            outcome("210:1 220:1 230:2 240:1 250|") { $0.distinctUntilChanged() } == "210:1 230:2 240:1 250| (200: 250)"
        )
    }

    @Test func comparesKeys() {
        #expect(outcome("210:1 220:3 230:2 240:4") { $0.distinctUntilChanged { $0 % 2 } } == "210:1 230:2 (200: 1000)")
    }

    @Test func comparesWhatTheKeyPathLeadsTo() {
        let text = outcome("210:1 220:1 230:2") {
            $0.map { Pair(left: $0) }.distinctUntilChanged(at: \.left).map { $0.left }
        }
        #expect(text == "210:1 230:2 (200: 1000)")
        let constant = outcome("210:1 220:1 230:2") {
            $0.map { Pair(left: $0) }.distinctUntilChanged(at: \.right).map { $0.left }
        }
        #expect(constant == "210:1 (200: 1000)")
    }

    @Test func asksTheComparer() {
        #expect(outcome("210:1 220:1 230:2") { $0.distinctUntilChanged { $0 != $1 } } == "210:1 220:1 (200: 1000)")
    }

    @Test func asksTheComparerAboutKeys() {
        let text = outcome("210:1 220:2 230:11 240:12") { $0.distinctUntilChanged({ $0 % 10 }, comparer: { $0 < $1 }) }
        #expect(text == "210:1 230:11 (200: 1000)")
    }

    @Test func comparesWithTheLastElementLetThrough() {
        #expect(outcome("210:1 220:2 230:3") { $0.distinctUntilChanged { $1 - $0 < 2 } } == "210:1 230:3 (200: 1000)")
    }

    @Test(arguments: 0..<3) func anElementPushedFromWithinADeliveryIsComparedWithTheOneUnderWay(form: Int) {
        let (subject, log) = (PublishSubject<Int>(), Log())
        let distinct =
            switch form {
            case 0: subject.distinctUntilChanged()
            case 1: subject.distinctUntilChanged { $0 }
            default: subject.distinctUntilChanged { $0 == $1 }
            }
        let subscription = distinct.subscribe(onNext: {
            log($0)
            guard log.entries.count < 5, $0 == 1 else { return }
            subject.onNext(1)
            subject.onNext(2)
        })
        defer { subscription.dispose() }
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.text == "1 2")
    }

    @Test func tellsNilFromNothing() {
        let text = outcome("210:1 220:2 230:3") { $0.map { $0 < 3 ? Int?.none : $0 }.distinctUntilChanged() }
        #expect(text == "210:nil 230:Optional(3) (200: 1000)")
    }

    @Test func endsWithWhatTheClosuresThrow() {
        #expect(
            outcome("210:1 220:2") { $0.distinctUntilChanged { try passing($0, unless: 2, $0) } }
                == "210:1 220!b (200: 220)")
        let compared = outcome("210:1 220:2") { $0.distinctUntilChanged { try passing($1, unless: 2, $0 == $1) } }
        #expect(compared == "210:1 220!b (200: 220)")
    }
}
