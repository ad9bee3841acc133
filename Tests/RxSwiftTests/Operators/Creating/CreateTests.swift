import RxSwift
import TestSupport
import Testing

struct CreateTests {
    private let log = Log()

    @Test func runsItsClosureForEachSubscription() {
        let source = Observable<Int>.create { [log] observer in
            log("subscribed")
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { log("torn") }
        }
        _ = source.note(in: log)
        _ = source.note(in: log)
        #expect(log.text == "subscribed 1 completed torn subscribed 1 completed torn")
    }

    @Test func teardownRunsAfterTheEnd() {
        nonisolated(unsafe) var observer: AnyObserver<Int>?
        let source = Observable<Int>.create { [log] made in
            observer = made
            return Disposables.create { log("torn") }
        }
        let subscription = source.subscribe(
            onCompleted: { [log] in log("completed") }, onDisposed: { [log] in log("disposed") })
        observer?.onCompleted()
        #expect(log.text == "completed disposed torn")
        subscription.dispose()
    }

    @Test func tearsDownWithTheDisposal() {
        let source = Observable<Int>.create { [log] _ in Disposables.create { log("torn") } }
        source.subscribe(onDisposed: { [log] in log("disposed") }).dispose()
        #expect(log.text == "torn disposed")
    }

    @Test func observerOfEarlierSubscriptionFeedsThatSubscription() {
        nonisolated(unsafe) var observers: [AnyObserver<Int>] = []
        let source = Observable<Int>.create { observer in
            observers.append(observer)
            return Disposables.create()
        }
        let subscriptions = ["a", "b"].map { source.note(in: log, as: $0) }
        observers[0].onNext(1)
        observers[1].onNext(2)
        observers[0].onCompleted()
        #expect(log.text == "a1 b2 acompleted")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func endInsideTheClosureDisposesReturnedTeardown() {
        let serial = SerialDisposable()
        let source = Observable<Int>.create { [log] observer in
            observer.onNext(1)
            observer.onNext(2)
            return Disposables.create { log("torn") }
        }
        serial.disposable = source.take(1).note(in: log)
        #expect(log.text == "1 completed torn")
    }
}
