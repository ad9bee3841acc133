import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct FlatMapFirstTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func elementsWhileTheInnerSequenceRunsAreDropped() {
        let source = scheduler.hot("--1-2---3-----------|")
        let inner = (0..<3).map { _ in scheduler.cold("-1|") }
        let slow = scheduler.cold("-7-8|")
        let observer = scheduler.start { source.flatMapFirst { $0 == 1 ? slow : inner[$0 - 1] } }
        observer.expect("---7-8---1----------|")
        slow.expectSubscriptions("--^---!")
        #expect(inner[1].subscriptions.isEmpty)
        inner[2].expectSubscriptions("--------^-!")
    }

    @Test func itWaitsForTheInnerSequence() {
        let source = scheduler.hot("--1|")
        scheduler.start { source.flatMapFirst { _ in scheduler.cold("-1--|") } }.expect("---1--|")
    }

    @Test func aThrowingSelectorEndsIt() {
        let source = scheduler.hot("--1")
        scheduler.start { source.flatMapFirst { _ -> Observable<Int> in throw TestError.a } }
            .expect("--#", error: TestError.a)
        source.expectSubscriptions("^-!")
    }

    @Test func theOuterSourceIsNotPaused() {
        let outer = scheduler.createPausableObservable("-1--2", of: Int.self)
        let inner = scheduler.createPausableObservable("--7|", of: Int.self)
        let observer = scheduler.start {
            outer.flatMapFirst { _ in inner.asObservable() }.paused(by: "--p----r", on: scheduler)
        }
        #expect(observer.events.map(\.value) == [.next(7)])
        outer.expectSignals("")
    }

    @Test func firstJustDuringPauseArrivesAtResume() {
        let outer = scheduler.hot("-1--23----|")
        scheduler.start { outer.flatMapFirst { Observable.just($0) }.paused(by: "--p----r", on: scheduler) }
            .expect("-1-----2--|")
    }

    @Test func anElementPushedWhileAJustIsDeliveredIsDropped() {
        let source = PublishSubject<Int>()
        let log = Log()
        let subscription = source.flatMapFirst { Observable.just($0) }.subscribe(onNext: { element in
            log(element)
            if element == 1 { source.onNext(2) }
        })
        defer { subscription.dispose() }
        source.onNext(1)
        source.onNext(3)
        #expect(log.text == "1 3")
    }

    @Test func completionWaitsForInnerSequenceOfReentrantSelector() {
        let source = PublishSubject<Int>()
        let inner = (0..<4).map { _ in PublishSubject<Int>() }
        let log = Log()
        let subscription = source.flatMapFirst { number in
            if number == 1 { source.onNext(2) }
            return inner[number]
        }
        .subscribe(onNext: { log($0) }, onCompleted: { log("|") })
        defer { subscription.dispose() }
        source.onNext(1)
        inner[2].onCompleted()
        source.onNext(3)
        inner[3].onNext(30)
        source.onCompleted()
        inner[1].onNext(10)
        inner[1].onCompleted()
        #expect(log.text == "10 |")
    }
}
