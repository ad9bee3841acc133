import RxSwift
import TestSupport
import Testing

struct ConnectableObservableTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    @Test func connectsOnce() {
        let connectable = source.noteLifetime(in: log, as: "source").publish()
        let (first, second) = (connectable.connect(), connectable.connect())
        #expect(first as AnyObject === second as AnyObject)
        #expect(log.text == "source+")
        first.dispose()
    }

    @Test func observerAfterConnectionDisposalReceivesNothing() {
        let connectable = source.publish()
        let subscription = connectable.note(in: log)
        connectable.connect().dispose()
        source.onNext(1)
        #expect(log.text == "")
        #expect(!source.hasObservers)
        subscription.dispose()
    }

    @Test func elementReturnedAfterConnectionDisposalIsDropped() {
        let connection = SerialDisposable()
        let connectable = source.map { element in
            connection.dispose()
            return element
        }
        .publish()
        let subscription = connectable.note(in: log)
        connection.disposable = connectable.connect()
        source.onNext(1)
        #expect(log.text == "")
        subscription.dispose()
    }

    @Test func connectAfterTheEndSubscribesAgain() {
        let connectable = Observable.of(1).publish()
        for name in ["a", "b"] {
            _ = connectable.note(in: log, as: name)
            _ = connectable.connect()
        }
        #expect(log.text == "a1 acompleted b1 bcompleted")
    }

    @Test func givenSubjectReplaysAcrossConnections() {
        let connectable = source.multicast(ReplaySubject<Int>.create(bufferSize: 1))
        let connection = connectable.connect()
        source.onNext(1)
        connection.dispose()
        let subscription = connectable.note(in: log)
        let next = connectable.connect()
        source.onNext(2)
        #expect(log.text == "1 2")
        subscription.dispose()
        next.dispose()
    }

    @Test func aSubjectIsMadeForEachConnection() {
        let connectable = source.multicast { [log] in
            log("made")
            return PublishSubject<Int>()
        }
        connectable.connect().dispose()
        connectable.connect().dispose()
        #expect(log.text == "made made")
    }

    @Test func threadsSubscribingFirstAtOnceShareOneSubject() throws {
        let (made, late) = (Guarded<[PublishSubject<Int>]>([]), SerialDisposable())
        nonisolated(unsafe) var shared: ConnectableObservable<Int>?
        shared = source.multicast { [log] in
            let subject = PublishSubject<Int>()
            made.withLock { $0.append(subject) }
            if made.withLock({ $0.count }) == 1 {
                try? runOnThread { late.disposable = shared?.note(in: log, as: "b") ?? Disposables.create() }
            }
            return subject
        }
        let early = try #require(shared).note(in: log, as: "a")
        let connection = try #require(shared).connect()
        source.onNext(1)
        #expect(log.text == "b1 a1")
        #expect(made.withLock { $0.map(\.hasObservers) } == [false, true])
        for each in [early, late, connection] { each.dispose() }
        shared = nil
    }

    @Test func theSelectorsResultSharesOneSubscription() {
        let shared = source.noteLifetime(in: log, as: "source")
            .multicast(
                { PublishSubject<Int>() },
                selector: { shared in Observable.zip(shared, shared.skip(1)) { $0 * 10 + $1 } })
        let subscription = shared.note(in: log)
        (1...3).forEach(source.onNext)
        subscription.dispose()
        #expect(log.text == "source+ 12 23 source-")
    }

    @Test func theSelectorsResultIsSubscribedBeforeItConnects() {
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create()
        }
        #expect(seen(source.multicast({ PublishSubject<Int>() }, selector: { $0 })) == "1 completed")
    }

    @Test func theSelectorsResultIsDisposedOfBeforeTheConnection() {
        let shared = source.noteLifetime(in: log, as: "source")
            .multicast(
                { PublishSubject<Int>() }, selector: { [log] shared in shared.noteLifetime(in: log, as: "result") })
        shared.note(in: log).dispose()
        #expect(log.text == "result+ source+ result- source-")
    }

    @Test func selectorErrorEndsTheResult() {
        let result = source.multicast(
            { PublishSubject<Int>() }, selector: { _ -> Observable<Int> in throw TestError.b })
        #expect(seen(result) == "error(b)")
        #expect(!source.hasObservers)
    }

    @Test func threadsThatConnectAtOnceSubscribeOnce() throws {
        for _ in 0..<500 {
            let (log, source) = (Log(), PublishSubject<Int>())
            let connectable = source.noteLifetime(in: log, as: "source").publish()
            let bag = CompositeDisposable()
            try runConcurrently(threads: 3) { _ in _ = bag.insert(connectable.connect()) }
            #expect(log.text == "source+")
            bag.dispose()
            #expect(log.text == "source+ source-")
        }
    }
}
