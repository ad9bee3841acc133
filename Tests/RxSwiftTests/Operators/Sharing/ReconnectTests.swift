import RxSwift
import TestSupport
import Testing

/// Subscribers that arrive while the source of a shared sequence is torn down after its end.
@Suite struct ReconnectTests {
    struct Sharing: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let apply: @Sendable (Observable<Int>) -> Observable<Int>
    }

    static let sharings = [
        Sharing(testDescription: "share(replay: 1, scope: .forever)") { $0.share(replay: 1, scope: .forever) },
        Sharing(testDescription: "share(replay: 2, scope: .forever)") { $0.share(replay: 2, scope: .forever) },
        Sharing(testDescription: "multicast(subject).refCount()") {
            $0.multicast(ReplaySubject<Int>.create(bufferSize: 1)).refCount()
        },
    ]

    @Test(arguments: sharings)
    func forever_subscriberDuringTeardown_receivesEndAndDoesNotConnect(_ sharing: Sharing) {
        let log = Log()
        nonisolated(unsafe) var (subscriptions, source): (Int, AnyObserver<Int>?) = (0, nil)
        nonisolated(unsafe) var cached: Observable<Int>?
        cached = sharing.apply(
            Observable.create { observer in
                subscriptions += 1
                let number = subscriptions
                observer.onNext(number)
                source = observer
                return Disposables.create {
                    guard number == 1 else { return }
                    _ = cached?.subscribe { log("b \($0)") }
                }
            })
        _ = cached?.subscribe { log("a \($0)") }

        source?.onCompleted()
        _ = cached?.subscribe { log("c \($0)") }
        (cached, source) = (nil, nil)

        #expect(subscriptions == 1)
        #expect(log.entries.filter { $0.hasPrefix("b") } == ["b next(1)", "b completed"])
        #expect(log.entries.filter { $0.hasPrefix("c") } == ["c next(1)", "c completed"])
    }
}
