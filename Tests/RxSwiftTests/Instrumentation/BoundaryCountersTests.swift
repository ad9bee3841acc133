import RxTest
import TestSupport
import Testing

@_spi(RxServer) @testable import RxSwift

struct BoundaryCountersTests {
    private static func boundary(_ name: String) -> Counters.Boundary? {
        Counters.snapshot().boundaries.first { $0.name == name }
    }

    @Test func registerReturnsNilWhileCountingIsOff() async {
        await #expect(processExitsWith: .success) {
            precondition(BoundaryCounters.register("hop", bound: 1) == nil)
            Counters.isCounting = true
            precondition(BoundaryCounters.register("hop", bound: 1) != nil)
            Counters.isCounting = false
            precondition(!Counters.isCounting && BoundaryCounters.register("hop", bound: 1) == nil)
        }
    }

    @Test func snapshotShowsDepthPausesAndDrops() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let counters = BoundaryCounters.register("hop", bound: 4)!
            counters.entered(3)
            counters.paused()
            counters.left()
            counters.dropped(2)
            counters.entered()
            precondition(
                Self.boundary("hop")
                    == Counters.Boundary(
                        name: "hop", bound: 4, live: 1, depth: 3, highWater: 3, pauses: 1, drops: 2))
        }
    }

    @Test func boundariesOfSameNameAndBoundFormOneRow() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let one = BoundaryCounters.register("hop", bound: 4)!, other = BoundaryCounters.register("hop", bound: 4)!
            let wider = BoundaryCounters.register("hop", bound: 9)!
            one.entered(3)
            other.entered(2)
            wider.entered(9)
            precondition(Counters.snapshot().boundaries.map(\.bound) == [4, 9])
            precondition(Counters.snapshot().boundaries.map(\.depth) == [5, 9])
            precondition(Counters.snapshot().boundaries.map(\.highWater) == [3, 9])
        }
    }

    @Test func rowsComeInTheOrderOfTheirNamesAndBounds() async {
        await #expect(processExitsWith: .success) {
            let hops = (0..<8).map { Counted(.scheduler(name: "\($0)")) }
            let boundaries = (0..<8).map { Counted(.boundary(name: "hop", bound: $0)) }
            let shown = Counters.snapshot()
            precondition(shown.schedulers.map(\.name) == (0..<8).map { "\($0)" }, "\(shown.schedulers)")
            precondition(shown.boundaries.map(\.bound) == Array(0..<8), "\(shown.boundaries)")
            (hops + boundaries).forEach { $0.retire() }
        }
    }

    @Test func highWaterKeepsGreatestDepth() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let counters = BoundaryCounters.register("hop", bound: 9)!
            counters.entered(3)
            counters.left(3)
            counters.entered()
            precondition(Self.boundary("hop")?.depth == 1 && Self.boundary("hop")?.highWater == 3)
        }
    }

    @Test func elementLeftBeforeItIsCountedDoesNotReduceOtherDepths() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let one = BoundaryCounters.register("hop", bound: 4)!, other = BoundaryCounters.register("hop", bound: 4)!
            one.left()
            other.entered(2)
            precondition(Self.boundary("hop")?.depth == 2)
        }
    }

    @Test func releasedBoundaryKeepsCountsButNotDepth() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            do {
                let counters = BoundaryCounters.register("hop", bound: 4)!
                counters.entered(3)
                counters.paused()
                counters.dropped()
            }
            precondition(
                Self.boundary("hop")
                    == Counters.Boundary(
                        name: "hop", bound: 4, live: 0, depth: 0, highWater: 3, pauses: 1, drops: 1))
        }
    }

    @Test func boundaryCountsDepthAndPauses() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = Observable.range(start: 0, count: 20)
                .observe(on: scheduler, buffering: .pausing(4)).subscribe()
            // The source resumes when one element is left in the queue.
            for (time, depth, pauses) in [(0, 4, 1), (2, 2, 1), (3, 4, 2)] {
                scheduler.advanceTo(time)
                let shown = Self.boundary("observe(on:)")
                precondition(
                    shown
                        == Counters.Boundary(
                            name: "observe(on:)", bound: 4, live: 1, depth: depth, highWater: 4, pauses: pauses,
                            drops: 0), "at \(time): \(shown!)")
            }
            subscription.dispose()
            scheduler.start()
        }
    }

    private static func checkDrops(
        of name: String, through hop: (Observable<Int>, TestScheduler, Buffering) -> Observable<Int>
    ) {
        Counters.isCounting = true
        for (buffering, bound) in [(Buffering.oldest(2), 2), (.newest(3), 3)] {
            let (scheduler, source) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            let subscription = hop(source.asObservable(), scheduler, buffering).subscribe()
            for element in 0..<9 { source.onNext(element) }
            var shown = Counters.snapshot().boundaries.first { $0.bound == bound }
            let expected = Counters.Boundary(
                name: name, bound: bound, live: 1, depth: bound, highWater: bound, pauses: 0, drops: 9 - bound)
            precondition(shown == expected, "\(shown!)")
            scheduler.start()
            shown = Counters.snapshot().boundaries.first { $0.bound == bound }
            precondition(shown?.live == 1 && shown?.depth == 0, "\(shown!)")
            subscription.dispose()
            scheduler.start()
        }
    }

    @Test func aHopThatWaitsWithoutABoundIsABoundaryWithTheGreatestOfAll() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let (scheduler, source) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            let subscription = source.observe(on: scheduler).observe(on: scheduler, buffering: .pausing(4)).subscribe()
            for element in 0..<9 { source.onNext(element) }
            let shown = Counters.snapshot()
            let expected = Counters.Boundary(
                name: "observe(on:)", bound: .max, live: 1, depth: 9, highWater: 9, pauses: 0, drops: 0)
            precondition(shown.boundaries.map(\.bound) == [4, .max] && shown.boundaries[1] == expected, "\(shown)")
            precondition(shown.schedulers.map(\.depth) == [9] && shown.schedulers.map(\.hops) == [2], "\(shown)")
            subscription.dispose()
            scheduler.start()
        }
    }

    @Test func boundaryCountsDrops() async {
        await #expect(processExitsWith: .success) {
            Self.checkDrops(of: "observe(on:)") { $0.observe(on: $1, buffering: $2) }
        }
    }

    @Test func boundedDelayCountsDepthAndDrops() async {
        await #expect(processExitsWith: .success) {
            Self.checkDrops(of: "delay") { source, scheduler, buffering in
                Hooks.defaultBuffering = buffering
                return source.delay(.seconds(5), scheduler: scheduler)
            }
        }
    }

    @Test func aBoundedDelayCountsItsPauses() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = Observable.range(start: 0, count: 20).delay(.seconds(5), scheduler: scheduler).bounded(4)
                .subscribe()
            for time in [0, 4] {
                scheduler.advanceTo(time)
                let shown = Self.boundary("delay")
                let expected = Counters.Boundary(
                    name: "delay", bound: 4, live: 1, depth: 4, highWater: 4, pauses: 1, drops: 0)
                precondition(shown == expected, "at \(time): \(shown!)")
            }
            scheduler.start()
            precondition((Self.boundary("delay")?.depth ?? 0) == 0)
            subscription.dispose()
        }
    }

    private static func check(
        _ name: String, bound: Int, live: Int, _ depth: Int, _ most: Int, pauses: Int, drops: Int
    ) {
        let shown = Counters.snapshot().boundaries.first { $0.name == name && $0.bound == bound }
        let expected = Counters.Boundary(
            name: name, bound: bound, live: live, depth: depth, highWater: most, pauses: pauses, drops: drops)
        precondition(shown == expected, "\(String(describing: shown))")
    }

    @Test func disposedDroppingBoundaryHasNoDepth() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            for (buffering, bound) in [(Buffering.oldest(2), 2), (.newest(3), 3)] {
                let (above, below) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
                let source = PublishSubject<Int>()
                let subscription = source.subscribe(on: above).observe(on: below, buffering: buffering).subscribe()
                above.start()
                for element in 0..<9 { source.onNext(element) }
                Self.check("observe(on:)", bound: bound, live: 1, bound, bound, pauses: 0, drops: 9 - bound)
                subscription.dispose()
                below.start()
                Self.check("observe(on:)", bound: bound, live: 1, 0, bound, pauses: 0, drops: 9 - bound)
                above.start()
                Self.check("observe(on:)", bound: bound, live: 0, 0, bound, pauses: 0, drops: 9 - bound)
            }
        }
    }

    @Test func boundedValuesCountDepthAndDrops() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            for (buffering, bound) in [(Buffering.oldest(3), 3), (.newest(4), 4)] {
                let source = PublishSubject<Int>()
                var iterator = source.values(buffering: buffering).makeAsyncIterator()
                let subscription = iterator.subscribe()
                for element in 0..<9 { source.onNext(element) }
                Self.check("values", bound: bound, live: 1, bound, bound, pauses: 0, drops: 9 - bound)
                _ = try await iterator.next()
                Self.check("values", bound: bound, live: 1, bound - 1, bound, pauses: 0, drops: 9 - bound)
                _ = try await iterator.next(upTo: 2)
                Self.check("values", bound: bound, live: 1, bound - 3, bound, pauses: 0, drops: 9 - bound)
                subscription.dispose()
            }
        }
    }

    @Test func aLoopOverValuesCountsItsPauses() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            var iterator = Observable.range(start: 0, count: 20).values(buffering: .pausing(4)).makeAsyncIterator()
            let subscription = iterator.subscribe()
            Self.check("values", bound: 4, live: 1, 4, 4, pauses: 1, drops: 0)
            subscription.dispose()
            _ = try await iterator.next()
        }
    }

    @Test func unboundedValuesAreNotCounted() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let iterator = Observable.of(1).values(buffering: .unbounded).makeAsyncIterator()
            precondition(Counters.snapshot().boundaries.isEmpty)
            withExtendedLifetime(iterator) {}
        }
    }

    @Test func boundedZipCountsDepthAndPauses() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let other = PublishSubject<Int>()
            let subscription = Observable.zip(Observable.range(start: 0, count: 5), other, buffering: .pausing(4)) {
                $0 + $1
            }.subscribe()
            Self.check("zip", bound: 4, live: 2, 4, 4, pauses: 1, drops: 0)
            other.onNext(1)
            Self.check("zip", bound: 4, live: 2, 3, 4, pauses: 1, drops: 0)
            subscription.dispose()
            precondition(Self.boundary("zip")?.live == 0)
        }
    }

    @Test func boundedZipCountsDrops() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            for (buffering, bound) in [(Buffering.oldest(2), 2), (.newest(3), 3)] {
                let source = PublishSubject<Int>()
                let subscription = Observable.zip(source, Observable<Int>.never(), buffering: buffering) { $0 + $1 }
                    .subscribe()
                for element in 0..<9 { source.onNext(element) }
                Self.check("zip", bound: bound, live: 2, bound, bound, pauses: 0, drops: 9 - bound)
                subscription.dispose()
            }
        }
    }

    @Test func aLimitedMergeWithABoundCountsTheSourcesThatWaitAndItsPauses() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let inner = (0..<20).map { _ in PublishSubject<Int>() }
            let subscription = Observable.range(start: 0, count: 20).map { inner[$0] }.merge(maxConcurrent: 1)
                .bounded(4).subscribe()
            Self.check("merge(maxConcurrent:)", bound: 4, live: 1, 4, 4, pauses: 1, drops: 0)
            inner[0].onCompleted()
            Self.check("merge(maxConcurrent:)", bound: 4, live: 1, 3, 4, pauses: 1, drops: 0)
            subscription.dispose()
            precondition(Self.boundary("merge(maxConcurrent:)")?.live == 0)
        }
    }

    @Test func eachBoundaryCountsTheElementThatItRefuses() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let (scheduler, source) = (TestScheduler(initialClock: 0), PublishSubject<Int>())
            let iterator = source.values(buffering: .failing(2)).makeAsyncIterator()
            let loop = iterator.subscribe()
            let subscriptions = [
                source.observe(on: scheduler, buffering: .failing(2)),
                source.observe(on: scheduler, buffering: .pausing(3)),
                source.delay(.seconds(5), scheduler: scheduler).bounded(2),
                Observable.zip(source, Observable<Int>.never(), buffering: .pausing(2)) { $0 + $1 },
                source.map { _ in Observable<Int>.never() }.merge(maxConcurrent: 1).bounded(2),
            ].map { $0.subscribe(onError: { _ in }) }
            for element in 0..<9 { source.onNext(element) }
            let shown = Counters.snapshot().boundaries.map { "\($0.name) \($0.bound) \($0.highWater) \($0.drops)" }
            precondition(
                shown == [
                    "delay 2 2 1", "merge(maxConcurrent:) 2 2 1", "observe(on:) 2 2 1", "observe(on:) 3 3 1",
                    "values 2 2 1", "zip 2 2 1",
                ], "\(shown)")
            (subscriptions + [loop]).forEach { $0.dispose() }
            scheduler.start()
        }
    }

    @Test func countsExactlyWhileThreadsCountAtOnce() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let shared = BoundaryCounters.register("shared", bound: 9)!
            try runConcurrently(threads: 8) { _ in
                for _ in 0..<1_000 {
                    let own = BoundaryCounters.register("own", bound: 9)
                    own?.dropped()
                    shared.entered()
                    shared.paused()
                    shared.left()
                    _ = Counters.isCounting
                }
                _ = Counters.snapshot()
            }
            let shown = Self.boundary("shared")
            precondition(shown?.depth == 0 && shown?.pauses == 8_000 && (1...8).contains(shown?.highWater ?? 0))
            precondition(Self.boundary("own")?.drops == 8_000 && Self.boundary("own")?.live == 0)
        }
    }

    @Test func highWaterIsZeroBeforeFirstElement() async {
        await #expect(processExitsWith: .success) {
            Counters.isCounting = true
            let counters = BoundaryCounters.register("hop", bound: 9)!
            let hop = SchedulerCounts(TestScheduler(initialClock: 0))
            let shown = Counters.snapshot()
            precondition(shown.boundaries.map(\.highWater) == [0])
            precondition(shown.schedulers.map(\.highWater) == [0])
            precondition(shown.schedulers.map(\.longestLatency) == [.nanoseconds(0)])
            withExtendedLifetime((counters, hop)) {}
        }
    }
}
