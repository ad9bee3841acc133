import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct BufferTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func result(_ source: String, count: Int) -> TestableObserver<[Int]> {
        let source = scheduler.hot(source)
        return scheduler.start { source.buffer(timeSpan: .seconds(30), count: count, scheduler: scheduler) }
    }

    @Test(arguments: [
        ("{10}1{9}2----3{34}4----|", 2, "{20}p{29}3{14}(4|)"),
        ("{10}1{9}2{9}|", 1, "{10}1{9}2{9}(o|)"),
        ("{10}1{19}2{29}3{9}|", 0, "{30}p{29}3{9}(o|)"),
        ("{50}|", 9, "{30}o{19}(o|)"),
        ("{10}1{9}2{19}3{9}|", .max, "{30}p{19}(3|)"),
        ("{10}1{9}#", 9, "{20}#"),
    ])
    func bufferEndsAfterSpanOrCount(source: String, count: Int, expected: String) {
        let values: [Character: [Int]] = ["o": [], "p": [1, 2], "1": [1], "2": [2], "3": [3], "4": [4]]
        result(source, count: count).expect(expected, values: values, error: TestError.a)
    }

    @Test func bufferStartedByObserverHasItsSpan() {
        let source = PublishSubject<Int>()
        let observer = scheduler.createObserver([Int].self)
        let subscription = source.buffer(timeSpan: .seconds(30), count: 1, scheduler: scheduler)
            .do(onNext: { if $0 == [1] { source.onNext(2) } }).take(3).subscribe(observer)
        defer { subscription.dispose() }
        scheduler.scheduleAt(10) { source.onNext(1) }
        scheduler.start()
        observer.expect("{10}(ab){29}(c|)", values: ["a": [2], "b": [1], "c": []], from: 0)
    }

    @Test func spanEndingDuringDeliveryOfFullBufferSendsNothing() {
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

    @Test func spanEndingDuringPauseSendsArrayAtResume() {
        let source = scheduler.createPausableObservable("-1", of: Int.self)
        let observer = scheduler.start(disposed: 208) {
            source.buffer(timeSpan: .seconds(3), count: 9, scheduler: scheduler).paused(by: "--p---r", on: scheduler)
        }
        observer.expect("------a", values: ["a": [1]])
    }

    @Test func completionDuringPauseSendsDueArrayAtOnce() {
        let source = scheduler.hot("-1--2|")
        let observer = scheduler.start {
            source.buffer(timeSpan: .seconds(3), count: 9, scheduler: scheduler).paused(by: "--p----r", on: scheduler)
        }
        observer.expect("-----(a|)", values: ["a": [1, 2]])
    }

    @Test func bufferedElementsAreFreedAtDisposal() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.buffer(timeSpan: .seconds(30), count: 9, scheduler: scheduler).subscribe()
        for number in 0..<3 { source.onNext(tracker.make(number)) }
        #expect(tracker.live == 3)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func bufferFilledByObserverKeepsNextSpan() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        let subscription = source.buffer(timeSpan: .seconds(5), count: 1, scheduler: scheduler).subscribe(
            onNext: { elements in
                log("\(elements)@\(scheduler.clock)")
                guard elements == [1] else { return }
                source.onNext(2)
                scheduler.sleep(3)
            })
        defer { subscription.dispose() }
        source.onNext(1)
        scheduler.advanceTo(7)
        #expect(log.text == "[1]@0 [2]@0 []@5")
    }
}
