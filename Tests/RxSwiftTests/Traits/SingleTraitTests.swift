import RxSwift
import TestSupport
import Testing

struct SingleTraitTests {
    @Test func firstTerminalEventIsSent() {
        #expect(
            seen(
                Single<Int>.create {
                    $0(.success(1)); $0(.success(2)); return Disposables.create()
                }) == "1 disposed")
        #expect(
            seen(
                Single<Int>.create {
                    $0(.failure(TestError.a)); $0(.success(2)); return Disposables.create()
                }) == "!a disposed")
    }

    @Test func successInFlightAtDisposalIsDropped() {
        let log = Log()
        nonisolated(unsafe) var observer: Single<Int>.SingleObserver?
        let single = Single<Int>.create {
            observer = $0
            return Disposables.create()
        }
        let subscription = SerialDisposable()
        let disposing = single.map { element in
            subscription.dispose()
            return element
        }
        subscription.disposable = disposing.subscribe(onSuccess: { log($0) }, onDisposed: { log("disposed") })
        observer?(.success(1))
        #expect(log.text == "disposed")
    }

    @Test func disposableOfCreateIsDisposedAfterEvent() {
        let log = Log()
        let single = Single<Int>.create { observer in
            observer(.success(1))
            return Disposables.create { log("torn") }
        }
        _ = single.subscribe(onSuccess: { log($0) }, onDisposed: { log("disposed") })
        #expect(log.text == "1 disposed torn")
    }

    @Test func aSuccessWithinASuccessIsDropped() {
        let log = Log()
        nonisolated(unsafe) var observer: Single<Int>.SingleObserver?
        let single = Single<Int>.create {
            observer = $0
            return Disposables.create()
        }
        _ = single.subscribe(onSuccess: {
            log($0)
            observer?(.success(2))
        })
        observer?(.success(1))
        #expect(log.text == "1")
    }

    @Test func aSuccessThatFollowsOneIsDropped() {
        let log = Log()
        let single = Single.just(1).do(afterSuccess: { _ in throw TestError.a }).catch { error in
            log("caught \(error)")
            return .just(2)
        }
        _ = single.subscribe(onSuccess: { log($0) }, onDisposed: { log("disposed") })
        #expect(log.text == "1 disposed caught a")
    }

    @Test func anErrorThatFollowsASuccessIsDropped() {
        #expect(seen(Single.just(1).do(afterSuccess: { _ in throw TestError.a })) == "1 disposed")
    }

    @Test func onDisposedIsCalledAfterTheSuccessAndBeforeTheTeardown() {
        let log = Log()
        nonisolated(unsafe) var observer: Single<Int>.SingleObserver?
        let single = Single<Int>.create {
            observer = $0
            return Disposables.create { log("torn") }
        }
        _ = single.subscribe(onSuccess: { log($0) }, onDisposed: { log("disposed") })
        observer?(.success(1))
        #expect(log.text == "1 disposed torn")
    }

    @Test func successAfterDisposalIsDropped() {
        let log = Log()
        nonisolated(unsafe) var observer: Single<Int>.SingleObserver?
        let single = Single<Int>.create {
            observer = $0
            return Disposables.create { log("torn") }
        }
        single.subscribe(onSuccess: { log($0) }, onDisposed: { log("disposed") }).dispose()
        observer?(.success(1))
        #expect(log.text == "torn disposed")
    }

    @Test func eventHandlerReceivesSuccessAndFailure() {
        let log = Log()
        _ = Single.just(1).subscribe { log($0) }
        _ = Single<Int>.error(TestError.a).subscribe { log($0) }
        #expect(log.entries == ["success(1)", "failure(TestSupport.TestError.a)"])
    }

    @Test func handlersGetTheirObjectWhileItLives() {
        final class Target {}
        let (log, subject) = (Log(), PublishSubject<Int>())
        var target: Target? = Target()
        let identity = ObjectIdentifier(target!)
        _ = Single.just(1).subscribe(with: target!, onSuccess: { log("\(ObjectIdentifier($0) == identity) \($1)") })
        _ = subject.asSingle().subscribe(with: target!, onSuccess: { log($1) })
        target = nil
        subject.onNext(2)
        subject.onCompleted()
        #expect(log.text == "true 1")
    }

    @Test func handlersOfEachEndGetTheirObject() {
        let log = Log()
        let all: [Single<Int>] = [.just(1), .error(TestError.a)]
        for single in all {
            _ = single.subscribe(
                with: log, onSuccess: { log, element in log(element) }, onFailure: { log, error in log("!\(error)") },
                onDisposed: { log in log("disposed") })
        }
        #expect(log.text == "1 disposed !a disposed")
    }

    @Test func successOnConcurrentThreadsIsSentOnce() throws {
        for _ in 0..<500 {
            let log = Log()
            nonisolated(unsafe) var observer: Single<Int>.SingleObserver!
            let single = Single<Int>.create {
                observer = $0
                return Disposables.create()
            }
            _ = single.subscribe(onSuccess: { _ in log("success") }, onDisposed: { log("disposed") })
            let push = observer!
            try runConcurrently(threads: 2) { push(.success($0)) }
            #expect(log.text == "success disposed")
        }
    }
}
