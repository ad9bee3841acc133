import RxSwift
import TestSupport
import Testing

/// An observer subscribes while a shared sequence's source ends.
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

    @Test func forever_subscriberOnAnotherThreadDuringDeliveryOfEnd_doesNotConnect() throws {
        let log = Log(), source = PublishSubject<Int>(), shared = PausingSubject()
        nonisolated(unsafe) var subscriptions = 0
        let cached = Observable<Int>.deferred {
            subscriptions += 1
            return source
        }.multicast(shared).refCount()
        _ = cached.subscribe { log("a \($0)") }
        shared.beforeEnd = { try? runOnThread { _ = cached.subscribe { log("b \($0)") } } }

        source.onNext(1)
        source.onCompleted()

        #expect(subscriptions == 1)
        #expect(log.entries == ["a next(1)", "b next(1)", "a completed", "b completed"])
    }

    /// `shared` drops the first end, so observer b needs a second connection. The thread that delivers the end must
    /// connect.
    @Test func connection_leftToTheThreadThatDeliversTheEnd_isMade() throws {
        let log = Log(), source = ReplaySubject<Int>.create(bufferSize: 1), shared = PausingSubject()
        shared.forwardsEnd = false
        nonisolated(unsafe) var subscriptions = 0
        let cached = Observable<Int>.deferred {
            subscriptions += 1
            return subscriptions == 1 ? source.take(1) : Observable.just(2).concat(Observable.never())
        }.multicast(shared).refCount()
        nonisolated(unsafe) var late: (any Disposable)?
        shared.beforeEnd = { try? runOnThread { late = cached.subscribe { log("b \($0)") } } }
        let first = cached.subscribe { log("a \($0)") }

        source.onNext(1)
        late?.dispose()
        first.dispose()

        #expect(subscriptions == 2)
        #expect(log.entries == ["a next(1)", "b next(1)", "a next(2)", "b next(2)"])
    }
}

/// Calls `beforeEnd` before it forwards the first end.
// @unchecked Sendable because the first thread waits while the other thread uses the subject.
private final class PausingSubject: SubjectType, @unchecked Sendable {
    typealias Element = Int

    private let subject = ReplaySubject<Int>.create(bufferSize: 1)
    var beforeEnd: (() -> Void)?
    var forwardsEnd = true

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
        subject.subscribe(observer)
    }

    func asObserver() -> AnyObserver<Int> {
        AnyObserver { [self] event in
            if event.isStopEvent {
                let action = beforeEnd
                beforeEnd = nil
                action?()
                if !forwardsEnd { return }
            }
            subject.on(event)
        }
    }
}
