import RxOperators
import RxTest
import TestSupport
import Testing

struct RepeatWhenTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func repeating(
        _ source: String, _ handler: @escaping @Sendable (Observable<Void>) -> Observable<Int>
    ) -> Outcome<Int> {
        let source = scheduler.cold(source)
        return Outcome(scheduler.start { source.repeat(when: handler) }, source)
    }

    @Test func repeatWhenHandlerSendsSubscribesAgain() {
        repeating("{10}1{9}|") { [scheduler] completions in
            completions.take(1).concatMap { _ in Observable<Int>.timer(.seconds(5), scheduler: scheduler) }
        }
        .expect("{10}1{24}1{9}|", subscribed: "^{19}!", "{25}^{19}!")
    }

    @Test func repeatWhenHandlerSilentWaits() {
        repeating("{10}1{9}|") { completions in completions.flatMap { _ in Observable.empty() } }
            .expect("{10}1", subscribed: "^{19}!")
    }

    @Test func repeatWhenHandlerCompletesAtCompletionCompletes() {
        repeating("{10}1{9}|") { completions in completions.take(while: { _ in false }).map { _ in 0 } }
            .expect("{10}1{9}|", subscribed: "^{19}!")
    }

    @Test func repeatWhenHandlerFailsFails() {
        repeating("{10}1{9}|") { completions in completions.map { _ in throw TestError.b } }
            .expect("{10}1{9}#", error: TestError.b, subscribed: "^{19}!")
    }

    @Test func repeatWhenSourceFailsPassesTheErrorOn() {
        repeating("{10}1{9}#") { completions in completions.map { _ in 0 } }
            .expect("{10}1{9}#", subscribed: "^{19}!")
    }

    @Test func repeatWhenNestedRepeatsTheInnerOne() {
        let inner = Observable.just(1).repeat(when: { $0.scan(0) { count, _ in count + 1 }.take(while: { $0 < 2 }) })
        let outer = inner.repeat(when: { $0.scan(0) { count, _ in count + 1 }.take(while: { $0 < 2 }) })
        #expect(seen(outer) == "1 1 1 1 completed")
    }

    @Test func repeatWhenManyRepetitionsFitASmallStack() throws {
        let count = try runOnThread(stackSize: 512 * 1024) {
            nonisolated(unsafe) var count = 0
            _ = Observable.just(1).repeat(when: { $0 }).take(100_000).subscribe(onNext: { count += $0 })
            return count
        }
        #expect(count == 100_000)
    }
}
