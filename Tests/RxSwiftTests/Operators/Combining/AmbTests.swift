import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct AmbTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func firstSourceToSendIsSelected() {
        let sources = ["{30}1|", "{20}2{19}|", "{25}3"].map { scheduler.cold($0) }
        let observer = scheduler.start { Observable.amb(sources.map { $0.asObservable() }) }
        observer.expect("{20}2{19}|")
        sources[0].expectSubscriptions("^{19}!")
        sources[1].expectSubscriptions("^{39}!")
        sources[2].expectSubscriptions("^{19}!")
    }

    @Test(arguments: [("--#", "--#"), ("--|", "--|")]) func terminalEventWins(
        source: String, result: String
    ) {
        let first = scheduler.cold("----1")
        let second = scheduler.cold(source)
        scheduler.start { first.amb(second) }.expect(result, error: TestError.a)
        first.expectSubscriptions("^-!")
    }

    @Test func firstOfTwoImmediateSourcesIsSelected() {
        #expect(seen(Observable.just(1).amb(Observable.just(2))) == "1 completed")
    }

    @Test func emptySourceListNeverEnds() {
        scheduler.start { Observable<Int>.amb([]) }.expect("")
    }

    @Test func theLosersAreDisposedBeforeTheElementIsDelivered() {
        let log = Log()
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        let sources = subjects.enumerated().map { index, subject in
            subject.do(onSubscribe: { log("\(index)+") }, onDispose: { log("\(index)-") })
        }
        let subscription = Observable.amb(sources).subscribe(onNext: { log($0) }, onCompleted: { log("completed") })
        defer { subscription.dispose() }
        subjects[1].onNext(7)
        subjects[1].onCompleted()
        #expect(log.text == "0+ 1+ 2+ 0- 2- 7 completed 1-")
    }

    @Test func sourceAfterImmediateWinnerIsSubscribedAndDisposed() {
        let second = scheduler.cold("--1")
        scheduler.start { Observable.just(9).amb(second) }.expect("(9|)")
        second.expectSubscriptions("(^!)")
    }

    @Test func loserElementsAreIgnored() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = Log()
        let subscription = first.amb(second).subscribe(onNext: { element in
            log("s\(element)")
            if element == 1 {
                second.onNext(8)
                first.onNext(2)
            }
            log("e\(element)")
        })
        defer { subscription.dispose() }
        first.onNext(1)
        #expect(log.text == "s1 s2 e2 e1")
    }

    @Test func loserElementDuringDisposalOfAnotherIsIgnored() {
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        let log = Log()
        let telling = subjects[0].do(onDispose: { subjects[2].onNext(8) })
        let sources = [telling, subjects[1].asObservable(), subjects[2].asObservable()]
        let subscription = Observable.amb(sources).subscribe(onNext: { log($0) })
        defer { subscription.dispose() }
        subjects[1].onNext(7)
        #expect(log.text == "7")
    }

    @Test func ofThreadsThatRaceOneWins() throws {
        for _ in 0..<200 {
            let subjects = (0..<3).map { _ in PublishSubject<Int>() }
            nonisolated(unsafe) var seen: [Int] = []
            let subscription = Observable.amb(subjects.map { $0.asObservable() }).subscribe(onNext: { seen.append($0) })
            try runConcurrently(threads: 3) { index in
                for _ in 0..<10 { subjects[index].onNext(index) }
            }
            #expect(Set(seen).count == 1)
            #expect(seen.count == 10)
            subscription.dispose()
        }
    }
    @Test func releasedWinnerIsFreed() {
        let tracker = LifetimeTracker()
        do {
            let subject = PublishSubject<Int>()
            let held = tracker.make()
            _ = subject.amb(Observable.never()).subscribe(onNext: { [held] _ in _ = held })
            subject.onNext(1)
        }
        #expect(tracker.live == 0)
    }
}
