import RxCocoa
import RxTest
import TestSupport
import Testing

struct SharedSequenceOperatorsTests {
    private func driver<Element>(
        _ marbles: String, _ apply: @escaping (Driver<Int>) -> Driver<Element>
    ) -> Outcome<Element> {
        shared(marbles) { apply($0.asDriver(onErrorJustReturn: 0)) }
    }

    @Test func elementsAreTransformed() {
        driver("{10}1{9}2{9}|") { $0.map { $0 * 10 } }
            .expect("{11}a{9}b{9}|", values: ["a": 10, "b": 20], subscribed: "^{29}!")
        driver("{10}1{9}2{9}|") { $0.compactMap { $0 == 1 ? nil : $0 * 10 } }
            .expect("{21}a{9}|", values: ["a": 20], subscribed: "^{29}!")
        driver("{10}1{9}2{9}|") { $0.scan(5) { $0 + $1 } }.expect("{11}6{9}8{9}|", subscribed: "^{29}!")
    }

    @Test func elementsAreLeftOut() {
        driver("{10}1{9}2{9}|") { $0.filter { $0 > 1 } }.expect("{21}2{9}|", subscribed: "^{29}!")
        driver("{10}1{9}2{9}|") { $0.skip(1) }.expect("{21}2{9}|", subscribed: "^{29}!")
    }

    @Test func elementsThatAreEqualToTheLastAreLeftOut() {
        let source = "{10}1{9}1{9}3{9}|"
        driver(source) { $0.distinctUntilChanged() }.expect("{11}1{19}3{9}|", subscribed: "^{39}!")
        driver(source) { $0.distinctUntilChanged { $0 % 2 } }.expect("{11}1{29}|", subscribed: "^{39}!")
        driver(source) { $0.distinctUntilChanged { $0 > $1 } }.expect("{11}1{9}1{9}3{9}|", subscribed: "^{39}!")
        driver(source) { $0.distinctUntilChanged({ -$0 }, comparer: { $0 < $1 }) }
            .expect("{11}1{9}1{9}3{9}|", subscribed: "^{39}!")
    }

    @Test func startWithSendsElementFirst() {
        driver("{10}1{9}|") { $0.startWith(9) }.expect("9{10}1{9}|", subscribed: "^{19}!")
    }

    @Test func timeIsTheSharingSchedulers() {
        let source = "{10}1{9}2{9}3{69}4{19}|"
        driver(source) { $0.throttle(.seconds(15)) }.expect("{11}1{14}2{14}3{59}4{19}|", subscribed: "^{119}!")
        driver(source) { $0.throttle(.seconds(15), latest: false) }
            .expect("{11}1{19}3{69}4{19}|", subscribed: "^{119}!")
        driver(source) { $0.debounce(.seconds(15)) }.expect("{46}3{69}4----|", subscribed: "^{119}!")
        driver("{10}1{9}|") { $0.delay(.seconds(50)) }.expect("{61}1{9}|", subscribed: "^{19}!")
    }

    @Test func closuresAreCalledAsEventsPass() {
        let log = Log()
        let result = driver("{10}1{9}|") {
            $0.do(
                onNext: { log($0) }, afterNext: { log("after\($0)") }, onCompleted: { log("completed") },
                afterCompleted: { log("afterCompleted") }, onSubscribe: { log("subscribe") },
                onSubscribed: { log("subscribed") },
                onDispose: { log("dispose") })
        }
        result.expect("{11}1{9}|", subscribed: "^{19}!")
        #expect(log.text == "subscribe subscribed 1 after1 completed afterCompleted dispose")
    }

    @Test func debugPassesEverythingOn() {
        driver("{10}1{9}|") { $0.debug("driver", trimOutput: true) }.expect("{11}1{9}|", subscribed: "^{19}!")
    }

    @Test func debugTrimsOutputOnRequest() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let text = String(repeating: "a", count: 25) + String(repeating: "b", count: 25)
            _ = elements { Driver.just(text).debug("driver", trimOutput: true) }
        }
        let words = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(words.contains("driver -> Event next(aaaaaaaaaaaaaaa...bbbbbbbbbbbbbbbbbbb)"), "\(words)")
    }

    @Test func debugDoesNotTrimByDefault() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            _ = elements { Driver.just(String(repeating: "a", count: 50)).debug("driver") }
        }
        let words = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(words.contains("driver -> Event next(\(String(repeating: "a", count: 50)))"), "\(words)")
    }

    @Test func withUnretainedSendsObjectWithElement() {
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

    @Test func mapCallsClosureOnceForSharedObservers() {
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
