import RxSwift
import TestSupport
import Testing

struct ScanIntoTests {
    @Test func sendsEachResult() {
        outcome("--1-2-|") { $0.scan(into: 10) { $0 += $1 } }
            .expect("--a-b-|", values: ["a": 11, "b": 13], subscribed: "^-----!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2") { $0.scan(into: 0) { $0 += try passing($1, unless: 2, $1) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    @Test func doesNotCopyTheResultForTheCall() {
        nonisolated(unsafe) var addresses: Set<UnsafeRawPointer> = []
        var seed: [Int] = []
        seed.reserveCapacity(100)
        _ = Observable.range(start: 0, count: 100).scan(into: [Int]()) { result, element in
            if element == 0 { result.reserveCapacity(100) }
            result.append(element)
            result.withUnsafeBytes { _ = addresses.insert($0.baseAddress!) }
        }.subscribe()
        #expect(addresses.count == 1)
    }

    @Test func elementPushedByClosureIsAccumulatedAfterItReturns() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        _ = subject.scan(into: 0) { result, element in
            if element == 1 { subject.onNext(10) }
            result += element
        }.subscribe(onNext: { log($0) })
        subject.onNext(1)
        subject.onNext(100)
        #expect(log.text == "1 11 111")
    }

    @Test func elementPushedWhileWaitingOneIsAccumulatedFollows() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        let subscription = subject.scan(into: 0) { result, element in
            if element < 3 { subject.onNext(element + 1) }
            result += element
        }.note(in: log)
        subject.onNext(1)
        #expect(log.text == "1 3 6")
        subscription.dispose()
    }

    @Test func freesTheResultWithTheEnd() {
        let (subject, tracker) = (PublishSubject<Int>(), LifetimeTracker())
        _ = subject.scan(into: [LifetimeTracker.Tracked]()) { $0.append(tracker.make($1)) }.subscribe()
        subject.onNext(1)
        #expect(tracker.live == 1)
        subject.onCompleted()
        #expect(tracker.live == 0)
    }

    @Test func waitingElementsAreNotAccumulatedAfterDisposal() {
        let (subject, log, subscription) = (PublishSubject<Int>(), Log(), SerialDisposable())
        subscription.disposable =
            subject
            .scan(into: 0) { result, element in
                log(element)
                if element == 1 {
                    subject.onNext(10)
                    subject.onNext(100)
                }
                result += element
            }
            .subscribe(onNext: { _ in subscription.dispose() })
        subject.onNext(1)
        #expect(log.text == "1")
    }
}
