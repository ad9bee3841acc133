import RxOperators
import RxTest
import TestSupport
import Testing

struct ConnectionTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func refCountAfterConnectsWithTheLastNeededObserver() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let shared = source.publish().refCount(after: 2)
        let first = shared.subscribe(onNext: { log("a\($0)") })
        source.onNext(1)
        #expect(!source.hasObservers)
        let second = shared.subscribe(onNext: { log("b\($0)") })
        source.onNext(2)
        first.dispose()
        source.onNext(3)
        #expect(log.text == "a2 b2 b3")
        second.dispose()
        #expect(!source.hasObservers)
    }

    @Test func refCountAfterDisconnectedNeedsAllObserversAgain() {
        let source = PublishSubject<Int>()
        let shared = source.publish().refCount(after: 2)
        for subscription in [shared.subscribe(), shared.subscribe()] { subscription.dispose() }
        let first = shared.subscribe()
        #expect(!source.hasObservers)
        let second = shared.subscribe()
        #expect(source.hasObservers)
        first.dispose()
        second.dispose()
    }

    @Test func refCountAfterObserverLeavesBeforeTheConnectionDoesNotCount() {
        let source = PublishSubject<Int>()
        let shared = source.publish().refCount(after: 2)
        shared.subscribe().dispose()
        let second = shared.subscribe()
        #expect(!source.hasObservers)
        second.dispose()
    }

    @Test func refCountAfterSourceEndsObserverSubscribesAgainConnectsAgain() {
        let (log, count) = (Log(), Guarded(0))
        let source = Observable<Int>.deferred {
            Observable.just(
                count.withLock { count in
                    count += 1
                    return count
                })
        }
        let shared = source.publish().refCount(after: 1)
        let again = shared.subscribe(
            onNext: { log($0) },
            onCompleted: {
                log("|")
                _ = shared.subscribe(onNext: { log($0) }, onCompleted: { log("||") })
            })
        again.dispose()
        #expect(log.text == "1 | 2 ||")
    }

    @Test func refCountAfterErrorIsDeliveredToAllObservers() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let shared = source.publish().refCount(after: 2)
        for name in ["a", "b"] { _ = shared.subscribe(onError: { log("\(name)\($0)") }) }
        source.onError(TestError.b)
        #expect(log.text == "ab bb")
    }

    @Test func refCountDisconnectAfterObserverComesInTimeKeepsTheConnection() {
        let source = scheduler.cold("-1---2---3---4---5---6")
        let shared = source.publish().refCount(disconnectAfter: .seconds(3), scheduler: scheduler)
        let log = Log()
        func observe(_ name: String, from: Int, to: Int) {
            let subscription = SerialDisposable()
            scheduler.scheduleAt(from) { subscription.disposable = shared.subscribe(onNext: { log("\(name)\($0)") }) }
            scheduler.scheduleAt(to) { subscription.dispose() }
        }
        observe("a", from: 100, to: 102)
        observe("b", from: 103, to: 110)
        scheduler.start()
        #expect(log.text == "a1 b2 b3")
        source.expectSubscriptions("{100}^{12}!", from: 0)
    }

    @Test func refCountDisconnectAfterTimePassesConnectsAgain() {
        let source = scheduler.cold("-1---2---3")
        let shared = source.publish().refCount(disconnectAfter: .seconds(3), scheduler: scheduler)
        let log = Log()
        for time in [100, 110] {
            let subscription = SerialDisposable()
            scheduler.scheduleAt(time) { subscription.disposable = shared.subscribe(onNext: { log($0) }) }
            scheduler.scheduleAt(time + 2) { subscription.dispose() }
        }
        scheduler.start()
        #expect(log.text == "1 1")
        source.expectSubscriptions("{100}^{4}!", "{110}^{4}!", from: 0)
    }

    @Test func refCountDisconnectAfterSourceEndsWithoutObserverConnectsAgain() {
        let source = scheduler.cold("-1-|")
        let shared = source.replay(1).refCount(disconnectAfter: .seconds(9), scheduler: scheduler)
        let log = Log()
        for (name, time) in [("a", 100), ("b", 105)] {
            scheduler.scheduleAt(time) {
                _ = shared.take(1).subscribe(onNext: { log("\(name)\($0)") }, onCompleted: { log("|") })
            }
        }
        scheduler.start()
        #expect(log.text == "a1 | b1 |")
        source.expectSubscriptions("{100}^--!", "{105}^--!", from: 0)
    }

    @Test func refCountDisconnectAfterSourceFailsWithoutObserverConnectsAgain() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let failing = Observable.deferred { source.map { try passing($0, unless: 2, $0) } }
        let shared = failing.publish().refCount(disconnectAfter: .seconds(9), scheduler: scheduler)
        shared.subscribe().dispose()
        source.onNext(2)
        #expect(!source.hasObservers)
        let subscription = shared.subscribe(onNext: { log($0) })
        source.onNext(1)
        #expect(log.text == "1")
        subscription.dispose()
        scheduler.start()
        #expect(!source.hasObservers)
    }

    @Test func refCountDisconnectAfterObserverComesInTimeCancelsTheTimer() {
        let source = PublishSubject<Int>()
        let shared = source.publish().refCount(disconnectAfter: .seconds(3), scheduler: scheduler)
        shared.subscribe().dispose()
        #expect(scheduler.debugDescription == "[3]")
        let subscription = shared.subscribe()
        #expect(scheduler.debugDescription == "[]")
        #expect(source.hasObservers)
        subscription.dispose()
        scheduler.start()
        #expect(!source.hasObservers)
    }

    @Test func refCountDisconnectAfterObserverLeavesDuringTheEndConnectsAgain() {
        let (sources, log) = ([PublishSubject<Int>(), PublishSubject<Int>()], Log())
        let made = Guarded(0)
        let source = Observable.deferred {
            sources[
                made.withLock { made in
                    made += 1
                    return made - 1
                }]
        }
        let (connectable, counted) = (source.publish(), SerialDisposable())
        let shared = connectable.refCount(disconnectAfter: .seconds(3), scheduler: scheduler)
        _ = connectable.subscribe(onCompleted: { counted.dispose() })
        counted.disposable = shared.subscribe(onNext: { log("a\($0)") }, onCompleted: { log("|") })
        sources[0].onCompleted()
        let subscription = shared.subscribe(onNext: { log("b\($0)") })
        sources[1].onNext(1)
        #expect(log.text == "b1")
        subscription.dispose()
        scheduler.start()
        #expect(!sources[1].hasObservers)
    }

    /// The subject accepts one observer, so the operator must not subscribe a second one for the grace period.
    @Test func refCountDisconnectAfterSubjectWithOneObserverDelivers() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let shared = source.multicast(UnicastSubject<Int>()).refCount(
            disconnectAfter: .seconds(3), scheduler: scheduler)
        let subscription = shared.subscribe(onNext: { log($0) })
        source.onNext(1)
        #expect(log.text == "1")
        subscription.dispose()
        scheduler.start()
        #expect(!source.hasObservers)
    }

    @Test func autoConnectObserversLeaveStaysConnected() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let shared = source.replay(1).autoConnect(2)
        let first = shared.subscribe(onNext: { log("a\($0)") })
        source.onNext(1)
        first.dispose()
        let second = shared.subscribe(onNext: { log("b\($0)") })
        source.onNext(2)
        second.dispose()
        source.onNext(3)
        #expect(source.hasObservers)
        let third = shared.subscribe(onNext: { log("c\($0)") })
        #expect(log.text == "b2 c3")
        third.dispose()
        source.onCompleted()
    }

    @Test func autoConnectConnectionIsPassedToTheClosure() {
        let (source, connection) = (PublishSubject<Int>(), SerialDisposable())
        let shared = source.publish().autoConnect { connection.disposable = $0 }
        let subscription = shared.subscribe()
        #expect(source.hasObservers)
        connection.dispose()
        #expect(!source.hasObservers)
        subscription.dispose()
    }

    @Test func autoConnectOfZeroConnectsAtOnce() {
        let (source, connection) = (PublishSubject<Int>(), SerialDisposable())
        let shared = source.publish().autoConnect(0) { connection.disposable = $0 }
        #expect(source.hasObservers)
        connection.dispose()
        withExtendedLifetime(shared) {}
    }
}
