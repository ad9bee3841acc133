import RxCocoa
import RxTest
import TestSupport
import Testing

struct SignalEmitTests {
    private let log = Log()
    private let time = TestScheduler(initialClock: 0)

    private func run(_ emit: (Signal<Int>) -> any Disposable) {
        let subscription = emit(SharingScheduler.mocked(time) { .of(1, 2) })
        time.start()
        subscription.dispose()
    }

    @Test func handlersAreCalled() {
        run { $0.emit(onNext: { log($0) }, onCompleted: { log("completed") }, onDisposed: { log("disposed") }) }
        #expect(log.text == "1 2 completed disposed")
    }

    @Test func handlersGetTheirObject() {
        run {
            $0.emit(
                with: log, onNext: { log, element in log(element) }, onCompleted: { log in log("completed") },
                onDisposed: { log in log("disposed") })
        }
        #expect(log.text == "1 2 completed disposed")
    }

    @Test func noHandlerIsNeeded() {
        run { $0.do(onNext: { log($0) }).emit() }
        #expect(log.text == "1 2")
    }

    @Test func observersReceiveAllEvents() {
        let observer = AnyObserver<Int> { log($0) }
        run { $0.emit(to: observer, observer) }
        #expect(log.text == "next(1) next(1) next(2) next(2) completed completed")
    }

    @Test func observersOfOptionalsReceiveAllEvents() {
        run { $0.emit(to: AnyObserver<Int?> { log($0) }) }
        #expect(log.text == "next(Optional(1)) next(Optional(2)) completed")
    }

    @Test func eachOfSeveralObserversOfOptionalsReceivesAllEvents() {
        let observer = AnyObserver<Int?> { log($0) }
        run { $0.emit(to: observer, observer) }
        let one = "next(Optional(1)) next(Optional(1))"
        #expect(log.text == "\(one) next(Optional(2)) next(Optional(2)) completed completed")
    }

    @Test func behaviorRelaysTakeTheElements() {
        let (first, second, optional) = (
            BehaviorRelay(value: 0), BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil)
        )
        run { $0.emit(to: first, second) }
        run { $0.emit(to: optional) }
        #expect(first.value == 2 && second.value == 2 && optional.value == 2)
    }

    @Test func publishRelaysTakeTheElements() {
        let (relay, optional) = (PublishRelay<Int>(), PublishRelay<Int?>())
        let subscriptions = [relay.note(in: log), optional.note(in: log)]
        run { $0.emit(to: relay) }
        run { $0.emit(to: optional) }
        subscriptions.forEach { $0.dispose() }
        #expect(log.text == "1 2 Optional(1) Optional(2)")
    }

    @Test func replayRelaysTakeTheElements() {
        let (relay, optional) = (ReplayRelay<Int>.createUnbound(), ReplayRelay<Int?>.createUnbound())
        run { $0.emit(to: relay) }
        run { $0.emit(to: optional) }
        #expect(seen(relay.asObservable()) == "1 2")
        #expect(seen(optional.asObservable()) == "Optional(1) Optional(2)")
    }

    @Test func emitToSeveralRelaysReachesEachRelay() {
        let optionals = [BehaviorRelay<Int?>(value: nil), BehaviorRelay<Int?>(value: nil)]
        let replays = [ReplayRelay<Int>.createUnbound(), ReplayRelay<Int>.createUnbound()]
        let optionalReplays = [ReplayRelay<Int?>.createUnbound(), ReplayRelay<Int?>.createUnbound()]
        let publishes = [PublishRelay<Int>(), PublishRelay<Int>()]
        let optionalPublishes = [PublishRelay<Int?>(), PublishRelay<Int?>()]
        let subscriptions =
            publishes.map { $0.note(in: log) }
            + optionalPublishes.map { relay in relay.compactMap { $0 }.note(in: log, as: "o") }
        run { $0.emit(to: optionals[0], optionals[1]) }
        run { $0.emit(to: replays[0], replays[1]) }
        run { $0.emit(to: optionalReplays[0], optionalReplays[1]) }
        run { $0.emit(to: publishes[0], publishes[1]) }
        run { $0.emit(to: optionalPublishes[0], optionalPublishes[1]) }
        #expect(optionals.map { $0.value } == [2, 2])
        #expect(replays.map { seen($0.asObservable()) } == ["1 2", "1 2"])
        #expect(optionalReplays.map { seen($0.compactMap { $0 }) } == ["1 2", "1 2"])
        #expect(log.text == "1 1 2 2 o1 o1 o2 o2")
        subscriptions.forEach { $0.dispose() }
    }
}
