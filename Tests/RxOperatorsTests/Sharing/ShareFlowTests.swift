import RxOperators
import RxTest
import TestSupport
import Testing

struct ShareFlowTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let slow = TestScheduler(initialClock: 0)
    private let log = Log()

    private func numbers() -> Observable<Int> {
        Observable.range(start: 0, count: 10).subscribe(on: scheduler).share(flow: .slowest)
    }

    private func observe(_ source: Observable<Int>, on scheduler: TestScheduler, as name: String) -> any Disposable {
        source.observe(on: scheduler, buffering: .pausing(2)).subscribe(
            onNext: { [log] in log("\(name)\($0)") }, onError: { [log] in log("\($0)") },
            onCompleted: { [log] in log("\(name)|") })
    }

    @Test func shareFlowSlowestObserverPacesTheSource() {
        let numbers = numbers()
        let subscriptions = [observe(numbers, on: scheduler, as: "a"), observe(numbers, on: slow, as: "b")]
        scheduler.start()
        #expect(log.take() == "a0 a1")
        for _ in 0..<10 {
            slow.start()
            scheduler.start()
        }
        #expect(log.entries.filter { $0.hasPrefix("a") } == (2..<10).map { "a\($0)" } + ["a|"])
        #expect(log.entries.filter { $0.hasPrefix("b") } == (0..<10).map { "b\($0)" } + ["b|"])
        subscriptions.forEach { $0.dispose() }
    }

    @Test func shareFlowPausedObserverDisposedSourceResumes() {
        let numbers = numbers()
        let subscription = observe(numbers, on: scheduler, as: "a")
        let paused = observe(numbers, on: slow, as: "b")
        scheduler.start()
        #expect(log.take() == "a0 a1")
        paused.dispose()
        scheduler.start()
        #expect(log.text == "a2 a3 a4 a5 a6 a7 a8 a9 a|")
        subscription.dispose()
    }

    @Test func shareFlowObserverWithoutABoundDoesNotPause() {
        let numbers = numbers()
        let subscriptions = [
            observe(numbers, on: scheduler, as: "a"),
            numbers.observe(on: slow).subscribe(onNext: { [log] in log("b\($0)") }),
        ]
        scheduler.start()
        #expect(log.text == "a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a|")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func shareFlowLastObserverDisposedSourceIsDisposed() {
        let source = PublishSubject<Int>()
        let shared = source.share(flow: .slowest)
        let subscriptions = [observe(shared, on: scheduler, as: "a"), observe(shared, on: scheduler, as: "b")]
        subscriptions[0].dispose()
        #expect(source.hasObservers)
        subscriptions[1].dispose()
        #expect(!source.hasObservers)
        let later = observe(shared, on: scheduler, as: "c")
        #expect(source.hasObservers)
        later.dispose()
    }

    @Test func shareFlowSourceFailsEveryObserverFails() {
        let source = PublishSubject<Int>()
        let shared = source.share(flow: .slowest)
        let subscriptions = [observe(shared, on: scheduler, as: "a"), observe(shared, on: scheduler, as: "b")]
        source.onNext(1)
        source.onError(TestError.a)
        scheduler.start()
        #expect(log.entries.sorted() == ["a", "a", "a1", "b1"])
        subscriptions.forEach { $0.dispose() }
    }
}
