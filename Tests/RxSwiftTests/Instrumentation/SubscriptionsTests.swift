import Dispatch
import Foundation
import RxTest
import TestSupport
import Testing

@testable import RxSwift

struct SubscriptionsTests {
    @Test func namesTheOperatorsOfAChain() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            let subscription = source.map { "\($0)" }.filter { !$0.isEmpty }.map { $0.count }.scan(0, accumulator: +)
                .distinctUntilChanged().share().subscribe()
            let chains = Subscriptions.live.map { $0.operators.joined(separator: " > ") }
            precondition(chains.contains("share"), "\(chains)")
            precondition(
                chains.contains("PublishSubject > map > filter > map > scan > distinctUntilChanged"), "\(chains)")
            subscription.dispose()
        }
    }

    @Test func listedOperatorsHaveTheirPublicNames() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            func operators(_ sequence: Observable<Int>) -> String? {
                let subscription = sequence.subscribe()
                defer { subscription.dispose() }
                return Subscriptions.live.first { !$0.isInner }?.operators.joined(separator: " > ")
            }
            let names = [
                operators(source.flatMapFirst { _ in Observable<Int>.never() }), operators(source.take(until: source)),
                operators(source.element(at: 1)), operators(source.scan(into: 0) { $0 += $1 }),
                operators(.never()), operators(source.concat(source)),
            ]
            precondition(
                names == [
                    "flatMapFirst", "take(until:)", "PublishSubject > element(at:)", "PublishSubject > scan(into:)",
                    "never", "concat",
                ], "\(names)")
        }
    }

    #if canImport(Glibc)
        // Outside the exit test, because the compiler attributes code in a test's closure to the macro's file.
        private static func chain() -> (chain: Observable<Int>, names: [String], firstLine: Int) {
            let chain = PublishSubject<Int>()
                .map { $0 + 1 }
                .filter { $0 > 0 }
                .flatMap { Observable.just($0) }
                .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "places"))
                .take(5)
            return (chain, ["PublishSubject", "map", "filter", "flatMap", "observe(on:)", "take"], #line - 6)
        }

        @Test func listedOperatorsHaveTheirPlaces() async {
            await #expect(processExitsWith: .success) {
                Subscriptions.areListed = true
                let (chain, names, firstLine) = SubscriptionsTests.chain()
                let subscription = chain.subscribe()
                let places = Subscriptions.live.flatMap { Array(zip($0.operators, $0.operatorPlaces)) }
                    .reduce(into: [:]) { $0[$1.0] = $1.1?.split(separator: "/").last.map(String.init) }
                let expected = names.indices.map { "SubscriptionsTests.swift:\(firstLine + $0)" }
                precondition(names.map { places[$0] ?? "none" } == expected, "\(places)")
                precondition(Subscriptions.text.contains("    map at "), Subscriptions.text)
                precondition(Subscriptions.json.contains("\(expected[1])\""), Subscriptions.json)
                subscription.dispose()
            }
        }
    #endif

    @Test func operatorsCalledBeforeTheListHaveNoPlaces() async {
        await #expect(processExitsWith: .success) {
            let source = PublishSubject<Int>().map { $0 + 1 }.filter { $0 > 0 }
            Subscriptions.areListed = true
            let subscription = source.skip(1).subscribe()
            let live = Subscriptions.live[0]
            precondition(live.operators == ["PublishSubject", "map", "filter", "skip"], "\(live.operators)")
            precondition(live.operatorPlaces.prefix(3).allSatisfy { $0 == nil }, "\(live.operatorPlaces)")
            subscription.dispose()
        }
    }

    @Test func callsOfOperatorsBeyondTheLimitHaveNoPlaces() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            // Ten times as many calls as one second permits, made in less than ten seconds.
            let chains = (0..<10 * Int(OperatorCall.mostPerSecond)).map { _ in source.skip(1) }
            let subscriptions = CompositeDisposable(disposables: chains.map { $0.subscribe() })
            precondition(Subscriptions.live.contains { $0.operatorPlaces[1] == nil })
            subscriptions.dispose()
        }
    }

    @Test func listContainsOnlyLiveSubscriptions() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            let disposed = source.subscribe()
            let ended = source.take(1).subscribe()
            let kept = source.subscribe()
            precondition(Subscriptions.live.map(\.id) == [1, 2, 3])
            disposed.dispose()
            source.onNext(1)
            precondition(Subscriptions.live.map(\.id) == [3])
            precondition(Subscriptions.live[0].events == 1)
            precondition(Subscriptions.live[0].age.nanosecondsFromZero > 0)
            withExtendedLifetime((ended, kept)) {}
        }
    }

    @Test func onSubscribedRunsWhileSubscriptionsAreListed() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (source, log) = (PublishSubject<Int>(), Log())
            let subscription = source.do(onSubscribed: { log("subscribed") }, onDispose: { log("disposed") })
                .subscribe()
            precondition(log.text == "subscribed", log.text)
            subscription.dispose()
            precondition(log.text == "subscribed disposed", log.text)
            withExtendedLifetime(source) {}
        }
    }

    @Test func chainFreedWithoutEndLeavesList() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            var source: PublishSubject<Int>? = PublishSubject()
            _ = source?.map { $0 }.subscribe()
            precondition(Subscriptions.live.count == 1)
            source = nil
            precondition(Subscriptions.live.isEmpty)
        }
    }

    @Test func textShowsInnerSequencesBelowTheirParent() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (outer, inner) = (PublishSubject<Int>(), PublishSubject<Int>())
            let subscription = outer.flatMap { _ in inner.map { $0 } }.subscribe()
            outer.onNext(1)
            outer.onNext(2)
            let live = Subscriptions.live
            precondition(live.map(\.isInner) == [false, true, true, true])
            precondition(live.map(\.parent) == [nil, 1, 1, 1])
            precondition(live[0].operators == ["flatMap"], "\(live[0].operators)")
            precondition((live[0].innerSubscriptions, live[0].innerSubscriptionsMade) == (3, 3))
            let lines = Subscriptions.text.split(separator: "\n").filter { !$0.contains(" at ") }
            precondition(lines.count == 5 && lines[2].hasPrefix("  #2 inner PublishSubject"), "\(lines)")
            subscription.dispose()
            precondition(Subscriptions.live.isEmpty)
        }
    }

    @Test func subscriptionInAContextIsListedOnce() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (outer, inner) = (PublishSubject<Int>(), PublishSubject<Int>())
            let subscription = outer.subscribed(in: { $0() }, deliveredIn: { $0() })
                .flatMap { _ in inner.subscribed(in: { $0() }) }.subscribe()
            outer.onNext(1)
            let live = Subscriptions.live
            precondition(live.map(\.parent) == [nil, 1, 1], Subscriptions.text)
            precondition((live[0].innerSubscriptions, live[0].innerSubscriptionsMade) == (2, 2), Subscriptions.text)
            precondition(live[2].operators == ["PublishSubject", "subscribedIn"], Subscriptions.text)
            subscription.dispose()
            precondition(Subscriptions.live.isEmpty, Subscriptions.text)
        }
    }

    private final class Failing: Sendable {
        private let observers = Guarded<[AnyObserver<Int>]>([])

        var sequence: Observable<Int> {
            Observable.create { [observers] observer in
                observers.withLock { $0.append(observer) }
                return Disposables.create()
            }
        }

        func fail() {
            for observer in observers.withLock({ exchange(&$0, with: []) }) { observer.onError(TestError.a) }
        }
    }

    private static var failed: [Int] { Subscriptions.live.filter { !$0.isInner }.map(\.innerSubscriptionsFailed) }

    @Test func failedAttemptsAreCountedAtRetry() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = Failing()
            let subscription = source.sequence.map { $0 }.retry().map { $0 }.subscribe()
            precondition(Self.failed == [0] && !Subscriptions.text.contains(" failed)\n"), Subscriptions.text)
            for _ in 0..<3 { source.fail() }
            precondition(Subscriptions.live.map(\.innerSubscriptionsFailed) == [3, 0], Subscriptions.text)
            precondition(Subscriptions.text.contains(" inner alive (3 failed)\n"), Subscriptions.text)
            precondition(Subscriptions.json.contains("\"innerSubscriptionsFailed\":3,"), Subscriptions.json)
            subscription.dispose()
            precondition(Subscriptions.live.isEmpty)
        }
    }

    @Test func attemptThatFailsDuringSubscribeIsCounted() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let subscription = Observable<Int>.error(TestError.a).catch { _ in .never() }.subscribe()
            precondition(Self.failed == [1], Subscriptions.text)
            subscription.dispose()
        }
    }

    @Test func errorOfSharedSequenceIsCountedAtEachRetry() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = Failing()
            let shared = source.sequence.share()
            let subscriptions = (0..<2).map { _ in shared.retry().subscribe() }
            source.fail()
            precondition(Self.failed == [1, 1], Subscriptions.text)
            source.fail()
            precondition(Self.failed == [2, 2], Subscriptions.text)
            subscriptions.forEach { $0.dispose() }
        }
    }

    @Test func errorThatPassesSeveralOperatorsIsCountedOnceAtEach() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (outer, source) = (PublishSubject<Int>(), Failing())
            let subscription = outer.flatMap { _ in source.sequence.subscribed(in: { $0() }).map { $0 } }
                .retry().subscribe()
            outer.onNext(1)
            outer.onNext(2)
            source.fail()
            precondition(Subscriptions.live.map(\.innerSubscriptionsFailed) == [1, 0, 0], Subscriptions.text)
            subscription.dispose()
        }
    }

    @Test func disposedInnerSequenceHasNotFailed() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (outer, source) = (PublishSubject<Int>(), Failing())
            let subscription = outer.flatMapLatest { $0 == 1 ? source.sequence : .empty() }.subscribe()
            outer.onNext(1)
            outer.onNext(2)
            source.fail()
            precondition(Self.failed == [0], Subscriptions.text)
            subscription.dispose()
        }
    }

    @Test func errorThatReachesItsSubscriberIsNotCountedAtOuterSubscription() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = Failing()
            let chain = Observable<Int>.create { _ in source.sequence.subscribe(onError: { _ in }) }
            let subscription = chain.subscribe()
            precondition(Self.failed == [0, 0], Subscriptions.text)
            source.fail()
            precondition(Self.failed == [0], Subscriptions.text)
            subscription.dispose()
        }
    }

    @Test func errorsOnSeveralThreadsAreAllCounted() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let sources = (0..<4).map { _ in Failing() }
            let subscription = Observable.merge(sources.map { $0.sequence.retry() }).subscribe()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for _ in 0..<500 { sources[thread].fail() }
            }
            let retries = Subscriptions.live.filter { $0.operators == ["retry"] }
            precondition(retries.map(\.innerSubscriptionsFailed) == [500, 500, 500, 500], Subscriptions.text)
            subscription.dispose()
        }
    }

    @Test func callSiteComesFromHook() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            Hooks.recordCallStackOnError = true
            Hooks.customCaptureSubscriptionCallstack = { ["here", "there"] }
            let subscription = PublishSubject<Int>().subscribe()
            precondition(Subscriptions.live.map(\.callSite) == [["here", "there"]])
            subscription.dispose()
        }
    }

    @Test func nextSubscriptionHasNoParent() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            let subscriptions = [source.subscribe(), source.map { $0 }.subscribe()]
            precondition(Subscriptions.live.map(\.parent) == [nil, nil], Subscriptions.text)
            subscriptions.forEach { $0.dispose() }
        }
    }

    @Test func subscriptionByObserverHasNoParent() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (source, kept) = (PublishSubject<Int>(), SerialDisposable())
            let chain = Observable<Int>.create { observer in
                observer.onNext(1)
                return Disposables.create {}
            }
            let subscription = chain.subscribe(onNext: { _ in kept.disposable = source.subscribe() })
            precondition(Subscriptions.live.map(\.parent) == [nil, nil], Subscriptions.text)
            subscription.dispose()
            kept.dispose()
        }
    }

    @Test func subscriptionByCreateIsChildButNotInnerSequence() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            let chain = Observable<Int>.create { observer in
                observer.onNext(1)
                return source.subscribe(observer)
            }
            let subscription = chain.subscribe()
            let live = Subscriptions.live
            precondition(live.map(\.parent) == [nil, 1] && live.map(\.isInner) == [false, false], Subscriptions.text)
            precondition(live[0].innerSubscriptionsMade == 0, Subscriptions.text)
            subscription.dispose()
        }
    }

    @Test func subscriptionOutlivingItsParentIsShownAtTopLevel() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (source, kept) = (PublishSubject<Int>(), SerialDisposable())
            let chain = Observable<Int>.create { _ in
                kept.disposable = source.subscribe()
                return Disposables.create {}
            }
            chain.subscribe().dispose()
            precondition(Subscriptions.live.map(\.parent) == [1])
            precondition(Subscriptions.text.contains("\n#2 PublishSubject"), Subscriptions.text)
            precondition(!Subscriptions.dot.contains("->"), Subscriptions.dot)
            kept.dispose()
        }
    }

    @Test func theTextShowsTheOldestFirst() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            let subscriptions = (0..<3).map { _ in source.subscribe() }
            let lines = Subscriptions.text.split(separator: "\n").filter { $0.hasPrefix("#") }
            precondition(lines.map { String($0.prefix(2)) } == ["#1", "#2", "#3"], "\(lines)")
            subscriptions.forEach { $0.dispose() }
        }
    }

    @Test func hopIsListedOnce() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (source, scheduler) = (PublishSubject<Int>(), TestScheduler(initialClock: 0))
            let subscription = source.observe(on: scheduler).map { "\($0)" }.subscribe()
            let chains = Subscriptions.live.map(\.operators)
            precondition(chains == [["observe(on:)", "map"], ["PublishSubject"]], "\(chains)")
            subscription.dispose()
            scheduler.start()
        }
    }

    @Test func queueDepthOfSchedulerIsListed() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let queue = DispatchQueue(label: "orders")
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "orders")
            let source = PublishSubject<Int>()
            let subscription = source.observe(on: scheduler).subscribe()
            queue.suspend()
            for element in 0..<5 { source.onNext(element) }
            let outer = Subscriptions.live.first { !$0.isInner }
            precondition(outer?.queues.map(\.depth) == [5], "\(Subscriptions.text)")
            precondition(outer?.queues.map(\.scheduler) == ["orders"] && outer?.queues[0].bound == nil)
            subscription.dispose()
            queue.resume()
        }
    }

    @Test func queueAtItsBoundIsPausingUntilDelivered() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let scheduler = TestScheduler(initialClock: 0)
            let source = PublishSubject<Int>()
            let subscription = source.observe(on: scheduler, buffering: .pausing(4)).subscribe()
            func queue() -> LiveSubscription.Queue? { Subscriptions.live.first { !$0.isInner }?.queues.first }
            precondition(queue()?.bound == 4 && queue()?.isPausing == false, "\(Subscriptions.live)")
            for element in 0..<4 { source.onNext(element) }
            precondition(queue()?.depth == 4 && queue()?.isPausing == true, "\(Subscriptions.live)")
            scheduler.start()
            precondition(queue()?.depth == 0 && queue()?.isPausing == false, "\(Subscriptions.live)")
            subscription.dispose()
            scheduler.start()
        }
    }

    @Test func queuesOfOperatorsArePausingUntilThreeQuartersAreTaken() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            Counters.isCounting = true
            func queues() -> [String] {
                (Subscriptions.live.first { !$0.isInner }?.queues ?? []).map {
                    "\($0.scheduler) \($0.depth)/\($0.bound ?? -1)\($0.isPausing ? " paused" : "")"
                }
            }
            let other = PublishSubject<Int>()
            let zipped = Observable.zip(Observable.range(start: 0, count: 5), other, buffering: .pausing(4)) { $0 + $1 }
                .subscribe()
            precondition(queues().sorted() == ["zip 0/4", "zip 4/4 paused"], "\(queues())")
            for element in 0..<3 { other.onNext(element) }
            precondition(queues().allSatisfy { $0.hasPrefix("zip ") && !$0.hasSuffix("paused") }, "\(queues())")
            zipped.dispose()
            let inner = (0..<20).map { _ in PublishSubject<Int>() }
            let merged = Observable.range(start: 0, count: 20).map { inner[$0] }.merge(maxConcurrent: 1).bounded(4)
                .subscribe()
            precondition(queues() == ["merge(maxConcurrent:) 4/4 paused"], "\(queues())")
            merged.dispose()
            // Without counting, only the queues of schedulers are listed.
            Counters.isCounting = false
            let uncounted = Observable.zip(Observable.range(start: 0, count: 5), other, buffering: .pausing(4)) {
                $0 + $1
            }.subscribe()
            precondition(queues() == [], "\(queues())")
            uncounted.dispose()
        }
    }

    private struct AtOnce: ImmediateSchedulerType {
        func schedule<State>(
            _ state: State, action: @escaping @Sendable (State) -> any Disposable
        ) -> any Disposable {
            action(state)
        }
    }

    @Test func queueOfDelayIsPausingUntilItsSourceResumes() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            Counters.isCounting = true
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = Observable.range(start: 0, count: 6).concat(Observable.never())
                .subscribe(on: AtOnce()).delay(.seconds(10), scheduler: scheduler).bounded(4).subscribe()
            func queue() -> String? {
                Subscriptions.live.first { !$0.isInner }?.queues.first.map {
                    "\($0.boundary) \($0.depth)/\($0.bound ?? -1)\($0.isPausing ? " paused" : "")"
                }
            }
            precondition(queue() == "delay 4/4 paused", "\(Subscriptions.live)")
            // The source has resumed and sent its last two elements, which do not fill the queue.
            scheduler.advanceTo(20)
            precondition(Subscriptions.live.first?.events == 4, "\(Subscriptions.live)")
            precondition(queue() == "delay 2/4", "\(Subscriptions.live)")
            subscription.dispose()
            scheduler.start()
        }
    }

    @Test func listsOnlySubscriptionsMadeWhileListing() async {
        await #expect(processExitsWith: .success) {
            let source = PublishSubject<Int>()
            let before = source.subscribe()
            Subscriptions.areListed = true
            let during = source.subscribe()
            Subscriptions.areListed = false
            let after = source.subscribe()
            source.onNext(1)
            precondition(Subscriptions.live.map(\.events) == [1])
            [before, during, after].forEach { $0.dispose() }
            precondition(Subscriptions.live.isEmpty)
        }
    }

    private static let isToldByEnvironment = ProcessInfo.processInfo.environment["RX_SUBSCRIPTIONS"] == "1"

    // scripts/nightly.sh sets the variable.
    @Test(.enabled(if: isToldByEnvironment)) func theEnvironmentSwitchesItOn() {
        #expect(Subscriptions.areListed)
    }

    @Test func jsonIsJSON() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            let subscription = source.map { $0 }.subscribe()
            let parsed = try JSONSerialization.jsonObject(with: Data(Subscriptions.json.utf8)) as? [[String: Any]]
            precondition(parsed?.count == 1)
            precondition(parsed?[0]["operators"] as? [String] == ["PublishSubject", "map"])
            precondition(parsed?[0]["events"] as? Int == 0)
            subscription.dispose()
        }
    }

    @Test func jsonMatchesList() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let queue = DispatchQueue(label: "json")
            queue.suspend()
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "json")
            let (outer, first, second) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
            let subscription = outer.flatMap { $0 == 1 ? first : second }.observe(on: scheduler).subscribe()
            (1...2).forEach(outer.onNext)
            for inner in [first, second] { inner.onNext(9) }
            first.onCompleted()
            let live = Subscriptions.live
            let parsed = try JSONSerialization.jsonObject(with: Data(Subscriptions.json.utf8)) as? [[String: Any]] ?? []
            precondition(parsed.count == live.count && live.contains { $0.innerSubscriptions == 2 })
            precondition(live.contains { $0.queues.contains { $0.depth == 2 } })
            for (one, each) in zip(parsed, live) {
                precondition(one["id"] as? Int == each.id && one["parent"] as? Int == each.parent)
                precondition(one["inner"] as? Bool == each.isInner && one["events"] as? Int == each.events)
                precondition(one["innerSubscriptions"] as? Int == each.innerSubscriptions)
                precondition(one["innerSubscriptionsMade"] as? Int == each.innerSubscriptionsMade)
                precondition(one["innerSubscriptionsFailed"] as? Int == each.innerSubscriptionsFailed)
                precondition(one["callSite"] as? [String] == each.callSite)
                let queues = one["queues"] as? [[String: Any]] ?? []
                precondition(queues.map { $0["depth"] as? Int } == each.queues.map(\.depth))
                precondition(queues.map { $0["boundary"] as? String } == each.queues.map(\.boundary))
                precondition(queues.map { $0["scheduler"] as? String } == each.queues.map(\.scheduler))
                let later = Subscriptions.live.first { $0.id == each.id }?.age.nanosecondsFromZero ?? 0
                let age = one["ageNanoseconds"] as? UInt64 ?? 0
                precondition(age >= each.age.nanosecondsFromZero && age <= later)
            }
            subscription.dispose()
            queue.resume()
        }
    }

    @Test func theAgeIsTheTimeSinceTheSubscription() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
            let before = now()
            let subscription = PublishSubject<Int>().subscribe()
            let (after, asked) = (now(), now())
            let age = Subscriptions.live[0].age.nanosecondsFromZero
            precondition(age >= asked - after && age <= now() - before)
            subscription.dispose()
        }
    }

    @Test func textUsesSingularForOneSubscription() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let subscription = PublishSubject<Int>().subscribe()
            precondition(Subscriptions.text.hasPrefix("1 subscription\n"))
            subscription.dispose()
        }
    }

    @Test func jsonEscapesNameOfScheduler() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let name = "a \"b\" \\ \n \u{1}\u{1F} \u{E9}"
            let queue = DispatchQueue(label: name)
            queue.suspend()
            let source = PublishSubject<Int>()
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: name)
            let subscription = source.observe(on: scheduler).subscribe()
            source.onNext(1)
            let parsed = try JSONSerialization.jsonObject(with: Data(Subscriptions.json.utf8)) as? [[String: Any]]
            let queues = parsed?.flatMap { $0["queues"] as? [[String: Any]] ?? [] }
            precondition(queues?.first?["scheduler"] as? String == name, Subscriptions.json)
            subscription.dispose()
            queue.resume()
        }
    }

    @Test func graphHasArrowToParent() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let subscription = Observable.merge(PublishSubject<Int>(), PublishSubject<Int>()).map { $0 }
                .subscribe()
            precondition(Subscriptions.dot.hasPrefix("digraph"))
            precondition(Subscriptions.dot.contains("s2 -> s1;"), Subscriptions.dot)
            subscription.dispose()
        }
    }

    @Test func theGraphHasABoxForEachSubscription() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let subjects = (0..<2).map { _ in PublishSubject<Int>() }
            let subscriptions = subjects.map { $0.subscribe() }
            for id in 1...2 {
                precondition(Subscriptions.dot.contains("s\(id) [label=\"#\(id) PublishSubject"), Subscriptions.dot)
            }
            subscriptions.forEach { $0.dispose() }
        }
    }

    @Test func graphHasDashedArrowFromCauseToEffect() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (here, there) = (PublishSubject<Int>(), PublishSubject<Int>())
            let scheduler = TestScheduler(initialClock: 0)
            let below = there.observe(on: scheduler).subscribe()
            let above = here.subscribe(onNext: there.onNext)
            here.onNext(1)
            let live = Subscriptions.live
            let effect = live.first { !$0.queues.isEmpty }?.id ?? 0
            let cause = live.last { !$0.isInner }?.id ?? 0
            precondition(cause > effect && effect > 0, Subscriptions.text)
            precondition(Subscriptions.dot.contains("s\(cause) -> s\(effect) [style=dashed];"), Subscriptions.dot)
            above.dispose()
            below.dispose()
            scheduler.start()
        }
    }

    @Test func causeArrowDisappearsWithNextUncausedElement() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (here, there) = (PublishSubject<Int>(), PublishSubject<Int>())
            let scheduler = TestScheduler(initialClock: 0)
            let below = there.observe(on: scheduler).subscribe()
            let above = here.subscribe(onNext: there.onNext)
            here.onNext(1)
            there.onNext(2)
            precondition(!Subscriptions.dot.contains("dashed"), Subscriptions.dot)
            above.dispose()
            below.dispose()
            scheduler.start()
        }
    }

    @Test func graphHasNoArrowFromEarlierDelivery() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (other, source) = (PublishSubject<Int>(), PublishSubject<Int>())
            let scheduler = TestScheduler(initialClock: 0)
            let before = other.subscribe()
            let subscription = source.observe(on: scheduler).subscribe()
            other.onNext(1)
            source.onNext(1)
            precondition(!Subscriptions.dot.contains("dashed"), Subscriptions.dot)
            before.dispose()
            subscription.dispose()
            scheduler.start()
        }
    }

    @Test func descriptionCountsElementsAndInnerSequences() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (outer, first, second) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
            let subscription = outer.flatMap { $0 == 1 ? first : second }.subscribe()
            outer.onNext(1)
            outer.onNext(2)
            first.onNext(9)
            first.onCompleted()
            let line = Subscriptions.live[0].description
            // The 3 are the outer sequence, `first` and `second`. `first` has completed.
            precondition(line.hasPrefix("#1 flatMap, ") && line.hasSuffix(" ms, 1 element, 2 of 3 inner alive"), line)
            subscription.dispose()
        }
    }

    #if canImport(Glibc)
        @Test func callSiteHasFileAndLineAndBeginsInTheProgram() async {
            await #expect(processExitsWith: .success) {
                Subscriptions.areListed = true
                let (subscription, line) = Self.subscribeHere()
                let places = Subscriptions.live[0].callSite
                precondition(places.first?.hasSuffix("SubscriptionsTests.swift:\(line)") == true, "\(places)")
                subscription.dispose()
            }
        }

        // This function is outside the exit test, as `chain()` is.
        private static func subscribeHere() -> (subscription: any Disposable, line: Int) {
            (PublishSubject<Int>().subscribe(), #line)
        }
    #endif

    @Test func liveSubscriptionAtExitIsReported() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Subscriptions.reportLeaksAtExit()
            let leaked = PublishSubject<Int>()
            _ = leaked.map { $0 }.subscribe()
            let ended = PublishSubject<Int>()
            ended.subscribe().dispose()
            Leaked.subject = leaked
            exit(0)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("still subscribed at exit: 1 subscription\n#1 PublishSubject > map"))
    }

    @Test func exitReportIsEmptyWithoutLiveSubscriptions() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Subscriptions.reportLeaksAtExit()
            PublishSubject<Int>().subscribe().dispose()
            exit(0)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!said.contains("still subscribed"))
    }

    private enum Leaked {
        nonisolated(unsafe) static var subject: PublishSubject<Int>?
    }

    @Test func listingDuringConcurrentSubscriptionsIsSafe() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for turn in 0..<500 {
                    if thread == 0 {
                        _ = Subscriptions.text
                        source.onNext(turn)
                    } else {
                        source.flatMap { Observable.of($0, $0) }.take(1 + turn % 3).subscribe().dispose()
                    }
                }
            }
            precondition(Subscriptions.live.isEmpty)
        }
    }

    @Test func namesEachStepOfALongRow() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let source = PublishSubject<Int>()
            let two = source.filter { $0 > 0 }.map { $0 + 1 }
            let four = two.map { $0 + 2 }.map { $0 + 3 }
            let subscription = four.filter { $0 > 1 }.subscribe()
            let chains = Subscriptions.live.map { $0.operators.joined(separator: " > ") }
            precondition(chains == ["PublishSubject > filter > map > map > map > filter"], "\(chains)")
            subscription.dispose()
        }
    }

    @Test func innerSequenceHasNoCallSiteAndNoEventCount() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            Hooks.recordCallStackOnError = true
            Hooks.customCaptureSubscriptionCallstack = { ["here"] }
            let (outer, inner) = (PublishSubject<Int>(), PublishSubject<Int>())
            let subscription = outer.flatMap { _ in inner }.subscribe()
            outer.onNext(1)
            inner.onNext(2)
            let listed = Subscriptions.live.filter(\.isInner)
            precondition(listed.count == 2, Subscriptions.text)
            precondition(listed.allSatisfy { $0.events == nil && $0.callSite.isEmpty }, Subscriptions.text)
            subscription.dispose()
        }
    }
}

