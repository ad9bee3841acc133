import RxSwift
import RxTest
import TestSupport
import Testing

struct GenerateTests {
    @Test func generateSendsWhileConditionHolds() {
        #expect(
            seen(Observable.generate(initialState: 1, condition: { $0 < 9 }, iterate: { $0 * 2 }))
                == "1 2 4 8 completed")
        #expect(seen(Observable.generate(initialState: 1, condition: { _ in false }, iterate: { $0 })) == "completed")
    }

    @Test func everyEventIsAnActionOfTheScheduler() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.start {
            Observable.generate(initialState: 0, condition: { $0 < 2 }, scheduler: scheduler, iterate: { $0 + 1 })
        }
        observer.expect("-01|")
    }

    @Test func closureErrorEndsTheSequence() {
        let condition = Observable.generate(
            initialState: 0, condition: { try passing($0, unless: 1, true) }, iterate: { $0 + 1 })
        #expect(seen(condition) == "0 error(b)")
        let iterate = Observable.generate(
            initialState: 0, condition: { _ in true }, iterate: { try passing($0, unless: 1, $0 + 1) })
        #expect(seen(iterate) == "0 1 error(b)")
    }

    @Test func callsNoClosureOnceItIsDisposed() {
        let log = Log()
        let source = Observable.generate(
            initialState: 0,
            condition: { number in
                log("condition(\(number))")
                return true
            },
            iterate: { number in
                log("iterate(\(number))")
                return number + 1
            })
        _ = source.take(2).subscribe()
        #expect(log.text == "condition(0) iterate(0) condition(1)")
    }

    @Test func asksNoConditionOnceIterateHasDisposedOfIt() {
        let (scheduler, log, subscription) = (TestScheduler(initialClock: 0), Log(), SerialDisposable())
        let source = Observable.generate(
            initialState: 0,
            condition: { number in
                log("condition(\(number))")
                return true
            }, scheduler: scheduler,
            iterate: { number in
                log("iterate(\(number))")
                subscription.dispose()
                return number + 1
            })
        subscription.disposable = source.subscribe()
        scheduler.start()
        #expect(log.text == "condition(0) iterate(0)")
    }

    @Test func mergedGeneratorsTakeTurns() {
        func two(from first: Int) -> Observable<Int> {
            .generate(initialState: first, condition: { $0 < first + 2 }, iterate: { $0 + 1 })
        }
        #expect(seen(Observable.merge(two(from: 1), two(from: 11))) == "1 11 2 12 completed")
    }
}
