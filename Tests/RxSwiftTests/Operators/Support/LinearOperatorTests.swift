import RxSwift
import TestSupport
import Testing

struct LinearOperatorTests {
    @Test func customOperatorSendsElementsOfItsRule() {
        outcome("--1-2-4-|") { $0.lift(Differences()) }.expect("----1-2-|", subscribed: "^-------!")
    }

    @Test func eachSubscriptionStartsWithNewState() {
        let differences = Observable.of(1, 3).lift(Differences())
        #expect(seen(differences) == "2 completed")
        #expect(seen(differences) == "2 completed")
    }

    @Test func ruleMaySendSeveralElements() {
        #expect(seen(Observable.of(1, 2).lift(Twice())) == "1 1 2 2 completed")
    }

    @Test func ruleErrorEndsTheSequence() {
        outcome("--1-2-3") { $0.lift(Rule { element, _ in try passing(element, unless: 2, element) }) }
            .expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    @Test func ruleThatEndsSequenceIsNotCalledAgain() {
        let subject = PublishSubject<Int>()
        let (asked, log) = (Log(), Log())
        let rule = Rule { element, stage in
            asked(element)
            return element == 2 ? stage.end(after: element) : element
        }
        // `takeLast(1)` delivers when the rule ends the sequence, so this `onNext` pushes during that end.
        let subscription = subject.lift(rule).takeLast(1).subscribe(
            onNext: {
                log($0)
                subject.onNext(3)
                subject.onCompleted()
            }, onCompleted: { log("completed") })
        subject.onNext(1)
        subject.onNext(2)
        subject.onNext(4)
        #expect(asked.text == "1 2")
        #expect(log.text == "2 completed")
        #expect(!subject.hasObservers)
        subscription.dispose()
    }

    #if DEBUG
        @Test func stageSendWhileStateIsChangedInPlaceStopsDebugBuild() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Observable.of(1, 2).lift(InPlaceCounts { stage, _ in stage.send(0) }).subscribe()
            }
            #expect(InPlaceCounts.isNamed(in: result))
        }

        @Test func stateChangedByNestedCallWhileItIsChangedInPlaceStopsDebugBuild() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let subject = PublishSubject<Int>()
                let counts = InPlaceCounts { _, element in if element == 1 { subject.onNext(2) } }
                _ = subject.lift(counts).subscribe()
                subject.onNext(1)
            }
            #expect(InPlaceCounts.isNamed(in: result))
        }

        @Test func stateChangedInPlaceIsAccepted() {
            #expect(seen(Observable.of(1, 2).lift(InPlaceCounts { _, _ in })) == "1 2 completed")
        }
    #endif

    @Test func aRuleEndsTheSequenceWithAnError() {
        outcome("--1-2-3") { $0.lift(Rule { _, stage in stage.end(TestError.a) }) }
            .expect("--#", subscribed: "^-!")
    }

    @Test func elementsSentByRuleAfterEndAreDropped() {
        let rule = Rule { element, stage in
            stage.send(element)
            stage.end()
            stage.send(8)
            return 9
        }
        #expect(seen(Observable.of(1, 2).lift(rule)) == "1 completed")
        #expect(seen(Observable.of(1, 2).lift(rule).toArray().asObservable().map { "\($0)" }) == "[1] completed")
        #expect(seen(Observable.merge(Observable.of(1, 2).lift(rule), .empty())) == "1 completed")
    }

    @Test func ruleReplacesTerminalEvent() {
        outcome("--1-2-|") { $0.lift(Total()) }.expect("------(3|)", subscribed: "^-----!")
        outcome("--1-2-#") { $0.lift(Total()) }.expect("------|", subscribed: "^-----!")
    }

    @Test func aRuleThatHasEndedTheSequenceIsNotAskedAboutTheEndOfItsSource() {
        let asked = Log()
        // `just` completes even if it is disposed of while it sends its element.
        #expect(seen(Observable.just(1).lift(EndsAtOnce(asked: asked))) == "1 completed")
        #expect(asked.text == "")
    }

    @Test func aRuleThatHasThrownIsNotAskedAboutTheEndOfItsSource() {
        let asked = Log()
        #expect(seen(Observable.just(1).lift(Throws(asked: asked))) == "error(b)")
        #expect(asked.text == "")
    }

    @Test func errorThrownAtCompletionEndsTheSequence() {
        outcome("--1-|") { $0.lift(EndThrows()) }.expect("--1-#", error: TestError.b, subscribed: "^---!")
    }

    @Test func aRuleIsNotAskedOnceTheSubscriptionIsDisposed() {
        let subject = PublishSubject<Int>()
        let asked = Log()
        let subscription = SingleAssignmentDisposable()
        let twice = subject.lift(Twice()).lift(
            Rule { element, _ in
                asked(element)
                return element
            })
        subscription.setDisposable(twice.subscribe(onNext: { _ in subscription.dispose() }))
        subject.onNext(1)
        #expect(asked.text == "1")
    }

    @Test func elementSentToSourceByObserverIsNested() {
        let subject = PublishSubject<Int>()
        let log = Log()
        let subscription = subject.lift(Differences()).subscribe(onNext: {
            log($0)
            if $0 == 1 { subject.onNext(12) }
        })
        for element in [1, 2, 20] { subject.onNext(element) }
        #expect(log.text == "1 10 8")
        subscription.dispose()
    }

    @Test func replacedStateMaySendElementFromDeinit() {
        let tracker = LifetimeTracker()
        let subject = PublishSubject<LifetimeTracker.Tracked>()
        let log = Log()
        let subscription = subject.lift(Latest()).note(in: log)
        subject.onNext(tracker.make(1) { subject.onNext(tracker.make(9)) })
        subject.onNext(tracker.make(2))
        #expect(log.text == "1 9 2")
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func theStateIsFreedWithTheSubscription() {
        let tracker = LifetimeTracker()
        let subject = PublishSubject<LifetimeTracker.Tracked>()
        let subscription = subject.lift(Latest()).subscribe()
        subject.onNext(tracker.make(1))
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(tracker.live == 0)
    }

    @Test func endOfRuleIsNotCalledAfterDisposal() {
        let (source, subscription, log) = (PublishSubject<Int>(), SerialDisposable(), Log())
        subscription.disposable = source.take(1).lift(EndLogged(log: log))
            .subscribe(onNext: { _ in subscription.dispose() })
        source.onNext(1)
        #expect(log.text == "")
    }
}

