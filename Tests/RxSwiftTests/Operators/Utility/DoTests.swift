import RxSwift
import TestSupport
import Testing

struct DoTests {
    private let log = Log()

    private func life(_ source: Observable<Int>, _ name: String) -> Observable<Int> {
        source.do(
            onNext: { log("\(name)\($0)") }, afterNext: { log("\(name)\($0)'") },
            onError: { _ in log("\(name)E") }, afterError: { _ in log("\(name)E'") },
            onCompleted: { log("\(name)C") }, afterCompleted: { log("\(name)C'") },
            onSubscribe: { log("\(name)+") }, onSubscribed: { log("\(name)++") }, onDispose: { log("\(name)-") })
    }

    private func see(_ source: Observable<Int>, _ onNext: @escaping @Sendable (Int) -> Void = { _ in })
        -> any Disposable
    {
        source.subscribe(
            onNext: {
                log($0)
                onNext($0)
            }, onError: { _ in log("E") }, onCompleted: { log("C") }, onDisposed: { log("D") })
    }

    @Test func surroundsEachEvent() {
        let subject = PublishSubject<Int>()
        _ = see(life(subject, "A"))
        subject.onNext(1)
        subject.onCompleted()
        #expect(log.text == "A+ A++ A1 1 A1' AC C D AC' A-")
    }

    @Test func surroundsAnError() {
        let subject = PublishSubject<Int>()
        _ = see(life(subject, "A"))
        subject.onError(TestError.a)
        #expect(log.text == "A+ A++ AE E D AE' A-")
    }

    @Test func stageWithAnotherBelowIsDisposedBeforeItsLastCallback() {
        let subject = PublishSubject<Int>()
        _ = see(life(life(subject, "A").map { $0 }, "B"))
        subject.onCompleted()
        #expect(log.text == "B+ A+ A++ B++ AC BC C D BC' A- B- AC'")
    }

    @Test func onDisposeRunsAfterSourceTeardown() {
        let source = Observable<Int>.create { _ in Disposables.create { self.log("torn") } }
        see(life(source, "A")).dispose()
        #expect(log.text == "A+ A++ torn A- D")
    }

    @Test func isSubscribedOnceTheSourceIs() {
        _ = see(life(.just(1), "A"))
        #expect(log.text == "A+ A1 1 A1' AC C D AC' A++ A-")
    }

    @Test func finishesTheDeliveryThatItsObserverDisposes() {
        let subject = PublishSubject<Int>()
        nonisolated(unsafe) var subscription: (any Disposable)?
        subscription = see(life(subject, "A")) { _ in subscription?.dispose() }
        subject.onNext(1)
        #expect(log.text == "A+ A++ A1 1 A- D A1'")
        #expect(!subject.hasObservers)
    }

    @Test func closureErrorEndsTheSequence() {
        outcome("--1-2") { $0.do(onNext: { try passing($0, unless: 2, ()) }) }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
        outcome("--1-2") { $0.do(afterNext: { try passing($0, unless: 1, ()) }) }
            .expect("--(1#)", error: TestError.b, subscribed: "^-!")
        outcome("--1-|") { $0.do(onCompleted: { throw TestError.b }) }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
        outcome("--1-#") { $0.do(onError: { _ in throw TestError.b }) }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    @Test func errorThrownAfterTheEndIsDropped() {
        outcome("----|") { $0.do(afterCompleted: { throw TestError.b }) }.expect("----|", subscribed: "^---!")
        outcome("----#") { $0.do(afterError: { _ in throw TestError.b }) }.expect("----#", subscribed: "^---!")
    }

    @Test func droppedSubjectIsNotRetained() {
        let tracker = LifetimeTracker()
        var subject: PublishSubject<Int>? = PublishSubject()
        func subscribe() -> any Disposable {
            let held = tracker.make()
            return subject!.do(onNext: { _ in _ = held }).subscribe()
        }
        let subscription = subscribe()
        #expect(tracker.live == 1)
        subject = nil
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func sourceFailingAgainInOnErrorIsReportedOnce() {
        let (source, failing) = (PublishSubject<Int>(), Log())
        let mapped = source.map { $0 }.map { element -> Int in
            failing(element)
            throw TestError.b
        }
        _ = mapped.do(onError: { [log] _ in
            log("told")
            if failing.entries.count == 1 { source.onNext(2) }
        })
        .note(in: log)
        source.onNext(1)
        #expect(log.text == "told error(b)")
    }

    @Test func elementDuringOnErrorIsDropped() {
        let source = PublishSubject<Int>()
        _ = source.map { try passing($0, unless: 1, $0) }
            .do(onNext: { [log] in log("next \($0)") }, onError: { _ in source.onNext(2) })
            .note(in: log)
        source.onNext(1)
        #expect(log.text == "error(b)")
    }

    @Test func doFailingByItsOwnClosureReportsNoLaterError() {
        let source = PublishSubject<Int>()
        _ = source.do(onNext: { _ in throw TestError.b }, onError: { [log] in log("told \($0)") }).materialize()
            .subscribe(onNext: { [log] event in
                log(event)
                if event.error != nil { source.onError(TestError.a) }
            })
        source.onNext(1)
        #expect(log.text == "error(b)")
    }

    @Test func errorThrownByOnNextIsNotPassedToOnError() {
        let subject = PublishSubject<Int>()
        _ = subject.do(onNext: { _ in throw TestError.b }, onError: { _ in log("told") }).note(in: log)
        subject.onNext(1)
        #expect(log.text == "error(b)")
    }
}
