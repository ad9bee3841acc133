import RxSwift
import TestSupport
import Testing

struct ReduceTests {
    @Test func sendsTheResultAtTheEnd() {
        outcome("--1-2-|") { $0.reduce(10, accumulator: +) }
            .expect("------(a|)", values: ["a": 13], subscribed: "^-----!")
    }

    @Test func sendsTheSeedWithoutAnElement() {
        outcome("------|") { $0.reduce(10, accumulator: +) }
            .expect("------(a|)", values: ["a": 10], subscribed: "^-----!")
    }

    @Test func transformsTheResult() {
        outcome("--1-2-|") { $0.reduce(0, accumulator: +) { "sum\($0)" } }
            .expect("------(a|)", values: ["a": "sum3"], subscribed: "^-----!")
    }

    @Test func dropsTheResultWithAnError() {
        outcome("--1-#") { $0.reduce(10, accumulator: +) }.expect("----#", subscribed: "^---!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2-|") { $0.reduce(0) { try passing($1, unless: 2, $0 + $1) } }
            .expect("----#", error: TestError.b, subscribed: "^---!")
        let mapped = outcome("--1---|") { $0.reduce(0, accumulator: +) { try passing($0, unless: 1, $0) } }
        mapped.expect("------#", error: TestError.b, subscribed: "^-----!")
    }

    /// `take(1)` still completes after the disposal, but `mapResult` must not run.
    @Test func disposedOfByItsClosureItMapsNoResult() {
        let (log, subscription, source) = (Log(), SerialDisposable(), PublishSubject<Int>())
        let sum = source.take(1).reduce(
            0,
            accumulator: {
                subscription.dispose()
                return $0 + $1
            },
            mapResult: {
                log("mapped")
                return $0
            })
        subscription.disposable = sum.note(in: log)
        source.onNext(1)
        #expect(log.text == "")
    }

    @Test func millionElementsFitSmallStack() throws {
        let sum = try runOnThread(stackSize: 512 << 10) {
            nonisolated(unsafe) var result = 0
            _ = Observable.range(start: 1, count: 1_000_000).reduce(0, accumulator: +).subscribe(onNext: { result = $0 }
            )
            return result
        }
        #expect(sum == 500_000_500_000)
    }
}
