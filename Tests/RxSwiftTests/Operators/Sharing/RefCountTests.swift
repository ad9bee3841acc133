import RxSwift
import TestSupport
import Testing

struct RefCountTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    @Test func connectsWithTheFirstAndDisposesWithTheLast() {
        let counted = source.noteLifetime(in: log, as: "source").publish().refCount()
        let first = counted.note(in: log, as: "a")
        let second = counted.note(in: log, as: "b")
        source.onNext(1)
        first.dispose()
        source.onNext(2)
        second.dispose()
        #expect(log.text == "source+ a1 b1 b2 source-")
    }

    @Test func observerAfterLastDisposalConnectsAgain() {
        let counted = source.noteLifetime(in: log, as: "source").publish().refCount()
        counted.note(in: log).dispose()
        counted.note(in: log).dispose()
        #expect(log.text == "source+ source- source+ source-")
    }

    @Test func sourceIsDisposedBeforeTheEndIsSent() {
        let counted = source.noteLifetime(in: log, as: "source").publish().refCount()
        _ = counted.note(in: log, as: "a")
        _ = counted.note(in: log, as: "b")
        source.onCompleted()
        #expect(log.text == "source+ source- acompleted bcompleted")
    }

    @Test func observerAfterSynchronousEndConnectsAgain() {
        let counted = Observable.of(1).noteLifetime(in: log, as: "source").publish().refCount()
        _ = counted.note(in: log, as: "a")
        _ = counted.note(in: log, as: "b")
        #expect(log.text == "source+ a1 source- acompleted source+ b1 source- bcompleted")
    }

    @Test func observerDisposingItselfIsSubtracted() {
        let counted = source.noteLifetime(in: log, as: "source").publish().refCount()
        _ = counted.take(1).note(in: log)
        source.onNext(1)
        #expect(!source.hasObservers)
        #expect(log.text == "source+ 1 completed source-")
    }

    @Test func observerEndingDuringSubscribeDoesNotConnect() {
        let remembered = ReplaySubject<Int>.create(bufferSize: 1)
        remembered.onNext(1)
        _ = source.noteLifetime(in: log, as: "source").multicast(remembered).refCount().take(1).note(in: log)
        #expect(log.text == "1 completed")
    }

    @Test func directObserverBeforeConnectionReceivesAfterRefCountedOneEnds() {
        let connectable = source.multicast {
            let remembering = ReplaySubject<Int>.create(bufferSize: 1)
            remembering.onNext(0)
            return remembering
        }
        let listener = connectable.note(in: log, as: "a")
        // `take(1)` ends this subscription before it connects.
        _ = connectable.refCount().take(1).note(in: log, as: "b")
        let connection = connectable.connect()
        source.onNext(1)
        #expect(log.text == "a0 b0 bcompleted a1")
        listener.dispose()
        connection.dispose()
    }

    @Test func foreignConnectionEndingDuringConnectIsDisposed() {
        let connectable = EndingAtOnce(log)
        _ = connectable.refCount().note(in: log)
        #expect(log.text == "connect completed disconnect")
    }

    @Test func foreignConnectionLastsUntilLastDisposal() {
        let connectable = Connecting(log)
        let counted = connectable.refCount()
        let first = counted.note(in: log, as: "a")
        let second = counted.note(in: log, as: "b")
        first.dispose()
        connectable.subject.onNext(1)
        second.dispose()
        counted.note(in: log, as: "c").dispose()
        #expect(log.text == "connect b1 disconnect connect disconnect")
    }

    @Test func observerSubscribedAsForeignConnectionEndsJoinsNext() {
        let connectable = Connecting(log)
        let counted = connectable.refCount()
        _ = counted.note(in: log, as: "a")
        connectable.onSubscribe = { connectable.end() }
        let second = counted.note(in: log, as: "b")
        connectable.subject.onNext(1)
        second.dispose()
        #expect(log.text == "connect acompleted disconnect connect b1 disconnect")
    }

    @Test func foreignConnectionErrorIsSentBeforeItsDisposal() {
        let connectable = Connecting(log)
        let subscription = connectable.refCount().note(in: log)
        connectable.end(TestError.a)
        #expect(log.text == "connect error(a) disconnect")
        subscription.dispose()
    }

    @Test func observerEndingDuringSubscribeLeavesForeignConnection() {
        let connectable = Connecting(log)
        connectable.first = 0
        let counted = connectable.refCount()
        _ = counted.take(1).note(in: log, as: "a")
        counted.note(in: log, as: "b").dispose()
        #expect(log.text == "a0 acompleted b0 connect disconnect")
    }

    @Test func observerOfSilentForeignConnectionLivesUntilDisposal() {
        let tracker = LifetimeTracker()
        let subscription = Silent(log).refCount().subscribe(onNext: { [held = tracker.make()] _ in _ = held })
        #expect(log.take() == "connect")
        #expect(tracker.live == 1)
        subscription.dispose()
        #expect(log.text == "disconnect")
        #expect(tracker.live == 0)
    }

    @Test func threadsSubscribingAndDisposingLeaveItDisconnected() throws {
        try countsUnderRaces { $0.publish().refCount() }
    }

    @Test func observerDuringSourceEndGetsNewConnection() {
        let starts = Guarded(0)
        let source = source
        let (late, log) = (SerialDisposable(), log)
        nonisolated(unsafe) var counted: Observable<Int>?
        let subject = Observable<Int>.create { observer in
            let isFirst = starts.withLock { starts in
                starts += 1
                return starts == 1
            }
            nonisolated(unsafe) let subscription = source.subscribe(observer)
            // Before the connection sends the end, it releases its subject and disposes of this disposable.
            return Disposables.create {
                subscription.dispose()
                if isFirst { late.disposable = counted!.note(in: log, as: "b") }
            }
        }
        counted = subject.take(until: source.filter { $0 == 2 }).publish().refCount()
        _ = counted!.note(in: log, as: "a")
        source.onNext(1)
        source.onNext(2)
        source.onNext(3)
        #expect(log.text == "a1 acompleted b3")
        #expect(starts.withLock { $0 } == 2)
        late.dispose()
        #expect(!source.hasObservers)
        counted = nil
    }

    @Test func observerSubscribingDuringLastDisposalReceives() throws {
        for _ in 0..<5_000 {
            let (source, log) = (PublishSubject<Int>(), Log())
            let counted = source.publish().refCount()
            let (first, late) = (counted.subscribe(), SerialDisposable())
            try runConcurrently(threads: 2) { index in
                if index == 0 { first.dispose() } else { late.disposable = counted.note(in: log) }
            }
            source.onNext(1)
            #expect(log.text == "1")
            late.dispose()
            #expect(!source.hasObservers)
        }
    }

    @Test func observersRacingWithSourceEndGetEndOrNewConnection() throws {
        for _ in 0..<5_000 {
            let (first, second, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
            let starts = Guarded(0)
            let counted = Observable.deferred {
                let isFirst = starts.withLock { starts in
                    starts += 1
                    return starts == 1
                }
                return isFirst ? first : second
            }.publish().refCount()
            _ = counted.subscribe()
            let late = CompositeDisposable()
            try runConcurrently(threads: 3) { index in
                if index == 0 {
                    first.onCompleted()
                } else {
                    _ = late.insert(counted.subscribe(onNext: { _ in log("ended") }, onCompleted: { log("ended") }))
                }
            }
            second.onNext(1)
            #expect(log.entries.count == 2)
            late.dispose()
            #expect(!second.hasObservers)
        }
    }
}

