import RxSwift
import TestSupport
import Testing

struct CatchSequenceTests {
    @Test func errorSwitchesToNextSource() {
        let failing = Observable.of(1).concat(Observable.error(TestError.a))
        #expect(seen(Observable.catch(sequence: [failing, failing, .of(2), .of(3)])) == "1 1 2 completed")
        #expect(seen(Observable.catch(sequence: [failing, .error(TestError.b)])) == "1 error(b)")
        #expect(seen(Observable.catch(sequence: [Observable<Int>]())) == "completed")
    }

    @Test func sourceMadeDuringDisposalIsNotSubscribed() {
        let (log, first, subscription) = (Log(), PublishSubject<Int>(), SerialDisposable())
        let sources = (0..<2).lazy.map { number -> Observable<Int> in
            if number == 0 { return first }
            subscription.dispose()
            return .never().noteLifetime(in: log, as: "second")
        }
        subscription.disposable = Observable.catch(sequence: sources).subscribe()
        first.onError(TestError.a)
        #expect(log.text == "")
    }

    @Test func hundredThousandSourcesFitSmallStack() throws {
        let count = try runOnSmallThread {
            nonisolated(unsafe) var count = 0
            let sources = (0..<100_000).lazy.map { Observable.of($0).concat(Observable.error(TestError.a)) }
            _ = Observable.catch(sequence: sources).subscribe(onNext: { _ in count += 1 }, onError: { _ in })
            return count
        }
        #expect(count == 100_000)
    }
}
