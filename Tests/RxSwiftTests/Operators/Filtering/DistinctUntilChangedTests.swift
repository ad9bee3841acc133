import RxSwift
import TestSupport
import Testing

struct DistinctUntilChangedTests {
    private struct Pair {
        let left: Int
        let right = 0
    }

    @Test func leavesOutRepetitions() {
        outcome("--1-1-2-1-|") { $0.distinctUntilChanged() }
            .expect("--1---2-1-|", subscribed: "^---------!")
    }

    @Test func comparesKeys() {
        outcome("--1-3-2-4") { $0.distinctUntilChanged { $0 % 2 } }.expect("--1---2", subscribed: "^{799}!")
    }

    @Test func keyPathValuesAreCompared() {
        let result = outcome("--1-1-2") {
            $0.map { Pair(left: $0) }.distinctUntilChanged(at: \.left).map { $0.left }
        }
        result.expect("--1---2", subscribed: "^{799}!")
        let constant = outcome("--1-1-2") {
            $0.map { Pair(left: $0) }.distinctUntilChanged(at: \.right).map { $0.left }
        }
        constant.expect("--1", subscribed: "^{799}!")
    }

    @Test func asksTheComparer() {
        outcome("--1-1-2") { $0.distinctUntilChanged { $0 != $1 } }.expect("--1-1", subscribed: "^{799}!")
    }

    @Test func asksTheComparerAboutKeys() {
        let result = outcome("--1-2-a-b", values: ["a": 11, "b": 12]) {
            $0.distinctUntilChanged({ $0 % 10 }, comparer: { $0 < $1 })
        }
        result.expect("--1---a", values: ["a": 11], subscribed: "^{799}!")
    }

    @Test func elementIsComparedWithLastDeliveredOne() {
        outcome("--1-2-3") { $0.distinctUntilChanged { $1 - $0 < 2 } }.expect("--1---3", subscribed: "^{799}!")
    }

    @Test(arguments: 0..<3) func elementPushedInDeliveryIsComparedWithCurrentOne(form: Int) {
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

    @Test func firstNilIsSent() {
        let result = outcome("--1-2-3") { $0.map { $0 < 3 ? Int?.none : $0 }.distinctUntilChanged() }
        result.expect("--a---b", values: ["a": nil, "b": 3], subscribed: "^{799}!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2") { $0.distinctUntilChanged { try passing($0, unless: 2, $0) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
        let compared = outcome("--1-2") { $0.distinctUntilChanged { try passing($1, unless: 2, $0 == $1) } }
        compared.expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    @Test func doesNotAskForAKeyOnceAMapAboveItHasDisposedOfIt() {
        let (subject, log, subscription) = (PublishSubject<Int>(), Log(), SerialDisposable())
        let texts = subject.map { element in
            subscription.dispose()
            return "\(element)"
        }
        subscription.disposable = texts.distinctUntilChanged { text -> String in
            log(text)
            return text
        }
        .subscribe()
        subject.onNext(1)
        #expect(log.text == "")
    }

    @Test func doesNotCompareOnceTheKeySelectorHasDisposedOfIt() {
        let (subject, log, subscription) = (PublishSubject<Int>(), Log(), SerialDisposable())
        subscription.disposable =
            subject
            .distinctUntilChanged(
                { (number: Int) -> Int in
                    if number == 2 { subscription.dispose() }
                    return number
                },
                comparer: { (left: Int, right: Int) -> Bool in
                    log("\(left)=\(right)")
                    return left == right
                }
            )
            .subscribe()
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.text == "")
    }
}
