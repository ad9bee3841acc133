import RxSwift
import RxTest
import TestSupport
import Testing

struct FlatMapTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func mergesInnerSources() {
        let inner = [scheduler.cold("-----1{9}2|"), scheduler.cold("-----3{24}|")]
        let observer = scheduler.start { [scheduler] in scheduler.hot("{10}0----1----|").flatMap { inner[$0] } }
        observer.expect("{15}1----3----2{19}|")
        inner[0].expectSubscriptions("{10}^{15}!")
        inner[1].expectSubscriptions("{15}^{29}!")
    }

    @Test func theSourceMayCompleteWithinTheFirstElementOfAnInnerSource() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.flatMap { _ in Observable.of(1, 2) }
            .do(onNext: { if $0 == 1 { source.onCompleted() } }).note(in: log)
        source.onNext(0)
        #expect(log.text == "1 2 completed")
        subscription.dispose()
    }

    enum Family: CaseIterable {
        case flatMap, flatMapFirst, flatMapLatest, concatMap

        func apply(
            to source: Observable<Int>, _ selector: @escaping @Sendable (Int) -> Observable<Int>
        ) -> Observable<Int> {
            switch self {
            case .flatMap: source.flatMap(selector)
            case .flatMapFirst: source.flatMapFirst(selector)
            case .flatMapLatest: source.flatMapLatest(selector)
            case .concatMap: source.concatMap(selector)
            }
        }
    }

    @Test(arguments: Family.allCases) func innerSourceMadeDuringDisposalIsNotSubscribed(of family: Family) {
        let (source, log, subscription) = (PublishSubject<Int>(), Log(), SerialDisposable())
        let inner = Observable<Int>.deferred {
            log("subscribed")
            return .never()
        }
        subscription.disposable = family.apply(to: source) { _ in
            subscription.dispose()
            return inner
        }
        .subscribe()
        source.onNext(1)
        #expect(log.text == "")
    }

    /// `subscribe(on:)` disposes of the source only when the scheduler runs. The source sends 2 before that.
    @Test(arguments: Family.allCases)
    func flatMapBelowDisposedSubscribeOnMakesNoSource(of family: Family) {
        let (source, log) = (PublishSubject<Int>(), Log())
        let made = family.apply(to: source) { element in
            log(element)
            return .empty()
        }
        let subscription = made.subscribe(on: scheduler).subscribe()
        scheduler.start()
        source.onNext(1)
        subscription.dispose()
        source.onNext(2)
        #expect(log.text == "1")
        scheduler.start()
        #expect(!source.hasObservers)
    }

    @Test func anErrorOfTheSourceEndsAll() {
        let inner = scheduler.cold("-1--------2")
        let source = scheduler.hot("--0-#")
        scheduler.start { source.flatMap { _ in inner } }.expect("---1#", error: TestError.a)
        inner.expectSubscriptions("--^-!")
    }

    @Test func anErrorOfAnInnerSourceEndsAll() {
        let inner = [scheduler.cold("-----1"), scheduler.cold("---#")]
        let source = scheduler.hot("{10}0{9}1")
        scheduler.start { source.flatMap { inner[$0] } }.expect("{15}1{7}#", error: TestError.a)
        inner[0].expectSubscriptions("{10}^{12}!")
        inner[1].expectSubscriptions("{20}^--!")
        source.expectSubscriptions("^{22}!")
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2") { $0.flatMap { try passing($0, unless: 2, Observable.just($0)) } }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    @Test func elementPushedInDeliveryIsDeliveredAtOnce() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        let subscription = subject.flatMap { Observable.just($0) }.subscribe(onNext: {
            log("s\($0)")
            if $0 == 1 { subject.onNext(2) }
            log("e\($0)")
        })
        subject.onNext(1)
        #expect(log.text == "s1 s2 e2 e1")
        subscription.dispose()
    }

    @Test func endedInnerSourcesAreFreed() {
        let (subject, tracker) = (PublishSubject<Int>(), LifetimeTracker())
        let subscription = subject.flatMap { Observable.just(tracker.make($0)) }.subscribe()
        (0..<10).forEach(subject.onNext)
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func innerSourcesOnSeveralThreadsDeliverSerially() throws {
        let inner = (0..<4).map { _ in PublishSubject<Int>() }
        nonisolated(unsafe) var received: [Int] = []
        let subscription = Observable.from(0..<4).flatMap { inner[$0] }.subscribe(onNext: { received.append($0) })
        try runConcurrently(threads: 4) { index in
            for number in 0..<5_000 { inner[index].onNext(index * 5_000 + number) }
        }
        #expect(received.count == 20_000)
        subscription.dispose()
    }
}
