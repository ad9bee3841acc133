import RxSwift
import RxTest
import TestSupport
import Testing

struct UsingTests {
    private let log = Log()

    private func resource() -> AnyDisposable {
        AnyDisposable(Disposables.create { [log] in log("freed") })
    }

    @Test func freesTheResourceAfterTheSource() {
        let source = Observable.using(resource) { [log] _ in Observable.of(1).noteLifetime(in: log, as: "source") }
        _ = source.noteLifetime(in: log, as: "below").note(in: log)
        #expect(log.text == "below+ source+ 1 completed source- freed below-")
    }

    @Test func freesTheResourceWithTheSubscription() {
        let subscription = Observable.using(resource) { _ in Observable<Int>.never() }.subscribe()
        #expect(log.take() == "")
        subscription.dispose()
        #expect(log.text == "freed")
    }

    @Test func resourceIsDisposedAfterDelayedSource() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = Observable.using(resource) { [log] _ in
            Observable<Int>.never().noteLifetime(in: log, as: "source").delaySubscription(
                .seconds(30), scheduler: scheduler)
        }
        let subscription = source.noteLifetime(in: log, as: "below").note(in: log)
        scheduler.start()
        subscription.dispose()
        #expect(log.text == "below+ source+ source- freed below-")
    }

    @Test func freesTheResourceWhenTheSourceCannotBeMade() {
        _ = Observable<Int>.using(resource) { _ in throw TestError.b }.note(in: log)
        #expect(log.text == "error(b) freed")
    }

    @Test func resourceFactoryErrorEndsTheSequence() {
        let source = Observable<Int>.using({ () throws -> AnyDisposable in throw TestError.a }) { _ in .of(1) }
        #expect(seen(source) == "error(a)")
    }
}

struct AnyDisposable: Disposable {
    private let body: any Disposable

    init(_ body: any Disposable) {
        self.body = body
    }

    func dispose() {
        body.dispose()
    }
}
