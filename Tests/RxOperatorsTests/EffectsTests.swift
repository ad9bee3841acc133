import Dispatch
import RxOperators
import TestSupport
import Testing

/// When `onNext` returns, the operator has called its closures, even while another thread delivers.
@Suite struct EffectsTests {
    private let log = Log()

    /// Calls `first` on another thread. When the observer receives `blocking`, it waits until `others` has returned.
    /// Then it calls `nested`.
    private func check(
        _ result: Observable<String>, while first: @escaping @Sendable () -> Void, blocks blocking: String,
        _ others: () -> Void, nested: @escaping @Sendable () -> Void
    ) {
        let (delivers, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ended = DispatchSemaphore(value: 0)
        let subscription = result.subscribe(onNext: { [log] entry in
            log(entry)
            guard entry == blocking else { return }
            delivers.signal()
            mayContinue.wait()
            nested()
        })
        startThread {
            first()
            ended.signal()
        }
        delivers.wait()
        others()
        mayContinue.signal()
        ended.wait()
        subscription.dispose()
    }

    /// The inner sequences' events, each with the number of its sequence: `^` is the start and `|` the end.
    private func numbered(_ sequences: Observable<Observable<Int>>) -> Observable<String> {
        sequences.enumerated().flatMap { number, sequence in
            sequence.map { "\(number):\($0)" }.concat(Observable.just("\(number)|")).startWith("\(number)^")
        }
    }

    @Test func windowOpeningsOtherThreadDeliversClosingIsSubscribedBeforeOnNextReturns() {
        let (source, openings) = (PublishSubject<Int>(), PublishSubject<Int>())
        let closings = [PublishSubject<Int>(), PublishSubject<Int>()]
        let windows = source.window(openings: openings) { closings[$0] }
        check(
            numbered(windows),
            while: { [log] in
                openings.onNext(0)
                log(closings[0].hasObservers)
                source.onNext(5)
            }, blocks: "0:5"
        ) {
            openings.onNext(1)
            #expect(closings[1].hasObservers)
        } nested: {
            closings[0].onNext(0)
            source.onNext(6)
        }
        #expect(log.text == "0^ true 0:5 0| 1^")
    }

    @Test func windowOpeningsClosedBeforeItsOpeningIsDeliveredIsSentClosed() {
        let (source, openings) = (PublishSubject<Int>(), PublishSubject<Int>())
        let closings = [PublishSubject<Int>(), PublishSubject<Int>()]
        let windows = source.window(openings: openings) { closings[$0] }
        check(
            numbered(windows),
            while: {
                openings.onNext(0)
                source.onNext(5)
            }, blocks: "0:5"
        ) {
            openings.onNext(1)
        } nested: {
            closings[1].onNext(0)
            openings.onNext(0)
        }
        #expect(log.text == "0^ 0:5 1^ 1| 2^")
    }

    @Test func groupByUntilOtherThreadDeliversClosuresAreCalledBeforeOnNextReturns() {
        let source = PublishSubject<Int>()
        let durations = [PublishSubject<Int>(), PublishSubject<Int>()]
        let groups = source.groupBy(keySelector: { $0 % 2 }, until: { durations[$0.key] })
        source.onNext(0)
        check(
            numbered(groups.map { $0.asObservable() }),
            while: {
                source.onNext(2)
                durations[0].onNext(0)
            }, blocks: "0|"
        ) {
            source.onNext(1)
            #expect(durations[1].hasObservers)
            source.onNext(4)
        } nested: {
            source.onNext(6)
        }
        #expect(log.text == "0^ 0:2 0| 1^ 1:1 2^ 2:4 2:6")
    }

    @Test func groupByUntilElementOfThePastBeforeExpiryIsDeliveredBeforeTheCompletion() {
        let source = PublishSubject<Int>()
        let durations = [PublishSubject<Int>(), PublishSubject<Int>()]
        let groups = source.groupBy(keySelector: { $0 % 2 }, until: { durations[$0.key] })
        check(
            numbered(groups.map { $0.asObservable() }),
            while: {
                source.onNext(0)
                source.onNext(1)
                durations[0].onNext(0)
            }, blocks: "0|"
        ) {
            source.onNext(3)
        } nested: {
            durations[1].onNext(0)
        }
        #expect(log.text == "0^ 0:0 1^ 1:1 0| 1:3 1|")
    }

    @Test func groupJoinOtherThreadDeliversRightClosuresOfLeftAreCalledBeforeOnNextReturns() {
        let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
        let ends = [PublishSubject<Int>(), PublishSubject<Int>()]
        let joined = left.groupJoin(
            right, leftDuration: { ends[$0] }, rightDuration: { _ in Observable<Int>.never() }, resultSelector: { $1 })
        check(
            numbered(joined),
            while: {
                left.onNext(0)
                right.onNext(5)
            }, blocks: "0:5"
        ) {
            left.onNext(1)
            #expect(ends[1].hasObservers)
        } nested: {
            ends[1].onNext(0)
            ends[0].onNext(0)
        }
        // Sequence 1 is delivered after its span has ended.
        #expect(log.text == "0^ 0:5 0| 1^ 1|")
    }

    @Test func groupJoinOtherThreadDeliversLeftClosuresOfRightAreCalledBeforeOnNextReturns() {
        let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
        let ends = [PublishSubject<Int>(), PublishSubject<Int>()]
        let joined = left.groupJoin(
            right, leftDuration: { _ in Observable<Int>.never() }, rightDuration: { ends[$0] }, resultSelector: { $1 })
        check(numbered(joined), while: { left.onNext(0) }, blocks: "0^") {
            right.onNext(1)
            #expect(ends[1].hasObservers)
        } nested: {
            ends[1].onNext(0)
            left.onNext(1)
        }
        #expect(log.text == "0^ 1^ 0:1 1:1")
    }
}
