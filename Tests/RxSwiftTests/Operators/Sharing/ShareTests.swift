import Dispatch
import RxTest
import TestSupport
import Testing

@testable import RxSwift

struct ShareTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    @Test(arguments: Form.allCases) func subscribesWithTheFirstAndDisposesWithTheLast(form: Form) {
        let shared = source.noteLifetime(in: log, as: "source").share(form)
        let first = shared.note(in: log, as: "a")
        let second = shared.note(in: log, as: "b")
        source.onNext(1)
        first.dispose()
        source.onNext(2)
        second.dispose()
        #expect(log.text == "source+ a1 b1 b2 source-")
    }

    @Test(arguments: zip([0, 1, 2], ["", "3", "2 3"])) func replaysToALateObserver(replay: Int, replayed: String) {
        let shared = source.share(replay: replay)
        let first = shared.subscribe()
        (1...3).forEach(source.onNext)
        #expect(seen(shared) == replayed)
        first.dispose()
    }

    @Test(arguments: [0, 1]) func overflowErrorNamesShareAsSource(replay: Int) {
        let scheduler = TestScheduler(initialClock: 0)
        let subscription = source.share(replay: replay).observe(on: scheduler, buffering: .failing(1)).note(in: log)
        (1...2).forEach(source.onNext)
        scheduler.start()
        #expect(log.text == "1 " + overflow("observe(on:)", "1 element is waiting", "share"))
        subscription.dispose()
    }

    @Test func forgetsWithTheLastObserver() {
        let shared = source.share(replay: 1)
        let first = shared.subscribe()
        source.onNext(1)
        first.dispose()
        #expect(seen(shared) == "")
    }

    @Test func remembersForever() {
        let shared = source.share(replay: 1, scope: .forever)
        let first = shared.subscribe()
        source.onNext(1)
        first.dispose()
        #expect(seen(shared) == "1")
    }

    @Test func foreverScopeReplaysGivenCount() {
        let shared = source.share(replay: 2, scope: .forever)
        let first = shared.subscribe()
        (1...3).forEach(source.onNext)
        first.dispose()
        #expect(seen(shared) == "2 3")
    }

    @Test func observerAfterTheEndSubscribesAgain() {
        let shared = Observable.of(1).noteLifetime(in: log, as: "source").share(replay: 1)
        _ = shared.note(in: log, as: "a")
        _ = shared.note(in: log, as: "b")
        #expect(log.text == "source+ a1 acompleted source- source+ b1 bcompleted source-")
    }

    @Test(arguments: [0, 1]) func observerDuringSourceDisposalSubscribesAgain(replay: Int) {
        nonisolated(unsafe) var again: (@Sendable () -> Void)?
        let shared = source.noteLifetime(in: log, as: "source").do(onDispose: { again.take()?() })
            .share(replay: replay)
        let late = SerialDisposable()
        again = { [log] in late.disposable = shared.note(in: log, as: "late") }
        shared.subscribe().dispose()
        source.onNext(1)
        #expect(Set(log.take().split(separator: " ")) == ["source+", "source-", "late1"])
        late.dispose()
        #expect(log.text == "source-")
    }

    @Test(arguments: [0, 1]) func observerDuringTheEndSubscribesAgain(replay: Int) {
        let shared = source.noteLifetime(in: log, as: "source").share(replay: replay)
        let late = SerialDisposable()
        _ = shared.subscribe(onCompleted: { [log] in late.disposable = shared.note(in: log, as: "late") })
        source.onCompleted()
        // The source has ended, so it sends its end to the new subscription at once.
        #expect(log.text == "source+ source+ latecompleted source- source-")
        late.dispose()
    }

    @Test func foreverAnObserverAfterTheEndReceivesBufferAndEnd() {
        let shared = source.noteLifetime(in: log, as: "source").share(replay: 1, scope: .forever)
        _ = shared.note(in: log, as: "a")
        source.onNext(1)
        source.onCompleted()
        #expect(log.take() == "source+ a1 source- acompleted")
        _ = shared.note(in: log, as: "b")
        #expect(log.text.hasPrefix("b1 bcompleted"))
    }

    @Test(arguments: Form.allCases) func errorReachesAllObservers(form: Form) {
        let shared = source.share(form)
        _ = shared.note(in: log, as: "a")
        _ = shared.note(in: log, as: "b")
        source.onError(TestError.a)
        #expect(log.text == "aerror(a) berror(a)")
    }

    @Test func sourceIsDisposedAfterTheEndIsSent() {
        let shared = source.noteLifetime(in: log, as: "source").share()
        _ = shared.note(in: log, as: "a")
        _ = shared.note(in: log, as: "b")
        source.onCompleted()
        #expect(log.text == "source+ acompleted bcompleted source-")
    }

    @Test func replayBufferGrowsOnDemand() {
        let shared = source.share(replay: 999_999_999)
        let first = shared.subscribe()
        (1...3).forEach(source.onNext)
        #expect(seen(shared) == "1 2 3")
        first.dispose()
    }

    @Test func noElementIsKeptAfterLastDisposal() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let shared = source.share(replay: 1)
        let subscription = shared.subscribe()
        source.onNext(tracker.make())
        #expect(tracker.live == 1)
        subscription.dispose()
        withExtendedLifetime(shared) { #expect(tracker.live == 0) }
    }

    @Test(arguments: [1, 2], [true, false])
    func lastEventsAreDeliveredWhileAnotherThreadDelivers(replay: Int, ends: Bool) throws {
        let head = Guarded<AnyObserver<Int>?>(nil)
        let push = { (event: Event<Int>) in head.withLock { $0 }?.on(event) }
        let shared = Observable<Int>.create { observer in
            head.withLock { $0 = observer }
            return Disposables.create()
        }.share(replay: replay)
        let (first, second) = (Log(), Log())
        let (replays, came) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let held = Guarded<[any Disposable]>([shared.note(in: first)])
        push(.next(1))
        try runConcurrently(threads: 2) { index in
            if index == 0 {
                replays.wait()
                push(.next(2))
                came.signal()
                replays.wait()
                push(.next(3))
                if ends { push(.completed) }
                _ = head.withLock { $0.take() }
                came.signal()
            } else {
                let subscription = shared.do(onNext: { element in
                    if element > 2 { return }
                    replays.signal()
                    came.wait()
                }).note(in: second)
                held.withLock { $0.append(subscription) }
            }
        }
        #expect(first.text == (ends ? "1 2 3 completed" : "1 2 3"))
        #expect(second.text == first.text)
        held.withLock { $0 }.forEach { $0.dispose() }
    }

    // MARK: A source that is released without an end

    @Test(arguments: Form.allCases) func observersStayCountedAfterSourceIsReleased(form: Form) {
        let tracker = LifetimeTracker()
        var source: PublishSubject<Int>? = PublishSubject()
        let held = {
            let shared = source!.map { $0 }.share(form)
            return (0..<2).map { _ in
                shared.subscribe(onNext: { [captured = tracker.make()] _ in withExtendedLifetime(captured) {} })
            }
        }()
        source = nil
        #expect(tracker.live == 2)
        held[0].dispose()
        #expect(tracker.live == 1)
        held[1].dispose()
        #expect(tracker.live == 0)
    }

    @Test(arguments: Form.allCases) func observerAfterSourceIsGoneJoinsConnection(form: Form) {
        nonisolated(unsafe) var observers: [AnyObserver<Int>] = []
        let shared = Observable<Int>.create { observer in
            observers.append(observer)
            return Disposables.create()
        }.noteLifetime(in: log, as: "source").share(form)
        let first = shared.subscribe()
        observers = []
        let second = shared.subscribe()
        first.dispose()
        #expect(log.text == "source+")
        second.dispose()
        #expect(log.text == "source+ source-")
    }

    @Test(arguments: Form.allCases) func releasedSourceIsSubscribedOnceAndDisposedWithLastObserver(form: Form) {
        let shared = Observable<Int>.never().noteLifetime(in: log, as: "source").share(form)
        let (first, second) = (shared.subscribe(), shared.subscribe())
        first.dispose()
        #expect(log.text == "source+")
        second.dispose()
        #expect(log.text == "source+ source-")
        shared.subscribe().dispose()
        #expect(log.text == "source+ source- source+ source-")
    }

    @Test(arguments: [1, 2]) func lateObserverOfReleasedSourceReceivesReplay(replay: Int) {
        let shared = Observable<Int>.create { observer in
            observer.onNext(1)
            return Disposables.create()
        }.share(replay: replay)
        let first = shared.note(in: log, as: "a")
        let second = shared.note(in: log, as: "b")
        #expect(log.text == "a1 b1")
        first.dispose()
        second.dispose()
    }

    @Test func releasedSourceLeavesNoResources() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            for form in Form.allCases {
                do {
                    let source = PublishSubject<Int>()
                    let shared = source.map { $0 }.share(form)
                    let held = (0..<3).map { _ in shared.subscribe(onNext: { _ in }) }
                    source.onNext(1)
                    precondition(Resources.total > 0)
                    held.forEach { $0.dispose() }
                }
                precondition(Resources.total == 0)
            }
        }
    }

    @Test(arguments: Form.allCases) func threadsRacingWithSourceReleaseLeaveNothing(form: Form) throws {
        for _ in 0..<300 {
            let (captures, elements) = (LifetimeTracker(), LifetimeTracker())
            let (heads, bag) = (Guarded<[AnyObserver<LifetimeTracker.Tracked>]>([]), CompositeDisposable())
            let goSilently = {
                let taken = heads.withLock { heads in
                    defer { heads = [] }
                    return heads
                }
                for head in taken { head.onNext(elements.make()) }
            }
            do {
                let shared = Observable<LifetimeTracker.Tracked>.create { head in
                    heads.withLock { $0.append(head) }
                    return Disposables.create()
                }.share(form)
                try runConcurrently(threads: 3) { index in
                    if index == 2 { return goSilently() }
                    for round in 0..<3 {
                        let subscription = shared.subscribe(onNext: { [captured = captures.make()] _ in
                            withExtendedLifetime(captured) {}
                        })
                        if round == 1 { subscription.dispose() } else { _ = bag.insert(subscription) }
                    }
                }
            }
            goSilently()
            bag.dispose()
            #expect(captures.live == 0)
            #expect(elements.live == 0)
        }
    }

    @Test func observerLosingRaceToConnectIsCounted() {
        // `share` makes a connection if there is none. After this check, `meanwhile` subscribes, as another thread
        // could.
        var meanwhile: () -> Void = {}
        let shared = Share<PublishCore<Int>, Int>(source.noteLifetime(in: log, as: "source")) {
            exchange(&meanwhile, with: {})()
            return PublishCore()
        }
        let faster = SingleAssignmentDisposable()
        meanwhile = { [log] in faster.setDisposable(shared.note(in: log, as: "a")) }
        let slower = shared.note(in: log, as: "b")
        source.onNext(1)
        faster.dispose()
        source.onNext(2)
        slower.dispose()
        #expect(log.text == "source+ a1 b1 b2 source-")
    }

    @Test(arguments: Form.allCases) func threadsSubscribingAndDisposingLeaveItDisconnected(form: Form) throws {
        try countsUnderRaces { $0.share(form) }
    }

    @Test func threadsSubscribingDuringPushesMissNothing() throws {
        for _ in 0..<300 {
            let source = PublishSubject<Int>()
            let shared = source.share(replay: 999_999_999)
            let keeper = shared.subscribe()
            let (bag, received) = (CompositeDisposable(), (0..<2).map { _ in Log() })
            try runConcurrently(threads: 3) { index in
                if index == 2 {
                    (0..<50).forEach(source.onNext)
                } else {
                    _ = bag.insert(shared.note(in: received[index]))
                }
            }
            for log in received { #expect(log.entries == (0..<50).texts) }
            bag.dispose()
            keeper.dispose()
        }
    }

    enum Form: CaseIterable {
        case plain, replayingOne, replayingTwo, forever, replayingForever
    }
}

extension Observable {
    fileprivate func share(_ form: ShareTests.Form) -> Observable<Element> {
        switch form {
        case .plain: share()
        case .replayingOne: share(replay: 1)
        case .replayingTwo: share(replay: 2)
        case .forever: share(scope: .forever)
        case .replayingForever: share(replay: 2, scope: .forever)
        }
    }
}
