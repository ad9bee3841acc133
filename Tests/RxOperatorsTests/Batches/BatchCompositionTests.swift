import RxOperators
import RxSwiftExt
import RxTest
import TestSupport
import Testing

struct BatchCompositionTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func text(_ elements: [Int]) -> String { elements.map(String.init).joined(separator: "+") }

    @Test func bufferByBoundaryAsCompositionSendsTheElementsBetween() {
        let boundary = scheduler.hot("---0----")
        outcome("-1-----2-|", on: scheduler) { $0.bufferWithTrigger(boundary).map(text) }
            .expect("---a-----(b|)", values: ["a": "1", "b": "2"], subscribed: "^--------!")
    }

    @Test func bufferByClosingFactoryAsCompositionSubscribesToEachClosingInTurn() {
        outcome("-1---2---3|", on: scheduler) { [scheduler] in
            let closing = Observable<Int>.deferred { .timer(.seconds(4), scheduler: scheduler) }
            return $0.bufferWithTrigger(closing.take(1).repeat(when: { $0 })).map(text)
        }
        .expect("----a---b-(c|)", values: ["a": "1", "b": "2", "c": "3"], subscribed: "^---------!")
    }

    @Test func windowByClosingFactoryAsCompositionOpensWindowsInTurn() {
        outcome("-1---2---3|", on: scheduler) { [scheduler] in
            let closing = Observable<Int>.deferred { .timer(.seconds(4), scheduler: scheduler) }
            return $0.window(boundary: closing.take(1).repeat(when: { $0 })).flatMap { $0.toArray() }.map(text)
        }
        .expect("----a---b-(c|)", values: ["a": "1", "b": "2", "c": "3"], subscribed: "^---------!")
    }

    @Test func bufferByOpeningsAsCompositionSendsTheElementsOfEachSpan() {
        let openings = scheduler.hot("-0---0------")
        outcome("--1-2-3-4-|", on: scheduler) { [scheduler] in
            $0.window(openings: openings) { _ in Observable<Int>.timer(.seconds(4), scheduler: scheduler) }
                .flatMap { $0.toArray() }.map(text)
        }
        .expect("-----a---b|", values: ["a": "1+2", "b": "3+4"], subscribed: "^---------!")
    }

    @Test func bufferByTimeWithShiftAsCompositionOverlaps() {
        outcome("-1-2-3-4-|", on: scheduler) { [scheduler] in
            let openings = Observable<Int>.timer(.seconds(0), period: .seconds(2), scheduler: scheduler)
            return $0.window(openings: openings) { _ in Observable<Int>.timer(.seconds(4), scheduler: scheduler) }
                .flatMap { $0.toArray() }.map(text)
        }
        .expect(
            "-----a-b-(cd|)", values: ["a": "2+3", "b": "3+4", "c": "4", "d": ""], subscribed: "^--------!")
    }

    @Test func bufferIntoACollectionAsCompositionConvertsEachArray() {
        outcome("-1-1-|") { $0.buffer(count: 2, skip: 2).map { Set($0) } }
            .expect("---a-|", values: ["a": [1]], subscribed: "^----!")
    }
}
