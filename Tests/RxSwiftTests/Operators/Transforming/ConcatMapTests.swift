import RxSwift
import RxTest
import TestSupport
import Testing

struct ConcatMapTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    @Test func innerSequencesFollowOneAnother() {
        let inner = (1...3).map { scheduler.cold("-----\($0){14}|") }
        outcome("{10}0-1-2{85}|", on: scheduler) { source in source.concatMap { inner[$0] } }
            .expect("{15}1{19}2{19}3{44}|", subscribed: "^{99}!")
        inner[0].expectSubscriptions("{10}^{19}!")
        inner[1].expectSubscriptions("{30}^{19}!")
        inner[2].expectSubscriptions("{50}^{19}!")
    }

    @Test func itCompletesWithTheLastInnerSequence() {
        let inner = scheduler.cold("-----1{44}|")
        outcome("{10}0{9}|", on: scheduler) { $0.concatMap { _ in inner } }.expect("{15}1{44}|", subscribed: "^{19}!")
    }

    @Test func anyErrorEndsIt() {
        let inner = scheduler.cold("-----1----#")
        outcome("{10}0{89}|", on: scheduler) { $0.concatMap { _ in inner } }.expect("{15}1----#", subscribed: "^{19}!")
        outcome("{10}1-#") { $0.concatMap { _ in Observable<Int>.never() } }.expect("{12}#", subscribed: "^{11}!")
        outcome("{10}1-2") { $0.concatMap { try passing($0, unless: 2, Observable.just($0)) } }
            .expect("{10}1-#", error: TestError.b, subscribed: "^{11}!")
    }

    @Test func anElementSentFromInsideWaitsForItsTurn() {
        let subject = PublishSubject<Int>()
        let log = log
        _ = subject.concatMap { Observable.just($0) }.subscribe(onNext: { element in
            log("(\(element)")
            if element < 4 {
                subject.onNext(element + 2)
                subject.onNext(element + 3)
            }
            log("\(element))")
        })
        subject.onNext(1)
        #expect(log.text == "(1 1) (3 3) (4 4) (5 5) (6 6)")
    }

    @Test func anInnerEventSentFromInsideIsNested() {
        let outer = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        let log = log
        _ = outer.concatMap { _ in inner }.subscribe(onNext: { element in
            log("(\(element)")
            if element == 1 { inner.onNext(2) }
            log("\(element))")
        })
        outer.onNext(0)
        inner.onNext(1)
        #expect(log.text == "(1 (2 2) 1)")
    }

    @Test func disposesEachInnerSequenceBeforeTheNext() {
        let outer = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        let log = log
        let all = outer.noteLifetime(in: log, as: "a").concatMap { inner.noteLifetime(in: log, as: "b\($0)") }
        _ = all.noteLifetime(in: log, as: "c").note(in: log)
        outer.onNext(1)
        outer.onNext(2)
        inner.onCompleted()
        #expect(log.take() == "c+ a+ b1+ b1- b2+ b2-")
        outer.onCompleted()
        #expect(log.text == "completed a- c-")
    }

    @Test func joinsInnerSequences() {
        #expect(seen(Observable.of(Observable.of(1, 2), .of(3, 4), .of(5)).concat()) == "1 2 3 4 5 completed")
    }

    @Test func waitingElementsAreFreedWithTheSubscription() {
        let tracker = LifetimeTracker()
        let outer = PublishSubject<LifetimeTracker.Tracked>()
        let inner = PublishSubject<Int>()
        let subscription = outer.concatMap { tracked in inner.do(onNext: { _ in _ = tracked }) }.subscribe()
        for _ in 0..<3 { outer.onNext(tracker.make()) }
        #expect(tracker.live == 3)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func hundredThousandElementsFitSmallStack() throws {
        let counts = try runOnSmallThread { () -> [Int] in
            let numbers = Observable.range(start: 0, count: 100_000)
            @Sendable func made(_ number: Int) -> Observable<Int> {
                .create { observer in
                    observer.onNext(number)
                    observer.onCompleted()
                    return Disposables.create()
                }
            }
            func count(_ source: Observable<Int>) -> Int {
                nonisolated(unsafe) var count = 0
                _ = source.subscribe(onNext: { _ in count += 1 })
                return count
            }
            return [
                count(numbers.concatMap { Observable.just($0) }),
                count(numbers.concatMap { Observable.of($0) }),
                count(numbers.concatMap(made)),
                count(numbers.map { Observable.just($0) }.merge()),
                count(numbers.map(made).merge(maxConcurrent: 2)),
            ]
        }
        #expect(counts == Array(repeating: 100_000, count: 5))
    }

    @Test func aHundredThousandThatWaitRunInALoop() throws {
        let count = try runOnSmallThread {
            nonisolated(unsafe) var count = 0
            let first = PublishSubject<Int>()
            let sources = Observable.range(start: 0, count: 100_000).map { $0 == 0 ? first.asObservable() : .just($0) }
            _ = sources.concat().subscribe(onNext: { _ in count += 1 })
            first.onCompleted()
            return count
        }
        #expect(count == 99_999)
    }

    @Test func nothingIsLostBetweenThreads() throws {
        let outer = PublishSubject<Int>()
        let log = Log()
        nonisolated(unsafe) var received = 0
        _ = outer.concatMap { Observable.of($0, $0) }.subscribe(
            onNext: { _ in received += 1 }, onCompleted: { log("completed") })
        try runConcurrently(threads: 4) { _ in
            for number in 0..<5_000 { outer.onNext(number) }
        }
        outer.onCompleted()
        #expect(received == 40_000)
        #expect(log.text == "completed")
    }

    @Test func aSelectorThatEndsItsSourceLosesNoElement() {
        let subject = PublishSubject<Int>()
        let subscription = subject.concatMap { element in
            subject.onCompleted()
            return Observable.of(element, element + 1)
        }.note(in: log)
        subject.onNext(1)
        #expect(log.text == "1 2 completed")
        subscription.dispose()
    }

    @Test func elementPushedBySelectorFollowsCurrentElement() {
        let subject = PublishSubject<Int>()
        let subscription = subject.concatMap { element in
            if element == 1 {
                subject.onNext(2)
                subject.onNext(3)
            }
            return Observable.just(element)
        }.note(in: log)
        subject.onNext(1)
        #expect(log.text == "1 2 3")
        subscription.dispose()
    }

    @Test func aSelectorThatEndsTheSequenceBeforeItLosesNoElement() {
        let (subject, inner) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = subject.concatMap { element in
            if element == 2 { inner.onCompleted() }
            return element == 1 ? inner.asObservable() : Observable.just(element)
        }.note(in: log)
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.text == "2")
        subscription.dispose()
    }
}
