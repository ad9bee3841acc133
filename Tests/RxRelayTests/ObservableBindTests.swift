import RxRelay
import RxSwift
import TestSupport
import Testing

struct ObservableBindTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    @Test func sendsElementsToEachRelay() {
        let (first, second) = (PublishRelay<Int>(), PublishRelay<Int>())
        let subscriptions = [
            first.note(in: log, as: "a"), second.note(in: log, as: "b"), source.bind(to: first, second),
        ]
        [1, 2].forEach(source.onNext)
        #expect(log.text == "a1 b1 a2 b2")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func setsTheValueOfABehaviorRelay() {
        let relay = BehaviorRelay(value: 0)
        _ = Observable.of(1, 2).bind(to: relay)
        #expect(relay.value == 2)
    }

    @Test func sendsToARelayOfOptionals() {
        let (publish, behavior) = (PublishRelay<Int?>(), BehaviorRelay<Int?>(value: nil))
        let replay = ReplayRelay<Int?>.create(bufferSize: 1)
        let subscription = publish.compactMap { $0 }.note(in: log)
        _ = Observable.of(1).bind(to: publish)
        _ = Observable.of(2).bind(to: behavior)
        _ = Observable.of(3).bind(to: replay)
        #expect(log.text == "1")
        #expect(behavior.value == 2)
        #expect(seen(replay.compactMap { $0 }) == "3")
        subscription.dispose()
    }

    @Test func sendsToEachReplayRelayOfOptionals() {
        let (first, second) = (ReplayRelay<Int?>.create(bufferSize: 1), ReplayRelay<Int?>.create(bufferSize: 1))
        _ = Observable.of(1).bind(to: first, second)
        #expect(seen(first.compactMap { $0 }) == "1")
        #expect(seen(second.compactMap { $0 }) == "1")
    }

    @Test func sendsToEachOfSeveralRelaysOfTheOtherKinds() {
        let source = Observable.of(1)
        let behaviors = [BehaviorRelay(value: 0), BehaviorRelay(value: 0)]
        let optionals = [BehaviorRelay<Int?>(value: nil), BehaviorRelay<Int?>(value: nil)]
        let replays = [ReplayRelay<Int>.createUnbound(), ReplayRelay<Int>.createUnbound()]
        let publishes = [PublishRelay<Int?>(), PublishRelay<Int?>()]
        let subscriptions = publishes.map { relay in relay.compactMap { $0 }.note(in: log) }
        _ = source.bind(to: behaviors[0], behaviors[1])
        _ = source.bind(to: optionals[0], optionals[1])
        _ = source.bind(to: replays[0], replays[1])
        _ = source.bind(to: publishes[0], publishes[1])
        #expect(behaviors.map { $0.value } == [1, 1])
        #expect(optionals.map { $0.value } == [1, 1])
        #expect(replays.map { seen($0.asObservable()) } == ["1", "1"])
        #expect(log.text == "1 1")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func feedsAReplayRelay() {
        let relay = ReplayRelay<Int>.create(bufferSize: 2)
        _ = Observable.of(1, 2, 3).bind(to: relay)
        #expect(seen(relay.asObservable()) == "2 3")
    }

    @Test func completionLeavesTheRelayOpen() {
        let relay = PublishRelay<Int>()
        let subscription = relay.note(in: log)
        _ = source.bind(to: relay)
        source.onCompleted()
        relay.accept(1)
        #expect(log.text == "1")
        subscription.dispose()
    }

    @Test func endsWithItsDisposable() {
        let relay = BehaviorRelay(value: 0)
        source.bind(to: relay).dispose()
        source.onNext(1)
        #expect(relay.value == 0)
        #expect(!source.hasObservers)
    }

    #if DEBUG
        @Test func anErrorStopsADebugBuild() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Observable.error(TestError.a).bind(to: PublishRelay<Int>())
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(words.contains("Binding error to publish relay: a"))
        }

        @Test func anErrorStopsADebugBuildAndNamesABehaviorRelay() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Observable<Int>.error(TestError.a).bind(to: BehaviorRelay<Int>(value: 0))
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(words.contains("Binding error to behavior relay: a"))
        }

        @Test func anErrorStopsADebugBuildAndNamesAReplayRelay() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Observable<Int>.error(TestError.a).bind(to: ReplayRelay<Int>.createUnbound())
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(words.contains("Binding error to replay relay: a"))
        }
    #endif
}
