import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct BufferTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: String, count: Int) -> String {
        let source = scheduler.hot(source)
        let observer = scheduler.start { source.buffer(timeSpan: .seconds(30), count: count, scheduler: scheduler) }
        return observer.marble
    }

    @Test(arguments: [
        ("210:1 220:2 225:3 260:4 265|", 2, "220:[1, 2] 250:[3] 265:[4] 265|"),
        ("210:1 220:2 230|", 1, "210:[1] 220:[2] 230:[] 230|"),
        ("210:1 230:2 260:3 270|", 0, "230:[1, 2] 260:[3] 270:[] 270|"), ("250|", 9, "230:[] 250:[] 250|"),
        ("210:1 220!", 9, "220!"),
    ])
    func aSpanEndsWithItsTimeOrItsCount(source: String, count: Int, expected: String) {
        #expect(result(source, count: count) == expected)
    }

    @Test func anObserverThatFillsTheNextBufferStartsItsSpan() {
        let source = PublishSubject<Int>()
        let observer = scheduler.createObserver([Int].self)
        let subscription = source.buffer(timeSpan: .seconds(30), count: 1, scheduler: scheduler)
            .do(onNext: { if $0 == [1] { source.onNext(2) } }).take(3).subscribe(observer)
        defer { subscription.dispose() }
        scheduler.scheduleAt(10) { source.onNext(1) }
        scheduler.start()
        #expect(observer.marble == "10:[2] 10:[1] 40:[] 40|")
    }

    @Test func aSpanThatEndsWhileAFullBufferIsDeliveredSendsNothing() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        let subscription = source.buffer(timeSpan: .seconds(5), count: 1, scheduler: scheduler).subscribe(
            onNext: { elements in
                log("\(elements)@\(scheduler.clock)")
                if elements == [1] { scheduler.advanceTo(6) }
            })
        defer { subscription.dispose() }
        source.onNext(1)
        scheduler.advanceTo(11)
        #expect(log.text == "[1]@0 []@11")
    }

    @Test func whatItKeepsIsFreedAtTheDisposal() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.buffer(timeSpan: .seconds(30), count: 9, scheduler: scheduler).subscribe()
        for number in 0..<3 { source.onNext(tracker.make(number)) }
        #expect(tracker.live == 3)
        subscription.dispose()
        #expect(tracker.live == 0)
    }
}
