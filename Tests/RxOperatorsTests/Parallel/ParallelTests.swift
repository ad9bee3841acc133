import Dispatch
import RxOperators
import RxTest
import TestSupport
import Testing

struct ParallelTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    private func observe<Element>(_ source: Observable<Element>) -> any Disposable {
        source.subscribe(
            onNext: { [log] in log($0) }, onError: { [log] in log($0) }, onCompleted: { [log] in log("|") })
    }

    private func events(_ make: (PthreadPoolScheduler) -> Observable<Int>) -> [Event<Int>] {
        let pool = PthreadPoolScheduler(name: "rails", maxThreads: 4)
        let (events, ended) = (Guarded<[Event<Int>]>([]), DispatchSemaphore(value: 0))
        let subscription = make(pool).subscribe { event in
            events.withLock { $0.append(event) }
            if event.isStopEvent { ended.signal() }
        }
        ended.wait()
        subscription.dispose()
        pool.shutdown()
        return events.withLock { $0 }
    }

    private static let numbers = Observable.range(start: 0, count: 5_000)

    @Test(arguments: [1, 2, 3], [1, 16]) func sequentialDeliversEveryElementOnce(rails: Int, bound: Int) {
        let events = events { Self.numbers.parallel(rails).runOn($0, bound: bound).map { $0 * 2 }.sequential() }
        #expect(events.compactMap(\.element).sorted() == (0..<5_000).map { $0 * 2 })
        #expect(events.last?.isCompleted == true)
    }

    @Test(arguments: [1, 2, 3], [1, 16]) func orderedDeliversInTheOrderOfTheSource(rails: Int, bound: Int) {
        let events = events {
            Self.numbers.parallel(rails).runOn($0, bound: bound).filter { $0 % 3 != 0 }.map { $0 * 2 }
                .compactMap { $0 % 5 == 0 ? nil : "\($0)" }.map { Int($0) ?? -1 }.ordered()
        }
        #expect(
            events.compactMap(\.element) == (0..<5_000).filter { $0 % 3 != 0 }.map { $0 * 2 }.filter { $0 % 5 != 0 })
        #expect(events.last?.isCompleted == true)
    }

    @Test func railsRunAtTheSameTime() {
        let arrived = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let events = events {
            Observable.of(0, 1).parallel(2).runOn($0).map { element in
                arrived[element].signal()
                arrived[1 - element].wait()
                return element
            }.sequential()
        }
        #expect(events.compactMap(\.element).sorted() == [0, 1])
    }

    @Test func orderedLaterElementFinishesFirstWaits() {
        let isDone = DispatchSemaphore(value: 0)
        let events = events {
            Observable.of(0, 1, 2).parallel(2).runOn($0).map { element in
                if element == 0 { isDone.wait() }
                if element == 1 { isDone.signal() }
                return element
            }.ordered()
        }
        #expect(events.compactMap(\.element) == [0, 1, 2])
    }

    @Test func orderedClosureThrowsDeliversTheElementsBefore() {
        let isDone = DispatchSemaphore(value: 0)
        let events = events {
            Observable.range(start: 0, count: 100).parallel(2).runOn($0).map { element in
                if element == 8 { isDone.wait() }
                if element == 9 {
                    isDone.signal()
                    throw TestError.a
                }
                return element
            }.ordered()
        }
        #expect(events.compactMap(\.element) == Array(0..<9))
        #expect(events.last?.error as? TestError == .a)
    }

    @Test func sequentialClosureThrowsEndsTheSequenceAndDisposesOfTheSource() {
        let source = PublishSubject<Int>()
        let subscription = observe(
            source.parallel(2).runOn(scheduler).map { try passing($0, unless: 2, $0) }.sequential())
        for element in 1...4 { source.onNext(element) }
        scheduler.start()
        #expect(log.entries.last == "b")
        #expect(!source.hasObservers)
        subscription.dispose()
    }

    /// Element 1 blocks its rail until the other rail has delivered the error.
    @Test func sequentialSourceFailsDropsWhatOtherRailsHaveNotDelivered() {
        let failed = DispatchSemaphore(value: 0)
        let events = events { pool in
            Observable.of(1, 2, 3).concat(Observable.error(TestError.a)).parallel(2).runOn(pool)
                .map { element in
                    if element == 1 { failed.wait() }
                    return element
                }
                .sequential().do(onError: { _ in failed.signal() })
        }
        #expect(events.compactMap(\.element) == [2])
    }

    @Test(arguments: [false, true]) func parallelClosureDisposesNextClosureIsNotCalled(isOrdered: Bool) {
        let source = PublishSubject<Int>(), subscription = SingleAssignmentDisposable()
        let rails = source.parallel(2).runOn(scheduler)
            .map { element in
                subscription.dispose()
                return element
            }
            .filter { [log] element in
                log("filter \(element)")
                return true
            }
        subscription.setDisposable(observe(isOrdered ? rails.ordered() : rails.sequential()))
        source.onNext(1)
        scheduler.start()
        #expect(log.text == "")
    }

    @Test func orderedSourceFailsErrorComesAfterTheElements() {
        let source = Observable.of(1, 2, 3).concat(Observable.error(TestError.a))
        let subscription = observe(source.parallel(2).runOn(scheduler).ordered())
        scheduler.start()
        #expect(log.text == "1 2 3 a")
        subscription.dispose()
    }

    @Test(arguments: [false, true]) func parallelQueuesFullSourcePauses(isOrdered: Bool) {
        nonisolated(unsafe) var sent = 0
        let rails = Observable.range(start: 0, count: 100).do(onNext: { _ in sent += 1 }).parallel(2)
            .runOn(scheduler, bound: 3)
        let subscription = observe(isOrdered ? rails.ordered() : rails.sequential())
        // `ordered` serves the rails in turn, so the source pauses when one queue is full. The other queue then has
        // room for one element.
        #expect(sent == (isOrdered ? 5 : 6))
        scheduler.start()
        #expect(sent == 100)
        #expect(log.entries.count == 101)
        #expect(log.entries.last == "|")
        subscription.dispose()
    }

    @Test func sequentialRailIsFullElementGoesToAnotherRail() {
        let (blocked, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let count = Guarded(0)
        let events = events {
            Self.numbers.parallel(2).runOn($0, bound: 4).map { element in
                if element == 0 {
                    blocked.signal()
                    mayContinue.wait()
                }
                if count.withLock({
                    $0 += 1
                    return $0
                }) == 4_990 {
                    mayContinue.signal()
                }
                return element
            }.sequential()
        }
        #expect(events.compactMap(\.element).sorted() == Array(0..<5_000))
    }

    @Test func parallelSourceThatCannotPauseFailsAfterTheWaitingElements() {
        let source = PublishSubject<Int>()
        let subscription = observe(source.parallel(2).runOn(scheduler, bound: 1).ordered())
        for element in 1...4 { source.onNext(element) }
        scheduler.start()
        let error = FlowError.overflow(boundary: "parallel", limit: 1, source: "PublishSubject<Int>")
        #expect(log.text == "1 2 \(error)")
        #expect(!source.hasObservers)
        subscription.dispose()
    }

    @Test(arguments: [false, true]) func parallelDisposedReleasesTheSourceAndTheWaitingElements(isOrdered: Bool) {
        let source = PublishSubject<Int>(), tracker = LifetimeTracker()
        let rails = source.map { tracker.make($0) }.parallel(2).runOn(scheduler).map { $0 }
        let subscription = (isOrdered ? rails.ordered() : rails.sequential()).subscribe()
        for element in 1...4 { source.onNext(element) }
        #expect(tracker.live == 4)
        subscription.dispose()
        #expect(!source.hasObservers)
        scheduler.start()
        #expect(tracker.live == 0)
    }

    @Test func parallelSubscribedTwiceHasRailsForEach() {
        let source = PublishSubject<Int>()
        let result = source.parallel(2).runOn(scheduler).map { $0 * 2 }.ordered()
        let subscriptions = [observe(result), observe(result)]
        source.onNext(1)
        source.onNext(2)
        scheduler.start()
        #expect(log.entries.sorted() == ["2", "2", "4", "4"])
        subscriptions.forEach { $0.dispose() }
    }
}