private struct Differences: LinearOperator {
    func makeState() -> Int? { nil }

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? {
        stage.exchange(element).map { element - $0 }
    }
}

private struct Rule: LinearOperator {
    let rule: (Int, borrowing LinearStage<Self>) throws -> Int?

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) throws -> Int? {
        try rule(element, stage)
    }
}

private struct Total: LinearOperator {
    func makeState() -> Int { 0 }

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? {
        stage.state += element
        return nil
    }

    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        if error == nil { stage.send(stage.state) }
        return nil
    }
}

private struct EndsAtOnce: LinearOperator {
    let asked: Log

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? { stage.end(after: element) }

    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        asked("end")
        return error
    }
}

private struct Throws: LinearOperator {
    let asked: Log

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) throws -> Int? { throw TestError.b }

    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? {
        asked("end")
        return error
    }

    static var endsEarly: Bool { false }
}

private struct EndThrows: LinearOperator {
    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? { element }

    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) throws -> (any Error)? {
        throw TestError.b
    }
}

private struct Latest: LinearOperator {
    func makeState() -> LifetimeTracker.Tracked? { nil }

    func next(_ element: LifetimeTracker.Tracked, _ stage: borrowing LinearStage<Self>) -> LifetimeTracker.Tracked? {
        stage.state = element
        return element
    }
}

private struct InPlaceCounts: LinearOperator {
    typealias Input = Int
    typealias Output = Int

    let whileCounting: (borrowing LinearStage<Self>, Int) -> Void

    func makeState() -> [Int] { [0] }

    func next(_ element: Int, _ stage: borrowing LinearStage<Self>) -> Int? {
        count(&stage.state[0], element, stage)
        return stage.state[0]
    }

    private func count(_ total: inout Int, _ element: Int, _ stage: borrowing LinearStage<Self>) {
        whileCounting(stage, element)
        total += 1
    }

    static func isNamed(in result: ExitTest.Result?) -> Bool {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            .contains("InPlaceCounts uses its stage while it changes `stage.state` in place")
    }
}

private struct EndLogged: LinearOperator {
    let log: Log

    func next(_ element: Int, _: borrowing LinearStage<Self>) -> Int? { element }

    func end(_ error: (any Error)?, _: borrowing LinearStage<Self>) -> (any Error)? {
        log("end")
        return error
    }
}