struct RunawaysTests {
    @Test func anEndlessRetryIsNamed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let found = DispatchSemaphore(value: 0)
            Hooks.watchForRunaways(within: .milliseconds(100)) { runaway in
                guard case .endlessRetry = runaway.fault else { return }
                StandardError.say("\(runaway)")
                found.signal()
            }
            DispatchQueue.global().async { _ = Observable<Int>.error(TestError.a).retry().subscribe() }
            found.wait()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("#1 retry") && said.contains("has retried"))
    }

    @Test func runawayInnerReportNamesOuterSubscriptionAndCallSite() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Hooks.recordCallStackOnError = true
            Hooks.customCaptureSubscriptionCallstack = { ["the place"] }
            let found = DispatchSemaphore(value: 0)
            Hooks.watchForRunaways(within: .milliseconds(100)) { runaway in
                guard case .endlessRetry = runaway.fault else { return }
                precondition(runaway.outer?.id == 1)
                StandardError.say("\(runaway)")
                found.signal()
            }
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "source")
            let failing = Observable<Int>.error(TestError.a).retry()
            _ = failing.subscribe(on: scheduler).concat(Observable.never()).subscribe()
            found.wait()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains(" inner retry, ") && said.contains("without a delay\nit feeds #1 "))
        #expect(said.contains("\n    at the place"))
    }

    @Test func anUnlimitedFlatMapIsNamed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let found = DispatchSemaphore(value: 0)
            Hooks.watchForRunaways(within: .milliseconds(100)) { runaway in
                guard case .unlimitedInner = runaway.fault else { return }
                StandardError.say("\(runaway)")
                found.signal()
            }
            let source = PublishSubject<Int>()
            _ = source.flatMap { _ in Observable<Int>.never() }.subscribe()
            DispatchQueue.global().async { while true { source.onNext(1) } }
            found.wait()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("#1 flatMap") && said.contains("inner sequences at once"))
    }

    @Test func elementsThatRunInACircleAreNamed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let found = DispatchSemaphore(value: 0)
            Hooks.watchForRunaways(within: .milliseconds(100)) { runaway in
                guard case .loop = runaway.fault else { return }
                StandardError.say("\(runaway)")
                found.signal()
            }
            let (here, there, yonder) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "circle")
            _ = here.observe(on: scheduler).subscribe(onNext: there.onNext)
            _ = there.observe(on: scheduler).map { $0 + 1 }.subscribe(onNext: yonder.onNext)
            _ = yonder.observe(on: scheduler).subscribe(onNext: here.onNext)
            here.onNext(1)
            precondition(found.wait(timeout: .now() + 60) == .success)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("observe(on:)") && said.contains("sends to itself"))
    }

    @Test func runawayDescriptionStatesCountAndTime() {
        func words(_ fault: Runaway.Fault) -> String {
            let subscription = LiveSubscription(
                id: 7, parent: nil, isInner: false, operators: ["retry", "map"], age: .milliseconds(3), events: 2,
                queues: [], innerSubscriptions: 0, innerSubscriptionsMade: 0, innerSubscriptionsFailed: 0, cause: nil,
                site: .unknown, callers: Callers())
            return "\(Runaway(fault: fault, subscription: subscription, outer: nil, duration: .milliseconds(250)))"
        }
        let who = "#7 retry > map, 3 ms, 2 elements"
        #expect(words(.endlessRetry(attempts: 5)) == "\(who) has retried 5 times in 250 ms without a delay")
        #expect(
            words(.unlimitedInner(alive: 5))
                == "\(who) has 5 inner sequences at once, and their number has grown for 250 ms")
        #expect(words(.loop(elements: 5)) == "\(who) sends to itself: 5 elements in 250 ms")
    }

    @Test func replacedWatchIsFreed() async {
        await #expect(processExitsWith: .success) {
            weak var watch: AnyObject?
            do {
                let begun = Hooks.watchForRunaways { _ in }
                watch = begun as AnyObject
            }
            precondition(watch != nil)
            Hooks.watchForRunaways { _ in }
            precondition(comesTrue { watch == nil })
        }
    }

    @Test func watchIsFreedOnceDisposed() async {
        await #expect(processExitsWith: .success) {
            weak var watch: AnyObject?
            do {
                let begun = Hooks.watchForRunaways { _ in }
                watch = begun as AnyObject
                precondition(watch != nil)
                begun.dispose()
            }
            precondition(comesTrue { watch == nil })
        }
    }

    @Test func watchEndedInReportReportsNoFurtherRunaway() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (source, told, kept) = (PublishSubject<Int>(), Guarded(0), SerialDisposable())
            let subscriptions = (0..<2).map { _ in source.flatMap { _ in Observable<Int>.never() }.subscribe() }
            for element in 0..<1_500 { source.onNext(element) }
            weak var watch: AnyObject?
            do {
                let begun = Hooks.watchForRunaways(within: .milliseconds(100)) { _ in
                    told.withLock { $0 += 1 }
                    kept.dispose()
                }
                watch = begun as AnyObject
                kept.disposable = begun
            }
            while !kept.isDisposed {
                source.onNext(0)
                usleep(100)
            }
            precondition(comesTrue { watch == nil })
            precondition(told.withLock { $0 } == 1)
            subscriptions.forEach { $0.dispose() }
        }
    }

    private static func waitForRunaway(_ isLookedFor: @escaping @Sendable (Runaway) -> Bool) {
        let found = DispatchSemaphore(value: 0)
        Hooks.watchForRunaways(within: .milliseconds(400)) { if isLookedFor($0) { found.signal() } }
        found.wait()
    }

    @Test func retryAttemptsBeforeWatchedTimeAreNotCounted() async {
        await #expect(processExitsWith: .success) {
            let (before, made, reached) = (50_000, Guarded(0), DispatchSemaphore(value: 0))
            Subscriptions.areListed = true
            let failing = Observable<Int>.deferred {
                let attempt = made.withLock { made in
                    made += 1
                    return made
                }
                if attempt == before { reached.signal() }
                if attempt > before { usleep(50) }
                throw TestError.a
            }
            DispatchQueue.global().async { _ = failing.retry().subscribe() }
            reached.wait()
            Self.waitForRunaway {
                guard case .endlessRetry(let attempts) = $0.fault else { return false }
                precondition(attempts < before)
                return true
            }
        }
    }

    @Test func loopElementsBeforeWatchedTimeAreNotCounted() async {
        await #expect(processExitsWith: .success) {
            let (before, reached) = (50_000, DispatchSemaphore(value: 0))
            Subscriptions.areListed = true
            let (here, there) = (PublishSubject<Int>(), PublishSubject<Int>())
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "circle")
            _ = here.observe(on: scheduler).subscribe(onNext: there.onNext)
            _ = there.observe(on: scheduler).subscribe(onNext: { element in
                if element == before { reached.signal() }
                if element > before { usleep(50) }
                here.onNext(element + 1)
            })
            here.onNext(1)
            reached.wait()
            Self.waitForRunaway {
                guard case .loop(let elements) = $0.fault else { return false }
                precondition(elements < before)
                return true
            }
        }
    }

    @Test func innerSequencesThatHaveEndedAreNotAlive() async {
        await #expect(processExitsWith: .success) {
            let (before, found) = (50_000, DispatchSemaphore(value: 0))
            Hooks.watchForRunaways(within: .milliseconds(400)) { runaway in
                guard case .unlimitedInner(let alive) = runaway.fault else { return }
                precondition(runaway.subscription.innerSubscriptionsMade > before && alive < before)
                found.signal()
            }
            let source = PublishSubject<Int>()
            _ = source.flatMap { $0 < before ? Observable<Int>.deferred { .empty() } : .never() }.subscribe()
            DispatchQueue.global().async {
                for element in 0... {
                    if element > before { usleep(50) }
                    source.onNext(element)
                }
            }
            found.wait()
        }
    }

    @Test func aRunawayIsNamedOnce() async {
        await #expect(processExitsWith: .success) {
            let (named, came) = (Guarded<[Int]>([]), DispatchSemaphore(value: 0))
            Hooks.watchForRunaways(within: .milliseconds(100)) { runaway in
                let id = runaway.subscription.id
                let isNew = named.withLock { named in
                    defer { named.append(id) }
                    return !named.contains(id)
                }
                if isNew { came.signal() }
            }
            // The second runaway begins after the report of the first one.
            for _ in 0..<2 {
                DispatchQueue(label: "retry").async { _ = Observable<Int>.error(TestError.a).retry().subscribe() }
                came.wait()
            }
            let ids = named.withLock { $0 }
            precondition(ids.count == Set(ids).count, "\(ids)")
        }
    }

    @Test func manyInnerSequencesThatDoNotBecomeMoreAreNotNamed() async {
        await #expect(processExitsWith: .success) {
            Subscriptions.areListed = true
            let (outer, inner) = (PublishSubject<Int>(), PublishSubject<Int>())
            let subscription = outer.flatMap { _ in inner }.subscribe()
            for element in 0..<1_500 { outer.onNext(element) }
            let (named, came) = (Guarded<[Int]>([]), DispatchSemaphore(value: 0))
            Hooks.watchForRunaways(within: .milliseconds(100)) { runaway in
                named.withLock { $0.append(runaway.subscription.id) }
                if case .endlessRetry = runaway.fault { came.signal() }
            }
            // The retry begins last, so a report of the inner sequences would arrive before the retry's report.
            DispatchQueue(label: "retry").async { _ = Observable<Int>.error(TestError.a).retry().subscribe() }
            came.wait()
            precondition(Subscriptions.live[0].innerSubscriptions > 1_000 && !named.withLock { $0.contains(1) })
            subscription.dispose()
        }
    }

    @Test func secondWatchReplacesFirst() async {
        await #expect(processExitsWith: .success) {
            let first = Hooks.watchForRunaways { _ in }
            let second = Hooks.watchForRunaways { _ in }
            precondition((first as! any Cancelable).isDisposed && !(second as! any Cancelable).isDisposed)
            second.dispose()
        }
    }

    @Test func replacedWatchDisposedLaterLeavesCurrentOne() async {
        await #expect(processExitsWith: .success) {
            let first = Hooks.watchForRunaways { _ in }
            let second = Hooks.watchForRunaways { _ in }
            first.dispose()
            precondition(!(second as! any Cancelable).isDisposed)
            Hooks.watchForRunaways { _ in }.dispose()
            precondition((second as! any Cancelable).isDisposed)
        }
    }

    @Test func fastSubscriptionIsNotReportedAsRunaway() async {
        await #expect(processExitsWith: .success) {
            Hooks.watchForRunaways(within: .milliseconds(50)) { runaway in fatalError("\(runaway)") }
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "queue")
            let source = PublishSubject<Int>()
            let subscription = source.observe(on: scheduler).concatMap { Observable.of($0, $0).observe(on: scheduler) }
                .retry().subscribe()
            let end = DispatchTime.now() + .milliseconds(300)
            var turn = 0
            while DispatchTime.now() < end {
                source.onNext(turn)
                turn += 1
            }
            subscription.dispose()
        }
    }
}