/// Several threads subscribe and dispose at the same time. No connection may remain.
func countsUnderRaces(_ share: (Observable<Int>) -> Observable<Int>) throws {
    let (source, present) = (PublishSubject<Int>(), Guarded(0))
    let shared = share(
        source.do(
            onSubscribe: { present.withLock { $0 += 1 } },
            onDispose: { present.withLock { $0 -= 1 } }))
    try runConcurrently(threads: 4) { index in
        for number in 0..<1_000 {
            if index == 0 {
                source.onNext(number)
            } else {
                shared.subscribe().dispose()
            }
        }
    }
    #expect(present.withLock { $0 } == 0)
    #expect(!source.hasObservers)
    let (log, again) = (Log(), shared)
    let subscription = again.skip { $0 >= 0 }.note(in: log)
    source.onNext(-7)
    #expect(log.text == "-7")
    subscription.dispose()
}

private final class Connecting: ConnectableObservableType {
    typealias Element = Int

    private(set) var subject = PublishSubject<Int>()
    var first: Int?
    var onSubscribe: (() -> Void)?
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
        onSubscribe.take()?()
        if let first { observer.onNext(first) }
        return subject.subscribe(observer)
    }

    func connect() -> any Disposable {
        log("connect")
        return Disposables.create { [log] in log("disconnect") }
    }

    func end(_ error: TestError? = nil) {
        let ended = subject
        subject = PublishSubject()
        if let error { ended.onError(error) } else { ended.onCompleted() }
    }
}

private final class EndingAtOnce: ConnectableObservableType {
    typealias Element = Int

    private let subject = PublishSubject<Int>()
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
        subject.subscribe(observer)
    }

    func connect() -> any Disposable {
        log("connect")
        subject.onCompleted()
        return Disposables.create { [log] in log("disconnect") }
    }
}

/// A connectable sequence that releases its observers at once.
private final class Silent: ConnectableObservableType {
    typealias Element = Int

    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
        Disposables.create()
    }

    func connect() -> any Disposable {
        log("connect")
        return Disposables.create { [log] in log("disconnect") }
    }
}
