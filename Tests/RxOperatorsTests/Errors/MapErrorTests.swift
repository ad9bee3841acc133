import RxOperators
import TestSupport
import Testing

struct MapErrorTests {
    @Test func mapErrorErrorFailsWithTheResult() {
        outcome("-1-#") { $0.mapError { $0 as? TestError == .a ? TestError.b : TestError.c } }
            .expect("-1-#", error: TestError.b, subscribed: "^--!")
    }

    @Test func mapErrorTransformThrowsFailsWithThatError() {
        outcome("-1-#") { $0.mapError { _ in throw TestError.c } }
            .expect("-1-#", error: TestError.c, subscribed: "^--!")
    }

    @Test func mapErrorCompletedDoesNotCallTransform() {
        let log = Log()
        outcome("-1-|") {
            $0.mapError { error in
                log("called")
                return error
            }
        }
        .expect("-1-|", subscribed: "^--!")
        #expect(log.text.isEmpty)
    }

    @Test func mapErrorDisposedOfByObserverAboveDoesNotCallTransform() {
        let (source, log, subscription) = (PublishSubject<Int>(), Log(), SingleAssignmentDisposable())
        let mapped = source.do(onError: { _ in subscription.dispose() }).mapError { error in
            log("called")
            return error
        }
        subscription.setDisposable(mapped.note(in: log))
        source.onError(TestError.a)
        #expect(log.text.isEmpty)
    }

    @Test func mapErrorSingleFailsWithTheResult() {
        let failing = Single<Int>.error(TestError.a)
        #expect(seen(failing.mapError { _ in TestError.b }.asObservable()) == "error(b)")
        #expect(seen(Completable.empty().mapError { _ in TestError.b }.asObservable()) == "completed")
    }
}
