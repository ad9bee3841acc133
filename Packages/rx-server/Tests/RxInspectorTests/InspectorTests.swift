import Dispatch
import RxSwift
import RxTest
import Testing

@testable import RxInspector
@testable import RxResilience

struct InspectorTests {
    struct Refused: Error {}

    /// Returns an inspector on the scheduler's clock; one step is a millisecond.
    private func inspector(_ scheduler: TestScheduler, showsErrorTexts: Bool = false) -> Inspector {
        return Inspector(
            title: "orders", period: .seconds(1), showsErrorTexts: showsErrorTexts, scheduler: scheduler,
            clock: { scheduler.clock * 1_000_000 })
    }

    private func scheduler() -> TestScheduler { TestScheduler(initialClock: 0, resolution: 0.001) }

    private func events(_ inspector: Inspector) throws -> AsyncStream<[UInt8]> {
        guard case .events(let events) = inspector.respond(to: "/events").body else { throw Refused() }
        return events
    }

    @Test func viewerGetsASnapshotAtOnceAndEachPeriod() async throws {
        let scheduler = scheduler()
        let inspector = inspector(scheduler)
        let source = PublishSubject<Int>()
        let subscription = source.map { $0 }.ifEmpty(default: 0).subscribe()
        defer { subscription.dispose() }
        var events = try events(inspector).makeAsyncIterator()
        scheduler.advanceTo(1)
        let first = try Shown(event: await events.next())
        #expect(first.title == "orders" && first.version == 1)
        #expect(first.groups.contains { $0.operators == ["PublishSubject", "map", "ifEmpty(default:)"] })
        scheduler.advanceTo(1_010)
        subscription.dispose()
        scheduler.advanceTo(2_010)
        let second = try Shown(event: await events.next())
        let third = try Shown(event: await events.next())
        #expect(second.groups.contains { $0.operators == ["PublishSubject", "map", "ifEmpty(default:)"] })
        #expect(!third.groups.contains { $0.operators == ["PublishSubject", "map", "ifEmpty(default:)"] })
    }

