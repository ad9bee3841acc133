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

    @Test func itIsTrueAtTheEnd() {
        one("{10}1{9}1{9}|").expect("{30}(a|)", values: ["a": true], subscribed: "^{29}!")
    }

    @Test func theFirstFalseEndsIt() {
        one("{10}1{9}0{9}1").expect("{20}(a|)", values: ["a": false], subscribed: "^{19}!")
    }

    @Test func withoutElementsThereIsNone() {
        one("{30}|").expect("{30}|", subscribed: "^{29}!")
    }

    @Test func anErrorEndsIt() {
        one("{10}1{19}#").expect("{30}#", subscribed: "^{29}!")
    }

    @Test func severalAreTrueWhenAllHaveEnded() {
        all("{10}1{9}|", "{15}1{14}1{9}|").expect("{40}(a|)", values: ["a": true], subscribed: "^{19}!", "^{39}!")
    }

    @Test func aFalseOfAnyEndsAll() {
        all("{10}1{9}|", "{15}1{14}0{9}|").expect("{30}(a|)", values: ["a": false], subscribed: "^{19}!", "^{29}!")
    }

    @Test func aSourceWithoutElementsLeavesItOpen() {
        all("{10}1{9}|", "{30}|").expect("{30}|", subscribed: "^{19}!", "^{29}!")
        all("{10}|", "{20}0{9}|").expect("{20}(a|)", values: ["a": false], subscribed: "^{9}!", "^{19}!")
        all().expect("|")
    }

    @Test func anErrorOfAnyEndsAll() {
        all("{10}1", "{15}#").expect("{15}#", subscribed: "^{14}!", "^{14}!")
    }

    @Test func sourcesMayBeListed() {
        #expect(
            seen(Observable<Bool>.and(Observable.of(true, true), Observable.just(true)).asObservable())
                == "true completed")
        #expect(
            seen(Observable<Bool>.and(Observable.just(true), Observable.just(false)).asObservable())
                == "false completed")
    }

    @Test func oneFalseIsSeenInARace() throws {
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
