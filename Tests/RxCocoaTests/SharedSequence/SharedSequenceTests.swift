import RxCocoa
import RxTest
import TestSupport
import Testing

struct SharedSequenceTests {
    private let log = Log()
    private let time = TestScheduler(initialClock: 0)

    private func make<Strategy>(_ strategy: Strategy.Type, _ marbles: String) -> (
        TestableObservable<Int>, SharedSequence<Strategy, Int>
    ) {
        let source = time.hot(marbles, from: 0)
        return SharingScheduler.mocked(time) { (source, source.asSharedSequence(onErrorJustReturn: 0)) }
    }

    @Test func driverReplaysLatestElementToLateObserver() {
        let (source, driver) = make(DriverSharingStrategy.self, "{10}1{9}2{9}3")
        let first = driver.asObservable().note(in: log, as: "first")
        time.advanceTo(25)
        let second = driver.asObservable().note(in: log, as: "second")
        time.advanceTo(40)
        #expect(log.text == "first1 first2 second2 first3 second3")
        [first, second].forEach { $0.dispose() }
        source.expectSubscriptions("^{39}!", from: 0)
    }

    @Test func signalReplaysNothingToLateObserver() {
        let (source, signal) = make(SignalSharingStrategy.self, "{10}1{9}2{9}3")
        let first = signal.asObservable().note(in: log, as: "first")
        time.advanceTo(25)
        let second = signal.asObservable().note(in: log, as: "second")
        time.advanceTo(40)
        #expect(log.text == "first1 first2 first3 second3")
        [first, second].forEach { $0.dispose() }
        source.expectSubscriptions("^{39}!", from: 0)
    }

    @Test func driverWithoutObserversForgetsElement() {
        let (source, driver) = make(DriverSharingStrategy.self, "{10}1{9}2{9}3")
        let first = driver.asObservable().note(in: log)
        time.advanceTo(15)
        first.dispose()
        let second = driver.asObservable().note(in: log)
        time.advanceTo(25)
        second.dispose()
        #expect(log.text == "1 2")
        source.expectSubscriptions("^{14}!", "{15}^{9}!", from: 0)
    }

    @Test func observerAfterEndSubscribesToSourceAgain() {
        let (source, driver) = make(DriverSharingStrategy.self, "{10}1{9}|")
        let first = driver.asObservable().note(in: log)
        time.advanceTo(30)
        let second = driver.asObservable().note(in: log)
        #expect(log.text == "1 completed")
        source.expectSubscriptions("^{19}!", "{30}^", from: 0)
        [first, second].forEach { $0.dispose() }
    }

    @Test func driverReplaysOnSubscribingThread() throws {
        let (_, driver) = make(DriverSharingStrategy.self, "{10}1")
        let first = driver.drive()
        time.advanceTo(20)
        try runOnThread { [log] in
            driver.drive(onNext: { log($0) }).dispose()
            log("driven")
        }
        #expect(log.text == "1 driven")
        first.dispose()
    }

    @Test func sharedSequenceConvertsToObservableAndInfallible() {
        let (_, signal) = make(SignalSharingStrategy.self, "{10}1{9}|")
        let both = [
            signal.asSharedSequence().asObservable().note(in: log, as: "observable"),
            signal.asInfallible().asObservable().note(in: log, as: "infallible"),
        ]
        time.advanceTo(30)
        #expect(log.text == "observable1 infallible1 observablecompleted infalliblecompleted")
        both.forEach { $0.dispose() }
    }

    @Test func asInfallibleCompletesOnUnexpectedError() {
        let subscription = SharingScheduler.mocked(time) {
            let failing: Driver<Int> = Driver.zip(Driver.just(1), Driver.just(2)) { _, _ in throw TestError.a }
            return failing.asInfallible().asObservable().note(in: log)
        }
        time.start()
        #expect(log.text == "completed")
        subscription.dispose()
    }

    @MainActor @Test func valuesComeAsTheyAreTaken() async {
        let relay = BehaviorRelay(value: 1)
        let values = relay.asDriver().values
        relay.accept(2)
        var taken: [Int] = []
        for await value in values.prefix(2) { taken.append(value) }
        #expect(taken == [1, 2])
    }

    @MainActor @Test func valuesEndWithTheSequence() async {
        // `time` is used before the first `await`, because the main queue may run on another thread afterwards.
        let time = TestScheduler(initialClock: 0)
        let values = SharingScheduler.mocked(time) { Driver.of(7, 8) }.values
        time.start()
        var taken: [Int] = []
        for await value in values { taken.append(value) }
        #expect(taken == [7, 8])
    }

    @MainActor @Test func valuesBufferingOfCancelledLoopSubscribesOnMainActorAndEnds() async {
        let time = TestScheduler(initialClock: 0)
        nonisolated(unsafe) var log: [String] = []
        let driver = SharingScheduler.mocked(time) {
            Driver.of(7, 8).do(
                onSubscribe: {
                    MainActor.assertIsolated()
                    log.append("subscribed")
                }, onDispose: { log.append("disposed") })
        }
        let loop = Task {
            for await _ in driver.values(buffering: .newest(1)) { log.append("element") }
        }
        loop.cancel()
        await loop.value
        #expect(log == ["subscribed", "disposed"])
    }

    @Test func sharedSequenceConvertibleTypeHasItsOperators() {
        struct Title: SharedSequenceConvertibleType {
            typealias Element = Int
            typealias SharingStrategy = DriverSharingStrategy

            let relay = BehaviorRelay(value: 1)

            func asSharedSequence() -> Driver<Int> { relay.asDriver() }
        }
        #expect(elements { Title().map { $0 + 1 } } == "2")
        #expect(elements { Title().asDriver() } == "1")
        #expect(SharingScheduler.mocked(time) { seen(Title().asObservable()) }.isEmpty)
    }
}
