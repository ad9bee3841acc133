import RxSwiftExt
import RxTest
import TestSupport
import Testing

@Suite struct AndTests {
    private func all(_ sources: String...) -> Outcome<Bool> {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = sources.map { scheduler.hot($0) }
        let observer = scheduler.start { Observable<Bool>.and(sources.map { $0.map { $0 == 1 } }).asObservable() }
        return Outcome(observer, sources)
    }

    private func one(_ source: String) -> Outcome<Bool> {
        outcome(source) { $0.map { $0 == 1 }.and() }
    }

    @Test func trueElementsSendTrueAtCompletion() {
        one("--1-1-|").expect("------(a|)", values: ["a": true], subscribed: "^-----!")
    }

    @Test func theFirstFalseEndsIt() {
        one("--1-0-1").expect("----(a|)", values: ["a": false], subscribed: "^---!")
    }

    @Test func emptySourceCompletesWithoutElement() {
        one("------|").expect("------|", subscribed: "^-----!")
    }

    @Test func anErrorEndsIt() {
        one("--1---#").expect("------#", subscribed: "^-----!")
    }

    @Test func severalAreTrueWhenAllHaveEnded() {
        all("--1-|", "---1--1-|").expect("--------(a|)", values: ["a": true], subscribed: "^---!", "^-------!")
    }

    @Test func oneSourceAloneIsAll() {
        all("--1-|").expect("----(a|)", values: ["a": true], subscribed: "^---!")
    }

    @Test func aFalseOfAnyEndsAll() {
        all("--1-|", "---1--0-|").expect("------(a|)", values: ["a": false], subscribed: "^---!", "^-----!")
    }

    @Test func aSourceWithoutElementsLeavesItOpen() {
        all("--1-|", "------|").expect("------|", subscribed: "^---!", "^-----!")
        all("--|", "----0-|").expect("----(a|)", values: ["a": false], subscribed: "^-!", "^---!")
        all().expect("|")
    }

    @Test func anErrorOfAnyEndsAll() {
        all("--1", "---#").expect("---#", subscribed: "^--!", "^--!")
    }

    @Test func sourcesMayBeListed() {
        #expect(
            seen(Observable<Bool>.and(Observable.of(true, true), Observable.just(true)).asObservable())
                == "true completed")
        #expect(
            seen(Observable<Bool>.and(Observable.just(true), Observable.just(false)).asObservable())
                == "false completed")
    }

    @Test func falseOfAnySourceIsSeenInRace() throws {
        for round in 0..<100 {
            let sources = (0..<3).map { _ in PublishSubject<Bool>() }
            nonisolated(unsafe) var seen: [Bool] = []
            let subscription = Observable<Bool>.and(sources).subscribe(onSuccess: { seen.append($0) })
            try runConcurrently(threads: 3) { thread in
                sources[thread].onNext(true)
                if round.isMultiple(of: 2) { sources[thread].onNext(thread != 1) }
                sources[thread].onCompleted()
            }
            #expect(seen == [!round.isMultiple(of: 2)])
            subscription.dispose()
        }
    }
}
