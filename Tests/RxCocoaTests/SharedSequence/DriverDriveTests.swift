import RxCocoa
import RxTest
import TestSupport
import Testing

struct DriverDriveTests {
    private let log = Log()
    private let time = TestScheduler(initialClock: 0)

    private func run(_ drive: (Driver<Int>) -> any Disposable) {
        let subscription = drive(SharingScheduler.mocked(time) { .of(1, 2) })
        time.start()
        subscription.dispose()
    }

    @Test func handlersAreCalled() {
        run { $0.drive(onNext: { log($0) }, onCompleted: { log("completed") }, onDisposed: { log("disposed") }) }
        #expect(log.text == "1 2 completed disposed")
    }

    @Test func handlersGetTheirObject() {
        run {
            $0.drive(
                with: log, onNext: { log, element in log(element) }, onCompleted: { log in log("completed") },
                onDisposed: { log in log("disposed") })
        }
        #expect(log.text == "1 2 completed disposed")
    }

    @Test func theObjectIsNotRetained() {
        let tracker = LifetimeTracker()
        var object: LifetimeTracker.Tracked? = tracker.make()
        let relay = BehaviorRelay(value: 1)
        let driver = SharingScheduler.mocked(time) { relay.asDriver() }
        let subscription = driver.drive(with: object!, onNext: { _, element in log(element) })
        time.start()
        object = nil
        #expect(tracker.live == 0)
        relay.accept(2)
        time.start()
        #expect(log.text == "1")
        subscription.dispose()
    }

    @Test func noHandlerIsNeeded() {
        run { $0.do(onNext: { log($0) }).drive() }
        #expect(log.text == "1 2")
    }

    @Test func observersReceiveAllEvents() {
        let observer = AnyObserver<Int> { log($0) }
        run { $0.drive(observer, observer) }
        #expect(log.text == "next(1) next(1) next(2) next(2) completed completed")
    }

    @Test func observersOfOptionalsReceiveAllEvents() {
        run { $0.drive(AnyObserver<Int?> { log($0) }) }
        #expect(log.text == "next(Optional(1)) next(Optional(2)) completed")
    }

    @Test func eachOfSeveralObserversOfOptionalsReceivesAllEvents() {
        let observer = AnyObserver<Int?> { log($0) }
        run { $0.drive(observer, observer) }
        let one = "next(Optional(1)) next(Optional(1))"
        #expect(log.text == "\(one) next(Optional(2)) next(Optional(2)) completed completed")
    }

    @Test func binderAndSubjectAreObservers() {
        let subject = PublishSubject<Int>()
        let subscription = subject.note(in: log)
        run { $0.drive(subject) }
        subscription.dispose()
        #expect(log.text == "1 2 completed")
    }

    @Test func relaysTakeTheElements() {
        let (first, second, optional) = (
            BehaviorRelay(value: 0), BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil)
        )
        run { $0.drive(first, second) }
        run { $0.drive(optional) }
        #expect(first.value == 2 && second.value == 2 && optional.value == 2)
    }

    @Test func replayRelaysTakeTheElements() {
        let (relay, optional) = (ReplayRelay<Int>.createUnbound(), ReplayRelay<Int?>.createUnbound())
        run { $0.drive(relay) }
        run { $0.drive(optional) }
        #expect(seen(relay.asObservable()) == "1 2")
        #expect(seen(optional.asObservable()) == "Optional(1) Optional(2)")
    }

    @Test func driveOfSeveralRelaysReachesEachRelay() {
        let optionals = [BehaviorRelay<Int?>(value: nil), BehaviorRelay<Int?>(value: nil)]
        let replays = [ReplayRelay<Int>.createUnbound(), ReplayRelay<Int>.createUnbound()]
        let optionalReplays = [ReplayRelay<Int?>.createUnbound(), ReplayRelay<Int?>.createUnbound()]
        run { $0.drive(optionals[0], optionals[1]) }
        run { $0.drive(replays[0], replays[1]) }
        run { $0.drive(optionalReplays[0], optionalReplays[1]) }
        #expect(optionals.map { $0.value } == [2, 2])
        #expect(replays.map { seen($0.asObservable()) } == ["1 2", "1 2"])
        #expect(optionalReplays.map { seen($0.compactMap { $0 }) } == ["1 2", "1 2"])
    }

    @Test func driveCallsGivenFunction() {
        run { $0.drive { $0.note(in: log) } }
        run { $0.drive({ source in { prefix in source.note(in: log, as: prefix) } }, curriedArgument: "curried") }
        #expect(log.text == "1 2 completed curried1 curried2 curriedcompleted")
    }
}
