import RxSwift
import RxTest
import TestSupport
import Testing

/// The numbered rules of Reactive Streams 1.0.4 that apply here. A pause means that no demand is left, a resume is a
/// `request`, and a disposal is a `cancel`.
struct ReactiveStreamsTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func numbers(_ count: Int = 100) -> Observable<Int> { .range(start: 0, count: count) }

    @Test("1.1: a publisher sends no more than the bound") func publisherSendsNoMoreThanBound() {
        nonisolated(unsafe) var sent = 0
        let subscription = numbers().do(onNext: { _ in sent += 1 }).observe(on: scheduler).bounded(4).subscribe()
        #expect(sent == 4)
        subscription.dispose()
        scheduler.start()
    }

    @Test("1.2: it may send fewer elements and end") func mayEndBeforeAllRoomIsUsed() {
        let observer = scheduler.start { numbers(3).observe(on: scheduler).bounded(16) }
        #expect(observer.events.last?.value.isCompleted == true)
        #expect(observer.events.count == 4)
    }

    @Test("1.4, 1.5, 1.7: an end is sent once, and nothing follows it", arguments: [1, 4])
    func endsOnce(bound: Int) {
        let source = numbers(5).concat(Observable.error(TestError.a)).concat(numbers(5))
        let observer = scheduler.start { source.observe(on: scheduler).bounded(bound) }
        #expect(observer.events.count(where: { $0.value.isStopEvent }) == 1)
        #expect(observer.events.last?.value.error as? TestError == .a)
    }

    @Test("1.8: it stops at disposal, whether paused or not") func stopsWhenDisposedOf() {
        nonisolated(unsafe) var sent = 0
        let subscription = numbers().do(onNext: { _ in sent += 1 }).observe(on: scheduler).bounded(4).subscribe()
        subscription.dispose()
        scheduler.start()
        #expect(sent == 4)
    }

    @Test("1.11: each subscriber is paused separately") func pausesEachByItself() {
        let source = scheduler.createPausableObservable("-1-2-3|", of: Int.self)
        let free = scheduler.createObserver(Int.self)
        _ = source.asObservable().subscribe(free)
        let paused = scheduler.start { source.paused(by: "--p------r", on: scheduler) }
        #expect(free.events.count == 4)
        #expect(paused.events.last?.time == 209)
    }

    @Test("2.8: elements in flight at a pause still arrive") func elementsInFlightAtPauseArrive() {
        let source = scheduler.createHotObservable("-1-2|", of: Int.self)
        scheduler.start { source.paused(by: "p", on: scheduler) }.expect("-1-2|")
    }

    @Test("3.3: resumes from inside a delivery do not nest deeper") func nestsNoDeeper() throws {
        let seen = try runOnThread(stackSize: 256 << 10) {
            nonisolated(unsafe) var seen = 0
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = numbers(20_000).observe(on: scheduler).bounded(1).subscribe(onNext: { _ in seen += 1 })
            scheduler.advanceTo(30_000)
            subscription.dispose()
            return seen
        }
        #expect(seen == 20_000)
    }

    @Test("3.6: after a disposal a resume does nothing") func isNotResumedAfterDisposal() {
        let source = scheduler.createPausableObservable("-1-2-3-|", of: Int.self)
        let observer = scheduler.start("^---!") { source.paused(by: "--p--r", on: scheduler) }
        source.expectSignals("--p")
        observer.expect("-1")
    }

    @Test("3.7: a second disposal does nothing") func isDisposedOfOnce() {
        nonisolated(unsafe) var disposals = 0
        let subscription = numbers().do(onDispose: { disposals += 1 }).observe(on: scheduler).bounded(2).subscribe()
        subscription.dispose()
        subscription.dispose()
        scheduler.start()
        #expect(disposals == 1)
    }

    @Test("3.10: it may send at once when resumed") func sendsWhenResumed() {
        let source = scheduler.createPausableObservable("-1-2-3|", of: Int.self)
        scheduler.start { source.paused(by: "p------r", on: scheduler) }.expect("-------(123|)")
    }

    @Test("3.13: a disposal releases the subscriber") func disposedChainFreesSubscriber() {
        let tracker = LifetimeTracker()
        let subscription = {
            let held = tracker.make()
            return numbers().observe(on: scheduler).bounded(2).subscribe(onNext: { _ in _ = held.value })
        }()
        subscription.dispose()
        scheduler.start()
        #expect(tracker.live == 0)
    }

    @Test("3.17: without a bound it never pauses") func neverPausesWithoutABound() {
        let source = scheduler.createPausableObservable("(1234)|", of: Int.self)
        _ = scheduler.start { source.asObservable().observe(on: scheduler) }
        source.expectSignals("")
    }
}
