import Foundation
import RxOperators
import RxTest
import TestSupport
import Testing

struct TimeCompositionTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func after(_ seconds: Int) -> Observable<Int> { .timer(.seconds(seconds), scheduler: scheduler) }

    @Test func timestampAsCompositionHasTheTimeOfEachElement() {
        let start = scheduler.now
        outcome("-1-2|", on: scheduler) { [scheduler] in
            $0.map { (element: $0, time: scheduler.now) }
                .map { "\($0.element) at \(Int($0.time.timeIntervalSince(start)))" }
        }
        .expect("-a-b|", values: ["a": "1 at 201", "b": "2 at 203"], subscribed: "^---!")
    }

    @Test func sampleEveryAsCompositionSendsTheLatestInEachPeriod() {
        outcome("-123-----4---|", on: scheduler) { [scheduler] in
            $0.sample(Observable<Int>.interval(.seconds(5), scheduler: scheduler))
        }
        .expect("-----3----4----|", subscribed: "^------------!")
    }

    @Test func delayBySelectorAsCompositionDelaysEachElement() {
        outcome("-9-1----|", on: scheduler) { source in
            source.flatMap { element in after(element).take(1).map { _ in element } }
        }
        .expect("----1-----(9|)", subscribed: "^-------!")
    }

    @Test func delayBySelectorAsCompositionWithADefaultSendsAtTheCompletionOfTheTrigger() {
        let trigger = scheduler.cold("--|")
        outcome("-1--|", on: scheduler) { source in
            source.flatMap { element in trigger.take(1).map { _ in element }.ifEmpty(default: element) }
        }
        .expect("---1|", subscribed: "^---!")
    }

    @Test func debounceBySelectorAsCompositionSendsTheLastElementOfABurst() {
        outcome("-9-1-----2--|", on: scheduler) { source in
            source.flatMapLatest { element in after(element).take(1).map { _ in element } }
        }
        .expect("----1------2|", subscribed: "^-----------!")
    }
}
