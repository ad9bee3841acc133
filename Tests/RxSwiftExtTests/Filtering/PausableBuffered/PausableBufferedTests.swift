import RxSwiftExt
import RxTest
import TestSupport
import Testing

@Suite struct PausableBufferedTests {
    private func pausing(
        _ source: String, _ pauser: String, limit: Int? = nil, flushOnCompleted: Bool = true, flushOnError: Bool = true
    ) -> Outcome<Int> {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot(source)
        let pauser = scheduler.hot(pauser)
        let observer = scheduler.start {
            source.pausableBuffered(
                pauser.map { $0 == 1 }, limit: limit, flushOnCompleted: flushOnCompleted, flushOnError: flushOnError)
        }
        return Outcome(observer, source, pauser)
    }

    @Test func bufferedElementsAreSentWhenPauserSendsTrue() {
        let result = pausing("--1-2---3---4-5", "------1---0-----1")
        result.expect("------(12)-3-------(45)", subscribed: "^{799}!", "^{799}!")
    }

    @Test func defaultLimitIsOneElement() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("--1-2")
        let pauser = scheduler.hot("------1")
        scheduler.start { source.pausableBuffered(pauser.map { $0 == 1 }) }.expect("------2")
    }

    @Test(arguments: [(2, "------(23)-4"), (1, "------3-4"), (0, "--------4"), (-1, "--------4")])
    func theOldestAreDropped(limit: Int, expected: String) {
        pausing("--123---4", "------1", limit: limit).expect(expected, subscribed: "^{799}!", "^{799}!")
    }

    @Test func theEndFlushesIfAsked() {
        pausing("--1-|", "-0").expect("----(1|)", subscribed: "^---!", "^---!")
        pausing("--1-|", "-0", flushOnCompleted: false).expect("----|", subscribed: "^---!", "^---!")
        pausing("--1-#", "-0").expect("----(1#)", subscribed: "^---!", "^---!")
        pausing("--1-#", "-0", flushOnError: false).expect("----#", subscribed: "^---!", "^---!")
    }

    @Test func theEndOfThePauserEndsItUnflushed() {
        pausing("--1", "----|").expect("----|", subscribed: "^---!", "^---!")
        pausing("--1", "----#").expect("----#", subscribed: "^---!", "^---!")
    }

    @Test func elementsPushedInDeliveryThatClosesPauserRespectLimit() {
        let (source, pauser, log) = (PublishSubject<Int>(), PublishSubject<Bool>(), Log())
        let subscription = source.pausableBuffered(pauser, limit: 2).subscribe(onNext: { element in
            log(element)
            guard element == 1 else { return }
            pauser.onNext(false)
            for number in 3...5 { source.onNext(number) }
        })
        for number in 1...2 { source.onNext(number) }
        pauser.onNext(true)
        #expect(log.text == "1")
        pauser.onNext(true)
        #expect(log.text == "1 4 5")
        subscription.dispose()
    }

    @Test func thePauserIsSubscribedFirstAndDisposedLast() {
        let log = Log()
        let source = PublishSubject<Int>().noteLifetime(in: log, as: "s")
        let pauser = PublishSubject<Bool>().noteLifetime(in: log, as: "p")
        source.pausableBuffered(pauser).subscribe().dispose()
        #expect(log.text == "p+ s+ s- p-")
    }

    @Test func pauserThatSendsDuringSubscriptionApplies() {
        #expect(seen(Observable.of(1, 2).pausableBuffered(BehaviorSubject(value: true))) == "1 2 completed")
        #expect(
            seen(Observable.of(1, 2).pausableBuffered(BehaviorSubject(value: false), limit: nil)) == "1 2 completed")
    }

    private func reacting(
        limit: Int?, flushes: Bool = true,
        _ react: @escaping @Sendable (Int, PublishSubject<Int>, PublishSubject<Bool>) -> Void
    ) -> String {
        let log = Log()
        let (source, pauser) = (PublishSubject<Int>(), PublishSubject<Bool>())
        let subscription = source.pausableBuffered(
            pauser, limit: limit, flushOnCompleted: flushes, flushOnError: flushes
        ).subscribe(
            onNext: {
                log($0)
                react($0, source, pauser)
            },
            onError: { log($0) }, onCompleted: { log("completed") })
        source.onNext(1)
        source.onNext(2)
        pauser.onNext(true)
        log("resumed")
        pauser.onNext(true)
        subscription.dispose()
        return log.text
    }

    @Test func elementsPushedInDeliveryWaitTheirTurn() {
        let text = reacting(limit: 2) { element, source, _ in
            if element == 1 { (3...6).forEach(source.onNext) }
        }
        #expect(text == "1 2 3 4 5 6 resumed")
    }

    @Test func pauseFromObserverApplies() {
        #expect(reacting(limit: nil) { element, _, pauser in pauser.onNext(element != 1) } == "1 resumed 2")
    }

    @Test func aPauseFromWithinADeliveryDropsTheOldestThatWaitTheirTurn() {
        let text = reacting(limit: 1) { element, source, pauser in
            guard element == 2 else { return }
            (3...5).forEach(source.onNext)
            pauser.onNext(false)
        }
        #expect(text == "2 resumed 5")
    }

    @Test func completionFromObserverKeepsWaitingElements() {
        #expect(
            reacting(limit: nil) { element, source, _ in if element == 1 { source.onCompleted() } }
                == "1 2 completed resumed")
    }

    /// The pauser has sent true, so waiting elements are delivered although `flushes` is false.
    @Test func anEndFromWithinADeliveryDropsNothingThatWaitsItsTurn() {
        let ends: [(Event<Int>, String)] = [(.completed, "completed"), (.error(TestError.a), "a")]
        for (end, told) in ends {
            let text = reacting(limit: nil, flushes: false) { element, source, _ in if element == 1 { source.on(end) } }
            #expect(text == "1 2 \(told) resumed")
        }
    }

    @Test func disposalFreesWaitingElements() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = source.pausableBuffered(Observable.never(), limit: 3).subscribe()
        for value in 0..<10 { source.onNext(tracker.make(value)) }
        #expect(tracker.live == 3)
        subscription.dispose()
        #expect(tracker.live == 0)
        #expect(!source.hasObservers)
    }

    @Test func elementsInRaceKeepOrderAndAreNotLost() throws {
        for _ in 0..<50 {
            let (source, pauser) = (PublishSubject<Int>(), PublishSubject<Bool>())
            // `seen` has no lock, so that ThreadSanitizer reports deliveries on two threads at once.
            nonisolated(unsafe) var seen: [Int] = []
            let subscription = source.pausableBuffered(pauser, limit: nil).subscribe(onNext: { seen.append($0) })
            try runConcurrently(threads: 2) { thread in
                for element in 0..<300 {
                    thread == 0 ? source.onNext(element) : pauser.onNext(element.isMultiple(of: 2))
                }
            }
            source.onCompleted()
            #expect(seen == Array(0..<300))
            subscription.dispose()
        }
    }

    @Test func aDisposalInARaceFreesAll() throws {
        for _ in 0..<50 {
            let tracker = LifetimeTracker()
            let (source, pauser) = (PublishSubject<LifetimeTracker.Tracked>(), PublishSubject<Bool>())
            let subscription = source.pausableBuffered(pauser, limit: 10).subscribe()
            try runConcurrently(threads: 3) { thread in
                for element in 0..<100 {
                    switch thread {
                    case 0: source.onNext(tracker.make(element))
                    case 1: pauser.onNext(element.isMultiple(of: 2))
                    default: if element == 50 { subscription.dispose() }
                    }
                }
            }
            #expect(tracker.live == 0)
            #expect(!source.hasObservers && !pauser.hasObservers)
        }
    }
}
