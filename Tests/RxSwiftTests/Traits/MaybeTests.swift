import RxSwift
import TestSupport
import Testing

struct MaybeTests {
    @Test func firstTerminalEventIsSent() {
        #expect(
            seen(
                Maybe<Int>.create {
                    $0(.success(1)); $0(.completed); return Disposables.create()
                }) == "1 disposed")
        #expect(
            seen(
                Maybe<Int>.create {
                    $0(.completed); $0(.success(1)); return Disposables.create()
                }) == "| disposed")
    }

    @Test func eventHandlerReceivesEachEvent() {
        let log = Log()
        _ = Maybe.just(1).subscribe { log($0) }
        _ = Maybe<Int>.empty().subscribe { log($0) }
        #expect(log.text == "success(1) completed")
    }

    @Test func mapFilterAndFlatMapPassNothingOn() {
        #expect(seen(Maybe.just(1).map { $0 + 1 }.filter { $0 > 1 }) == "2 disposed")
        #expect(seen(Maybe<Int>.empty().map { $0 + 1 }) == "| disposed")
        #expect(seen(Maybe.just(1).flatMap { _ in Maybe<Int>.empty() }) == "| disposed")
        #expect(seen(Maybe.just(1).compactMap { _ in Int?.none }) == "| disposed")
    }

    @Test func ifEmptyFillsIn() {
        #expect(seen(Maybe<Int>.empty().ifEmpty(default: 7)) == "7 disposed")
        #expect(seen(Maybe<Int>.empty().ifEmpty(switchTo: Single.just(8))) == "8 disposed")
        #expect(seen(Maybe<Int>.empty().ifEmpty(switchTo: Maybe.just(9))) == "9 disposed")
        #expect(seen(Maybe.just(1).ifEmpty(default: 7)) == "1 disposed")
    }

    @Test func zipCompletesWithoutElementIfOneSourceIsEmpty() {
        #expect(seen(Maybe.zip(Maybe.just(1), Maybe.just(2)) { $0 + $1 }) == "3 disposed")
        #expect(seen(Maybe.zip(Maybe.just(1), Maybe<Int>.empty()) { $0 + $1 }) == "| disposed")
    }

    @Test func doSeesTheCompletionOfASuccess() {
        let log = Log()
        _ = Maybe.just(1).do(onNext: { log("on\($0)") }, afterNext: { log("after\($0)") }, onCompleted: { log("on|") })
            .subscribe(onSuccess: { log($0) }, onCompleted: { log("|") })
        #expect(log.text == "on1 1 after1 on|")
    }

    @Test func doSeesACompletionBeforeAndAfterItsObserver() {
        let (source, log) = (PublishSubject<Int>(), Log())
        _ = source.asMaybe().do(
            onCompleted: { log("on|") }, afterCompleted: { log("after|") }, onSubscribe: { log("subscribe") },
            onSubscribed: { log("subscribed") }, onDispose: { log("dispose") }
        ).subscribe(onCompleted: { log("|") })
        source.onCompleted()
        #expect(log.text == "subscribe subscribed on| | after| dispose")
    }

    @Test func doSeesAnErrorBeforeAndAfterItsObserver() {
        let (source, log) = (PublishSubject<Int>(), Log())
        _ = source.asMaybe().do(
            onError: { log("on!\($0)") }, afterError: { log("after!\($0)") }, onDispose: { log("dispose") }
        ).subscribe(onError: { log("!\($0)") })
        source.onError(TestError.a)
        #expect(log.text == "on!a !a after!a dispose")
    }

    @Test func anErrorIsReplacedByAnElement() {
        #expect(seen(Maybe<Int>.error(TestError.a).catchAndReturn(9)) == "9 disposed")
    }

    @Test func handlersOfEachEndGetTheirObject() {
        let log = Log()
        let all: [Maybe<Int>] = [.just(1), .empty(), .error(TestError.a)]
        for maybe in all {
            _ = maybe.subscribe(
                with: log, onSuccess: { log, element in log(element) }, onError: { log, error in log("!\(error)") },
                onCompleted: { log in log("|") }, onDisposed: { log in log("disposed") })
        }
        #expect(log.text == "1 disposed | disposed !a disposed")
    }
}
