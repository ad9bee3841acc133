import RxSwiftExt
import TestSupport
import Testing

struct SubscribeWeakTests {
    private final class Screen: Sendable {
        let log: Log

        init(_ log: Log) {
            self.log = log
        }

        func show(_ element: Int) { log(element) }
        func complain(_ error: any Error) { log(error) }
        func finish() { log("completed") }
        func leave() { log("disposed") }
        func handle(_ event: Event<Int>) { log(event) }
    }

    private let log = Log()

    @Test func methodsAreCalledWhileTheObjectLives() {
        let source = PublishSubject<Int>()
        var screen: Screen? = Screen(log)
        let subscription = source.subscribe(
            weak: screen!, onNext: Screen.show, onError: Screen.complain, onCompleted: Screen.finish,
            onDisposed: Screen.leave)
        source.onNext(1)
        screen = nil
        source.onNext(2)
        source.onCompleted()
        #expect(log.text == "1")
        subscription.dispose()
    }

    @Test func endPrecedesOnDisposed() {
        let screen = Screen(log)
        let source = Observable<Int>.just(1)
        source.subscribe(weak: screen, onNext: Screen.show, onCompleted: Screen.finish, onDisposed: Screen.leave)
            .dispose()
        Observable<Int>.error(TestError.a).subscribe(weak: screen, onError: Screen.complain, onDisposed: Screen.leave)
            .dispose()
        #expect(log.text == "1 completed disposed a disposed")
    }

    @Test func eventsMayGoToOneMethod() {
        let screen = Screen(log)
        Observable.just(1).subscribe(weak: screen, Screen.handle).dispose()
        #expect(log.text == "next(1) completed")
    }

    @Test func eachEventKindHasItsOverload() {
        let screen = Screen(log)
        Observable.just(1).subscribeNext(weak: screen, Screen.show).dispose()
        Observable<Int>.error(TestError.a).subscribeError(weak: screen, Screen.complain).dispose()
        Observable<Int>.empty().subscribeCompleted(weak: screen, Screen.finish).dispose()
        #expect(log.text == "1 a completed")
    }

    @Test func unhandledErrorReachesHook() async {
        await #expect(processExitsWith: .success) {
            let log = Log()
            Hooks.defaultErrorHandler = { _, error in log("unhandled \(error)") }
            Observable<Int>.error(TestError.a).subscribe(weak: Screen(log), onNext: Screen.show).dispose()
            precondition(log.text == "unhandled a", log.text)
        }
    }
}
