import RxSwift
import TestSupport
import Testing

struct ObservableTypeSubscribeTests {
    private let log = Log()
    private let subject = PublishSubject<Int>()

    private func subscribeToAll(_ source: Observable<Int>) -> any Disposable {
        source.subscribe(
            onNext: { [log] in log($0) }, onError: { [log] in log("error(\($0))") },
            onCompleted: { [log] in log("completed") },
            onDisposed: { [log] in log("disposed") })
    }

    @Test func elementsAndCompletionPrecedeOnDisposed() {
        _ = subscribeToAll(.of(1, 2))
        #expect(log.text == "1 2 completed disposed")
    }

    @Test func errorPrecedesOnDisposed() {
        _ = subscribeToAll(.error(TestError.a))
        #expect(log.text == "error(a) disposed")
    }

    @Test func secondDisposalCallsOnDisposedOnce() {
        let subscription = subscribeToAll(subject)
        subscription.dispose()
        subscription.dispose()
        subject.onNext(1)
        #expect(log.text == "disposed")
    }

    @Test func lastEventIsDisposalFromObserver() {
        let serial = SerialDisposable()
        serial.disposable = subject.subscribe(
            onNext: { [log] in
                log("s\($0)")
                serial.dispose()
                log("e\($0)")
            }, onCompleted: { [log] in log("completed") }, onDisposed: { [log] in log("disposed") })
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        #expect(log.text == "s1 disposed e1")
    }

    @Test func withoutHandlersItStillRunsTheSource() {
        _ = Observable.of(1, 2).do(onNext: { [log] in log($0) }).subscribe()
        #expect(log.text == "1 2")
    }

    @Test func givesEventsToOneHandler() {
        _ = Observable.of(1).concat(Observable.error(TestError.a)).subscribe { [log] in log($0) }
        #expect(log.text == "next(1) error(a)")
    }

    @Test func givesEventsToAnObserver() {
        let subscription = subject.note(in: log)
        _ = Observable.of(1, 2).subscribe(subject)
        #expect(log.text == "1 2 completed")
        subscription.dispose()
    }

    @Test func observerReceivesNothingAfterDisposal() {
        let next = PublishSubject<Int>()
        let subscription = next.note(in: log)
        subject.subscribe(next).dispose()
        subject.onNext(1)
        #expect(log.text == "")
        subscription.dispose()
    }

    @Test func handlersAreFreedAtEnd() {
        let tracker = LifetimeTracker()
        var held: LifetimeTracker.Tracked? = tracker.make()
        let subscription = subject.subscribe(onNext: { [held] _ in _ = held }, onDisposed: { [held] in _ = held })
        held = nil
        #expect(tracker.live == 1)
        subject.onCompleted()
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func aKeptDisposableKeepsNoHandlerAlive() {
        let tracker = LifetimeTracker()
        var held: LifetimeTracker.Tracked? = tracker.make()
        let subscription = subject.subscribe { [held] _ in _ = held }
        held = nil
        subscription.dispose()
        withExtendedLifetime(subscription) { #expect(tracker.live == 0) }
    }

    @Test func unhandledErrorReachesHook() async {
        await #expect(processExitsWith: .success) {
            let log = Log()
            Hooks.defaultErrorHandler = { stack, error in log("\(stack) \(error)") }
            _ = Observable<Int>.error(TestError.a).subscribe(onNext: { _ in })
            precondition(log.text == "[] a", log.text)
        }
    }

    @Test func eachOverloadSendsUnhandledErrorToHook() async {
        await #expect(processExitsWith: .success) {
            let (log, object) = (Log(), LifetimeTracker())
            Hooks.defaultErrorHandler = { _, error in log(error) }
            let failing = Observable<Int>.error(TestError.a)
            _ = failing.subscribe(with: object, onNext: { _, _ in })
            _ = failing.asSingle().subscribe(with: object)
            _ = failing.asMaybe().subscribe(with: object)
            _ = failing.ignoreElements().asCompletable().subscribe(with: object)
            let broken = Infallible.zip(.just(1), .just(2)) { _, _ in throw TestError.b } as Infallible<Int>
            _ = broken.subscribe { (_: InfallibleEvent<Int>) in }
            _ = broken.subscribe(with: object, onNext: { _, _ in })
            precondition(log.text == "a a a a b b", log.text)
        }
    }

    @Test func eventHandlerReceivesNothingAfterDisposalUpstream() {
        let subscription = SerialDisposable()
        let source = subject.map { (element: Int) -> Int in
            subscription.dispose()
            return element
        }
        subscription.disposable = source.subscribe { [log] event in log(event) }
        subject.onNext(1)
        #expect(log.text == "")
    }
}
