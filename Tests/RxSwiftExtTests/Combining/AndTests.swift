import RxSwiftExt
import RxTest
import TestSupport
import Testing

@Suite struct AndTests {
    private func all(_ sources: String...) -> String {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = sources.map { scheduler.hot($0) }
        let observer = scheduler.start { Observable<Bool>.and(sources.map { $0.map { $0 == 1 } }).asObservable() }
        return ([observer.marble] + sources.map(\.subscribed)).joined(separator: " ")
    }

    private func one(_ source: String) -> String {
        outcome(source) { $0.map { $0 == 1 }.and() }
    }

    @Test func itIsTrueAtTheEnd() {
        #expect(one("210:1 220:1 230|") == "230:true 230| (200: 230)")
    }

    @Test func theFirstFalseEndsIt() {
        #expect(one("210:1 220:0 230:1") == "220:false 220| (200: 220)")
    }

    @Test func withoutElementsThereIsNone() {
        #expect(one("230|") == "230| (200: 230)")
    }

    @Test func anErrorEndsIt() {
        #expect(one("210:1 230!") == "230! (200: 230)")
    }

    @Test func severalAreTrueWhenAllHaveEnded() {
        #expect(all("210:1 220|", "215:1 230:1 240|") == "240:true 240| (200: 220) (200: 240)")
    }

    @Test func aFalseOfAnyEndsAll() {
        #expect(all("210:1 220|", "215:1 230:0 240|") == "230:false 230| (200: 220) (200: 230)")
    }

    @Test func aSourceWithoutElementsLeavesItOpen() {
        #expect(all("210:1 220|", "230|") == "230| (200: 220) (200: 230)")
        #expect(all("210|", "220:0 230|") == "220:false 220| (200: 210) (200: 220)")
        #expect(all() == "200|")
    }

    @Test func anErrorOfAnyEndsAll() {
        #expect(all("210:1", "215!") == "215! (200: 215) (200: 215)")
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
