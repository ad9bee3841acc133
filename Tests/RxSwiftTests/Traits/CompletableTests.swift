import RxSwift
import TestSupport
import Testing

struct CompletableTests {
    @Test func firstTerminalEventIsSent() {
        #expect(
            seen(
                Completable.create {
                    $0(.completed); $0(.error(TestError.a)); return Disposables.create()
                }) == "| disposed")
        #expect(
            seen(
                Completable.create {
                    $0(.error(TestError.a)); $0(.completed); return Disposables.create()
                }) == "!a disposed")
    }

    @Test func concatContinuesAfterCompletionOnly() {
        let log = Log()
        let step = { (name: String) in Completable.empty().do(onSubscribe: { log(name) }) }
        _ = Completable.concat(step("1"), step("2")).subscribe()
        _ = Completable.concat([Completable.error(TestError.a), step("3")]).subscribe(onError: { log($0) })
        _ = step("4").concat(step("5")).subscribe(onCompleted: { log("|") })
        #expect(log.text == "1 2 a 4 5 |")
    }

    @Test func concatFetchesNextAfterCompletion() {
        let (first, log) = (PublishSubject<Never>(), Log())
        let all = AnySequence { () -> AnyIterator<Completable> in
            var number = 0
            return AnyIterator {
                number += 1
                log("take\(number)")
                return number == 1 ? first.asCompletable() : number == 2 ? Completable.error(TestError.a) : nil
            }
        }
        _ = Completable.concat(all).subscribe(onError: { log($0) })
        log("-")
        first.onCompleted()
        #expect(log.text == "take1 - take2 a")
    }

    @Test func zipEndsWithTheLast() {
        let (first, second) = (PublishSubject<Never>(), PublishSubject<Never>())
        let log = Log()
        _ = Completable.zip(first.asCompletable(), second.asCompletable()).subscribe(onCompleted: { log("|") })
        second.onCompleted()
        log("waits")
        first.onCompleted()
        #expect(log.text == "waits |")
        #expect(seen(Completable.zip([])) == "| disposed")
    }

    @Test func zipSubscribesToAllAtOnceInEachOfItsForms() {
        let log = Log()
        let both = [1, 2].map { number in Completable.never().do(onSubscribe: { log(number) }) }
        let subscriptions = [
            Completable.zip(both).subscribe(), Completable.zip(AnyCollection(both)).subscribe(),
            Completable.zip(both[0], both[1]).subscribe(),
        ]
        #expect(log.text == "1 2 1 2 1 2")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func zipErrorDisposesOtherSources() {
        let (failing, other) = (PublishSubject<Never>(), PublishSubject<Never>())
        let log = Log()
        _ = Completable.zip(failing.asCompletable(), other.asCompletable().do(onDispose: { log("other") }))
            .subscribe(onError: { log($0) })
        failing.onError(TestError.a)
        #expect(log.text == "a other")
    }

    @Test func doSeesAnErrorBeforeAndAfterItsObserver() {
        let (source, log) = (PublishSubject<Never>(), Log())
        _ = source.asCompletable().do(
            onError: { log("on!\($0)") }, afterError: { log("after!\($0)") }, onSubscribe: { log("subscribe") },
            onSubscribed: { log("subscribed") }, onDispose: { log("dispose") }
        ).subscribe(onError: { log("!\($0)") })
        source.onError(TestError.a)
        #expect(log.text == "subscribe subscribed on!a !a after!a dispose")
    }

    @Test func doSeesACompletionBeforeAndAfterItsObserver() {
        let (source, log) = (PublishSubject<Never>(), Log())
        _ = source.asCompletable().do(
            onCompleted: { log("on|") }, afterCompleted: { log("after|") }, onDispose: { log("dispose") }
        ).subscribe(onCompleted: { log("|") })
        source.onCompleted()
        #expect(log.text == "on| | after| dispose")
    }

    @Test func handlersOfEachEndGetTheirObject() {
        let log = Log()
        for completable in [Completable.empty(), Completable.error(TestError.a)] {
            _ = completable.subscribe(
                with: log, onCompleted: { log in log("|") }, onError: { log, error in log("!\(error)") },
                onDisposed: { log in log("disposed") })
        }
        #expect(log.text == "| disposed !a disposed")
    }

    @Test func andThenContinuesWithEachTrait() {
        #expect(seen(Completable.empty().andThen(Single.just(1))) == "1 disposed")
        #expect(seen(Completable.empty().andThen(Maybe<Int>.empty())) == "| disposed")
        #expect(seen(Completable.empty().andThen(Completable.error(TestError.a))) == "!a disposed")
        #expect(seen(Completable.error(TestError.b).andThen(Single.just(1))) == "!b disposed")
    }

    @Test func andThenReleasesTheFirstBeforeTheSecondStarts() {
        let (first, log) = (PublishSubject<Never>(), Log())
        _ = first.asCompletable().do(onDispose: { log("first") })
            .andThen(Observable.of(1, 2).do(onSubscribe: { log("second") }))
            .subscribe(onNext: { log($0) })
        first.onCompleted()
        #expect(log.text == "first second 1 2")
    }

    @Test func andThenMayBeAsDeepAsMemoryAllows() throws {
        try runOnThread(stackSize: 512 * 1024) {
            var all = Completable.empty()
            for _ in 0..<100_000 { all = Completable.empty().andThen(all) }
            #expect(seen(all) == "| disposed")
            all = Completable.empty()
            for _ in 0..<100_000 { all = all.andThen(Completable.empty()) }
            #expect(seen(all.andThen(Single.just(1))) == "1 disposed")
        }
    }
}
