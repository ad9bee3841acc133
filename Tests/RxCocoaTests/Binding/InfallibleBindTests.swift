import RxCocoa
import TestSupport
import Testing

struct InfallibleBindTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    private var infallible: Infallible<Int> { source.asInfallible(onErrorJustReturn: -1) }

    @Test func sendsEachEventToEachObserver() {
        let observer = AnyObserver<Int> { [log] in log("\($0)") }
        _ = infallible.bind(to: observer, observer)
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "next(1) next(1) completed completed")
    }

    @Test func sendsToObserversOfOptionals() {
        _ = infallible.bind(to: AnyObserver<Int?> { [log] in log("\($0)") })
        source.onNext(1)
        #expect(log.text == "next(Optional(1))")
    }

    @Test func sendsToEachOfSeveralObserversOfOptionals() {
        let observer = AnyObserver<Int?> { [log] in log("\($0)") }
        _ = infallible.bind(to: observer, observer)
        source.onNext(1)
        source.onCompleted()
        #expect(log.text == "next(Optional(1)) next(Optional(1)) completed completed")
    }

    @Test func feedsRelays() {
        let (publish, behavior, replay) = (
            PublishRelay<Int>(), BehaviorRelay(value: 0), ReplayRelay<Int>.create(bufferSize: 2)
        )
        let subscription = publish.note(in: log)
        _ = infallible.bind(to: publish, publish)
        _ = infallible.bind(to: behavior)
        _ = infallible.bind(to: replay)
        [1, 2].forEach(source.onNext)
        source.onCompleted()
        #expect(log.text == "1 1 2 2")
        #expect(behavior.value == 2)
        #expect(seen(replay.asObservable()) == "1 2")
        subscription.dispose()
    }

    @Test func feedsRelaysOfOptionals() {
        let (publish, behavior) = (PublishRelay<Int?>(), BehaviorRelay<Int?>(value: nil))
        let replay = ReplayRelay<Int?>.create(bufferSize: 1)
        let subscription = publish.note(in: log)
        _ = infallible.bind(to: publish)
        _ = infallible.bind(to: behavior)
        _ = infallible.bind(to: replay)
        source.onNext(1)
        #expect(log.text == "Optional(1)")
        #expect(behavior.value == 1)
        #expect(seen(replay.compactMap { $0 }) == "1")
        subscription.dispose()
    }

    @Test func feedsEachOfSeveralRelays() {
        let behaviors = [BehaviorRelay(value: 0), BehaviorRelay(value: 0)]
        let optionals = [BehaviorRelay<Int?>(value: nil), BehaviorRelay<Int?>(value: nil)]
        let replays = [ReplayRelay<Int>.createUnbound(), ReplayRelay<Int>.createUnbound()]
        let optionalReplays = [ReplayRelay<Int?>.createUnbound(), ReplayRelay<Int?>.createUnbound()]
        let publishes = [PublishRelay<Int?>(), PublishRelay<Int?>()]
        let subscriptions = publishes.map { relay in relay.compactMap { $0 }.note(in: log) }
        _ = infallible.bind(to: behaviors[0], behaviors[1])
        _ = infallible.bind(to: optionals[0], optionals[1])
        _ = infallible.bind(to: replays[0], replays[1])
        _ = infallible.bind(to: optionalReplays[0], optionalReplays[1])
        _ = infallible.bind(to: publishes[0], publishes[1])
        source.onNext(1)
        #expect(behaviors.map { $0.value } == [1, 1])
        #expect(optionals.map { $0.value } == [1, 1])
        #expect(replays.map { seen($0.asObservable()) } == ["1", "1"])
        #expect(optionalReplays.map { seen($0.compactMap { $0 }) } == ["1", "1"])
        #expect(log.text == "1 1")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func givesItselfToAFunction() {
        func doubled(_ source: Infallible<Int>) -> Infallible<Int> { source.map { $0 * 2 } }
        func sum(_ source: Infallible<Int>) -> (Int) -> Infallible<Int> { { addend in source.map { $0 + addend } } }
        let subscriptions = [
            infallible.bind(to: doubled).asObservable().note(in: log, as: "d"),
            infallible.bind(to: sum, curriedArgument: 10).asObservable().note(in: log, as: "s"),
        ]
        source.onNext(1)
        #expect(log.text == "d2 s11")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func callsAClosure() {
        let binding = infallible.bind(onNext: { [log] in log($0) })
        source.onNext(1)
        binding.dispose()
        source.onNext(2)
        #expect(log.text == "1")
    }
}