    @Test func firstLookEndsWhileItIsScheduledNextOneFollows() async throws {
        let scheduler = scheduler()
        var inspector: Inspector? = Inspector(
            title: "orders", period: .seconds(1), scheduler: AtOnce(later: scheduler),
            clock: { scheduler.clock * 1_000_000 })
        let events = try events(#require(inspector))
        scheduler.advanceTo(1_010)
        inspector = nil
        var count = 0
        for await _ in events { count += 1 }
        #expect(count == 2)
    }

    @Test func secondViewerGetsTheLatestSnapshotAtOnce() async throws {
        let scheduler = scheduler()
        let inspector = inspector(scheduler)
        let first = try events(inspector)
        scheduler.advanceTo(1)
        var second = try events(inspector).makeAsyncIterator()
        #expect(try Shown(event: await second.next()).title == "orders")
        #expect(inspector.viewers == 2)
        withExtendedLifetime(first) {}
    }

    @Test func lookingEndsWithTheLastViewer() throws {
        let scheduler = scheduler()
        let inspector = inspector(scheduler)
        do {
            let (first, second) = (try events(inspector), try events(inspector))
            scheduler.advanceTo(3_000)
            #expect(inspector.viewers == 2)
            withExtendedLifetime((first, second)) {}
        }
        #expect(inspector.viewers == 0)
        // While there is a viewer, the inspector schedules snapshots, and `start` would not return.
        scheduler.start()
    }

    @Test func slowViewerGetsTheNewestSnapshots() async throws {
        let scheduler = scheduler()
        let inspector = inspector(scheduler)
        let stream = try events(inspector)
        scheduler.advanceTo(10_500)
        var count = 0
        var events = stream.makeAsyncIterator()
        for _ in 0..<2 where await events.next() != nil { count += 1 }
        #expect(count == 2)
        scheduler.advanceTo(11_500)
        #expect(await events.next() != nil)
    }

    @Test func inspectorIsFreedWithItsViewers() throws {
        let scheduler = scheduler()
        weak var kept: Inspector?
        do {
            let inspector = inspector(scheduler)
            kept = inspector
            let stream = try events(inspector)
            scheduler.advanceTo(1_500)
            withExtendedLifetime(stream) {}
        }
        scheduler.start()
        #expect(kept == nil)
    }

    @Test func releasedInspectorSchedulesNothing() throws {
        let scheduler = scheduler()
        var inspector: Inspector? = inspector(scheduler)
        let stream = try events(#require(inspector))
        scheduler.advanceTo(1)
        inspector = nil
        scheduler.start()
        #expect(scheduler.clock == 1)
        withExtendedLifetime(stream) {}
    }

    /// Runs in a separate process, because `isObserved` is global.
    @Test func releasedInspectorObservesNothing() async {
        await #expect(processExitsWith: .success) {
            // The scheduler does not run, so no snapshot retains the inspector.
            var inspector: Inspector? = Inspector(title: "orders", scheduler: TestScheduler(initialClock: 0))
            let response = inspector?.respond(to: "/events")
            precondition(Resilience.isObserved)
            inspector = nil
            precondition(!Resilience.isObserved)
            withExtendedLifetime(response) {}
        }
    }

    @Test(arguments: [
        ("", 200, "text/html; charset=utf-8"), ("/", 200, "text/html; charset=utf-8"),
        ("/index.html?a=b", 200, "text/html; charset=utf-8"), ("/snapshot.json?x", 200, "application/json"),
        ("/other", 404, "text/plain; charset=utf-8"), ("/events/x", 404, "text/plain; charset=utf-8"),
    ]) func pathHasItsStatusAndType(path: String, status: Int, type: String) {
        let response = inspector(scheduler()).respond(to: path)
        #expect(response.status == status && response.contentType == type)
        #expect(response.headers.contains { $0.name == "Content-Security-Policy" })
    }

    private func page() throws -> String {
        let body = inspector(scheduler()).respond(to: "/").body
        let bytes: [UInt8]? = if case .bytes(let bytes) = body { bytes } else { nil }
        return String(decoding: try #require(bytes), as: UTF8.self)
    }

    @Test func pageLoadsNothingFromElsewhere() throws {
        let page = try page()
        #expect(
            page.contains("<title>") && !page.contains("://") && !page.contains("src=") && !page.contains("@import"))
    }

    /// A recording may come from another person. If its fields were inserted unescaped, they could run a script.
    @Test func pageEscapesFieldsThatItInsertsIntoHTML() throws {
        let page = try page()
        // The patterns find unescaped fields in templates, and table cells that begin with one.
        let inserted = page.matches(of: /\$\{(group|parent|warning|each|queue)\.\w+( \|\| \w+)?\}/)
        let cells = page.matches(of: /\[(group|each)\.\w+(,| \+| ===)[^\]]*'(number|name)/)
        #expect((inserted.map { String($0.output.0) } + cells.map { String($0.output.0) }).isEmpty)
    }

    @Test func pausedQueueIsShownWithItsBound() throws {
        let (time, queue) = (scheduler(), scheduler())
        let inspector = inspector(time)
        let source = PublishSubject<Int>()
        let subscription = source.observe(on: queue, buffering: .pausing(4)).compactMap { $0 }.enumerated().subscribe()
        func group() throws -> Shown.Group? {
            try Shown(inspector.snapshotJSON()).groups.first {
                $0.operators == ["observe(on:)", "compactMap", "enumerated"]
            }
        }
        let before = try #require(try group())
        #expect(before.queues?.first?.bound == 4 && !before.pausing && before.count == 1)
        for element in 0..<4 { source.onNext(element) }
        time.advanceTo(1_000)
        let full = try #require(try group())
        #expect(full.pausing && full.queues?.first?.depth == 4 && full.queues?.first?.pausing == 1)
        queue.start()
        time.advanceTo(2_000)
        #expect(try group()?.pausing == false)
        subscription.dispose()
        queue.start()
        time.advanceTo(3_000)
        #expect(try group() == nil)
    }

    @Test func innerSequencesFeedTheirParent() throws {
        let inspector = inspector(scheduler())
        let source = PublishSubject<Int>()
        let subscription = source.skip(0).flatMapLatest { _ in Observable<Int>.never() }.toArray().subscribe()
        defer { subscription.dispose() }
        source.onNext(1)
        let shown = try Shown(inspector.snapshotJSON())
        let outer = try #require(shown.groups.first { $0.operators == ["flatMapLatest", "toArray"] })
        let inner = shown.groups.filter { $0.parent == outer.id }
        #expect(inner.count == 2 && inner.allSatisfy(\.inner))
        #expect(!(outer.site ?? []).isEmpty)
    }

    @Test func operatorsOfInnerSequencesHaveTheirPlaces() throws {
        let inspector = inspector(scheduler())
        let source = PublishSubject<Int>()
        let subscription = source.flatMap { _ in Observable<Int>.never().skip(1) }.reduce(0, accumulator: +).subscribe()
        let line = #line - 1
        defer { subscription.dispose() }
        source.onNext(1)
        let groups = try Shown(inspector.snapshotJSON()).groups
        for operators in [["flatMap", "reduce"], ["never", "skip"]] {
            let group = try #require(groups.first { $0.operators == operators }, "\(groups)")
            let files = (group.places ?? []).map { $0?.split(separator: "/").last.map(String.init) }
            #expect(files == ["InspectorTests.swift:\(line)", "InspectorTests.swift:\(line)"], "\(group)")
        }
    }

    @Test func errorsOfRetriedSequenceAreShownAtRetry() throws {
        let time = scheduler()
        let inspector = inspector(time)
        let source = PublishSubject<Int>()
        let subscription = source.map { if $0 < 0 { throw Refused() } }.retry().enumerated().toArray().subscribe()
        defer { subscription.dispose() }
        func group() throws -> Shown.Group? {
            try Shown(inspector.snapshotJSON()).groups.first { $0.operators == ["retry", "enumerated", "toArray"] }
        }
        #expect(try group()?.failed == 0)
        for element in [-1, 1, -2, -3] { source.onNext(element) }
        time.advanceTo(2_000)
        #expect(try group().map { [Double($0.failed), $0.failureRate] } == [3, 1.5])
        time.advanceTo(3_000)
        #expect(try group().map { [Double($0.failed), $0.failureRate] } == [3, 0])
    }

    @Test func limitsAreShownWithTheirFill() throws {
        let inspector = inspector(scheduler())
        let bulkhead = Bulkhead(1, waiting: 8, name: "inspected database")
        let breaker = CircuitBreaker("inspected payments")
        breaker.forceOpen()
        let running = Observable<Int>.never().admitted(by: bulkhead).subscribe()
        let waiting = Observable<Int>.never().admitted(by: bulkhead).subscribe()
        let limits = try Shown(inspector.snapshotJSON()).limits
        let shown = limits.first { $0.name == "inspected database" }
        #expect(shown?.fills.map(\.value) == [1, 1] && shown?.fills.map(\.limit) == [1, 8])
        #expect(limits.first { $0.name == "inspected payments" }?.state == "forced open")
        running.dispose()
        waiting.dispose()
    }

    @Test func textOfAnErrorIsHiddenUnlessAskedFor() throws {
        for shows in [false, true] {
            let inspector = inspector(scheduler(), showsErrorTexts: shows)
            inspector.record(FlowError.overflow(boundary: "secret", limit: 1, source: "x"))
            let json = inspector.snapshotJSON()
            #expect(json.contains("secret") == shows)
            #expect(try Shown(json).errors.map(\.type) == ["FlowError"])
        }
    }

    @Test func equalErrorsInARowCountAsOne() throws {
        let inspector = inspector(scheduler())
        for error in [Refused(), Refused(), RxError.timeout, Refused()] as [any Error] { inspector.record(error) }
        let errors = try Shown(inspector.snapshotJSON()).errors
        #expect(errors.map(\.count) == [2, 1, 1] && errors.map(\.type) == ["Refused", "RxError", "Refused"])
    }

    @Test func latestFiftyErrorsAreKept() throws {
        let inspector = inspector(scheduler())
        for each in 0..<70 { inspector.record(each % 2 == 0 ? Refused() : RxError.noElements as any Error) }
        #expect(try Shown(inspector.snapshotJSON()).errors.count == 50)
    }

    @Test func checkpointsOfAnErrorAreItsTrail() throws {
        let inspector = inspector(scheduler())
        _ = Observable<Int>.error(Refused()).checkpoint("charged")
            .subscribe(onError: { inspector.record($0) })
        #expect(try Shown(inspector.snapshotJSON()).errors.map(\.trail) == [["charged"]])
    }

    @Test func watchRecordsUnhandledErrorsAndCallsTheHandlerBefore() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var handled = 0
            Hooks.defaultErrorHandler = { _, _ in handled += 1 }
            let inspector = Inspector(title: "orders")
            let watch = inspector.watch(stallsLongerThan: nil)
            _ = Observable<Int>.error(Refused()).subscribe(onNext: { _ in })
            precondition(handled == 1 && inspector.snapshotJSON().contains(#""type":"Refused""#))
            watch.dispose()
            _ = Observable<Int>.error(RxError.noElements).subscribe(onNext: { _ in })
            precondition(handled == 2)
        }
    }

    @Test func stallOfItsOwnQueueIsNotRecorded() async {
        await #expect(processExitsWith: .success) {
            let inspector = Inspector(title: "orders")
            let watch = inspector.watch(stallsLongerThan: .milliseconds(1))
            // The queues stall one after the other, so that the stall of the first queue is reported first.
            for name in ["rx.inspector", "warehouse"] {
                let ended = DispatchSemaphore(value: 0)
                _ = SerialDispatchQueueScheduler(internalSerialQueueName: name).schedule(()) {
                    let begin = ContinuousClock.now
                    while ContinuousClock.now < begin + .milliseconds(20) {}
                    ended.signal()
                    return Disposables.create()
                }
                ended.wait()
            }
            while !inspector.snapshotJSON().contains(#""scheduler":"warehouse""#) {}
            let warnings = try Shown(inspector.snapshotJSON()).warnings
            precondition(warnings.map(\.subject) == ["warehouse"])
            watch.dispose()
        }
    }
}

/// Runs an action before `schedule` returns, as a fast thread might.
private struct AtOnce: SchedulerType {
    let later: TestScheduler

    var now: RxTime { later.now }

    func schedule<State>(_ state: State, action: @escaping @Sendable (State) -> any Disposable) -> any Disposable {
        action(state)
    }

    func scheduleRelative<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        dueTime == .nanoseconds(0) ? action(state) : later.scheduleRelative(state, dueTime: dueTime, action: action)
    }
}
