import RxCocoa
import RxTest
import TestSupport
import Testing

struct SharedSequenceOperatorsTests {
    /// What an operator makes of a driver; the same is expected of a signal.
    private func driver<Element>(_ text: String, _ apply: @escaping (Driver<Int>) -> Driver<Element>) -> String {
        shared(text) { apply($0.asDriver(onErrorJustReturn: 0)) }
    }

    @Test func elementsAreTransformed() {
        #expect(driver("210:1 220:2 230|") { $0.map { $0 * 10 } } == "211:10 221:20 231| (200: 230)")
        #expect(driver("210:1 220:2 230|") { $0.compactMap { $0 == 1 ? nil : $0 * 10 } } == "221:20 231| (200: 230)")
        #expect(driver("210:1 220:2 230|") { $0.scan(5) { $0 + $1 } } == "211:6 221:8 231| (200: 230)")
    }

    @Test func elementsAreLeftOut() {
        #expect(driver("210:1 220:2 230|") { $0.filter { $0 > 1 } } == "221:2 231| (200: 230)")
        #expect(driver("210:1 220:2 230|") { $0.skip(1) } == "221:2 231| (200: 230)")
    }

    @Test func elementsThatAreEqualToTheLastAreLeftOut() {
        let text = "210:1 220:1 230:3 240|"
        #expect(driver(text) { $0.distinctUntilChanged() } == "211:1 231:3 241| (200: 240)")
        #expect(driver(text) { $0.distinctUntilChanged { $0 % 2 } } == "211:1 241| (200: 240)")
        #expect(driver(text) { $0.distinctUntilChanged { $0 > $1 } } == "211:1 221:1 231:3 241| (200: 240)")
        #expect(
            driver(text) { $0.distinctUntilChanged({ -$0 }, comparer: { $0 < $1 }) }
                == "211:1 221:1 231:3 241| (200: 240)")
    }

    @Test func anElementComesFirst() {
        #expect(driver("210:1 220|") { $0.startWith(9) } == "200:9 211:1 221| (200: 220)")
    }

    @Test func timeIsTheSharingSchedulers() {
        let text = "210:1 220:2 230:3 300:4 320|"
        #expect(driver(text) { $0.throttle(.seconds(15)) } == "211:1 226:2 241:3 301:4 321| (200: 320)")
        #expect(driver(text) { $0.throttle(.seconds(15), latest: false) } == "211:1 231:3 301:4 321| (200: 320)")
        #expect(driver(text) { $0.debounce(.seconds(15)) } == "246:3 316:4 321| (200: 320)")
        #expect(driver("210:1 220|") { $0.delay(.seconds(50)) } == "261:1 271| (200: 220)")
    }

    @Test func closuresAreCalledAsEventsPass() {
        let log = Log()
        let outcome = driver("210:1 220|") {
            $0.do(
                onNext: { log($0) }, afterNext: { log("after\($0)") }, onCompleted: { log("completed") },
                afterCompleted: { log("afterCompleted") }, onSubscribe: { log("subscribe") },
                onSubscribed: { log("subscribed") },
                onDispose: { log("dispose") })
        }
        #expect(outcome == "211:1 221| (200: 220)")
        #expect(log.text == "subscribe subscribed 1 after1 completed afterCompleted dispose")
    }

    @Test func debugPassesEverythingOn() {
        #expect(driver("210:1 220|") { $0.debug("driver", trimOutput: true) } == "211:1 221| (200: 220)")
    }

    @Test func aSignalBringsItsObject() {
        var object: Log? = Log()
        let events = PublishRelay<Int>()
        let time = TestScheduler(initialClock: 0)
        let (log, pairs) = SharingScheduler.mocked(time) {
            (Log(), (events.asSignal().withUnretained(object!), events.asSignal().withUnretained(object!) { $1 + 1 }))
        }
        let subscriptions = [
            pairs.0.map(\.1).asObservable().note(in: log), pairs.1.asObservable().note(in: log, as: "+1="),
        ]
        events.accept(1)
        time.start()
        object = nil
        events.accept(2)
        time.start()
        #expect(log.text == "1 +1=2 completed +1=completed")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func aResultIsSharedAgain() {
        let (log, values) = (Log(), PublishRelay<Int>())
        SharingScheduler.mock(scheduler: TestScheduler(initialClock: 0)) {
            let mapped = values.asSignal().map { log($0) }
            let subscriptions = [mapped.emit(), mapped.emit(), mapped.emit()]
            values.accept(1)
            (SharingScheduler.make() as! TestScheduler).start()
            subscriptions.forEach { $0.dispose() }
        }
        #expect(log.text == "1")
    }
}
