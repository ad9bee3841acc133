import RxSwift
import TestSupport
import Testing

struct ObservableTypeSubscribeWithTests {
    private let log = Log()
    private let subject = PublishSubject<Int>()
    private let tracker = LifetimeTracker()

    private func subscribe(with object: LifetimeTracker.Tracked) -> any Disposable {
        subject.subscribe(
            with: object, onNext: { [log] in log("\($0.value):\($1)") },
            onError: { [log] in log("\($0.value):error(\($1))") },
            onCompleted: { [log] in log("\($0.value):completed") }, onDisposed: { [log] in log("\($0.value):disposed") }
        )
    }

    @Test func givesEachHandlerTheObject() {
        let object = tracker.make(7)
        _ = subscribe(with: object)
        subject.onNext(1)
        subject.onCompleted()
        withExtendedLifetime(object) { #expect(log.text == "7:1 7:completed 7:disposed") }
    }

    @Test func givesAnErrorTheObject() {
        let object = tracker.make(7)
        _ = subscribe(with: object)
        subject.onError(TestError.a)
        withExtendedLifetime(object) { #expect(log.text == "7:error(a) 7:disposed") }
    }

    @Test func freedObjectReceivesNothing() {
        var object: LifetimeTracker.Tracked? = tracker.make(7)
        let subscription = subscribe(with: object!)
        subject.onNext(1)
        object = nil
        #expect(tracker.live == 0)
        subject.onNext(2)
        subject.onCompleted()
        #expect(log.text == "7:1")
        subscription.dispose()
    }

    @Test func aTraitDoesNotKeepTheObjectEither() {
        let note = { @Sendable [log] (name: String) in log(name) }
        let subscriptions = [
            subject.asSingle().subscribe(
                with: tracker.make(), onSuccess: { _, _ in note("success") }, onFailure: { _, _ in note("failure") },
                onDisposed: { _ in note("disposed") }),
            subject.asMaybe().subscribe(
                with: tracker.make(), onSuccess: { _, _ in note("success") }, onError: { _, _ in note("error") },
                onCompleted: { _ in note("completed") }, onDisposed: { _ in note("disposed") }),
            subject.ignoreElements().asCompletable().subscribe(
                with: tracker.make(), onCompleted: { _ in note("completed") }, onError: { _, _ in note("error") },
                onDisposed: { _ in note("disposed") }),
            subject.asInfallible(onErrorJustReturn: 0).subscribe(
                with: tracker.make(), onNext: { _, _ in note("next") }, onCompleted: { _ in note("completed") },
                onDisposed: { _ in note("disposed") }),
        ]
        #expect(tracker.live == 0 && subject.hasObservers)
        subject.onNext(1)
        subject.onCompleted()
        #expect(log.text == "" && !subject.hasObservers)
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test func freedObjectLeavesSubscription() {
        let subscription = subscribe(with: tracker.make())
        #expect(subject.hasObservers)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test func onlyElementHandlerWithFreedObjectReceivesNothing() {
        var object: LifetimeTracker.Tracked? = tracker.make(7)
        let subscription = subject.subscribe(with: object!, onNext: { [log] in log("\($0.value):\($1)") })
        subject.onNext(1)
        object = nil
        #expect(tracker.live == 0)
        subject.onNext(2)
        #expect(log.text == "7:1" && subject.hasObservers)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test func needsNoHandler() {
        let object = tracker.make()
        let subscription = subject.subscribe(with: object)
        subject.onNext(1)
        subject.onError(TestError.a)
        withExtendedLifetime(object) { #expect(!subject.hasObservers) }
        subscription.dispose()
    }
}
