import RxSwift
import TestSupport
import Testing

/// The observers' variables have no lock, because an observer receives one event at a time.
struct SubjectConcurrencyTests {
    @Test func eachObserverReceivesAllInOneOrder() throws {
        let subject = PublishSubject<Int>()
        let received = (0..<3).map { _ in Received() }
        let subscriptions = received.map { own in subject.subscribe(onNext: { own.elements.append($0) }) }
        try runConcurrently(threads: 4) { index in
            for number in 0..<5_000 { subject.onNext(index * 5_000 + number) }
        }
        #expect(received[0].elements.count == 20_000)
        #expect(received[1].elements == received[0].elements)
        #expect(received[2].elements == received[0].elements)
        subscriptions.forEach { $0.dispose() }
    }

    @Test(arguments: [1, 4]) func concurrentReplayObserverReceivesEachElementOnce(pushers: Int) throws {
        for _ in 0..<200 {
            let subject = ReplaySubject<Int>.createUnbounded()
            let received = (0..<2).map { _ in Received() }
            let bag = CompositeDisposable()
            try runConcurrently(threads: pushers + 2) { index in
                if index < 2 {
                    _ = bag.insert(subject.subscribe(onNext: { received[index].elements.append($0) }))
                } else {
                    for number in 0..<50 { subject.onNext(index * 50 + number) }
                }
            }
            let all = Received()
            subject.subscribe(onNext: { all.elements.append($0) }).dispose()
            #expect(all.elements.count == pushers * 50)
            #expect(received[0].elements == all.elements)
            #expect(received[1].elements == all.elements)
            bag.dispose()
        }
    }

    @Test func aNewObserverOfABehaviorSubjectMissesNothingAfterItsFirst() throws {
        for _ in 0..<500 {
            let subject = BehaviorSubject(value: 0)
            let received = Received()
            let bag = CompositeDisposable()
            try runConcurrently(threads: 2) { index in
                if index == 0 {
                    _ = bag.insert(subject.subscribe(onNext: { received.elements.append($0) }))
                } else {
                    for number in 1...50 { subject.onNext(number) }
                }
            }
            #expect(received.elements == Array(received.elements[0]...50))
            bag.dispose()
        }
    }

    @Test(arguments: Kind.allCases) func observerSubscribedDuringCompletionReceivesItOnce(kind: Kind) throws {
        for _ in 0..<500 {
            let subject = kind.make()
            let (log, bag) = (Log(), CompositeDisposable())
            try runConcurrently(threads: 3) { index in
                if index < 2 {
                    _ = bag.insert(subject.subscribe(onCompleted: { log("completed") }))
                } else {
                    subject.onNext(1)
                    subject.onCompleted()
                }
            }
            #expect(log.text == "completed completed")
            bag.dispose()
        }
    }

    @Test(arguments: Kind.allCases) func observerThatDisposesItselfReceivesNothingMore(kind: Kind) throws {
        for _ in 0..<300 {
            let (subject, received, subscription) = (kind.make(), Received(), SerialDisposable())
            subscription.disposable = subject.subscribe(onNext: {
                if $0 < 0 { return }
                received.elements.append($0)
                subscription.dispose()
            })
            try runConcurrently(threads: 3) { _ in
                for number in 0..<20 { subject.onNext(number) }
            }
            #expect(received.elements == [0])
        }
    }

    @Test(arguments: Kind.allCases) func observersThatComeAndGoLeaveNothingBehind(kind: Kind) throws {
        let tracker = LifetimeTracker()
        let subject = kind.make()
        try runConcurrently(threads: 4) { index in
            if index == 0 {
                for number in 0..<2_000 { subject.onNext(number) }
            } else {
                for _ in 0..<500 {
                    let held = tracker.make()
                    subject.subscribe(onNext: { [held] _ in _ = held }).dispose()
                }
            }
        }
        #expect(tracker.live == 0)
    }

    /// Element 2 is waiting for its delivery, so the late observer's replay does not contain it.
    @Test(arguments: zip(Kind.allCases, ["2", "1 2", "1 2"]))
    func observerSubscribingAfterWaitingPushReceivesItOnce(kind: Kind, told: String) {
        let (subject, log, late) = (kind.make(), Log(), SerialDisposable())
        let first = subject.subscribe(onNext: {
            guard $0 == 1 else { return }
            try? runOnThread {
                subject.onNext(2)
                late.disposable = subject.note(in: log)
            }
        })
        subject.onNext(1)
        #expect(log.text == told)
        for each in [first, late] { each.dispose() }
    }

    @Test(arguments: Kind.allCases) func manyObserversDisposedDuringDeliveryDelayNoEvent(kind: Kind) throws {
        let (tracker, log) = (LifetimeTracker(), Log())
        let subject = kind.make()
        let others = Guarded<[any Disposable]>([])
        let first = subject.subscribe(onNext: { number in
            log("\(number), \(tracker.live) left")
            if number != 1 { return }
            others.withLock { $0 }.forEach { $0.dispose() }
            try? runOnThread { subject.onNext(2) }
        })
        others.withLock {
            $0 = (0..<100).map { _ in
                let held = tracker.make()
                return subject.subscribe(onNext: { [held] _ in _ = held })
            }
        }
        _ = log.take()
        subject.onNext(1)
        // The thread frees 32 disposed observers between two events, and the other 68 after the delivery.
        #expect(log.text == "1, 100 left 2, 68 left")
        others.withLock { $0 = [] }
        #expect(tracker.live == 0)
        first.dispose()
    }

    enum Kind: CaseIterable {
        case publish, behavior, replay

        func make() -> Both {
            switch self {
            case .publish:
                let subject = PublishSubject<Int>()
                return Both(subject, AnyObserver(subject))
            case .behavior:
                let subject = BehaviorSubject(value: -1)
                return Both(subject, AnyObserver(subject))
            case .replay:
                let subject = ReplaySubject<Int>.create(bufferSize: 2)
                return Both(subject, AnyObserver(subject))
            }
        }
    }
}

struct Both: ObserverType, ObservableType {
    typealias Element = Int
    private let source: Observable<Int>
    private let observer: AnyObserver<Int>

    init(_ source: Observable<Int>, _ observer: AnyObserver<Int>) {
        self.source = source
        self.observer = observer
    }

    func on(_ event: Event<Int>) {
        observer.on(event)
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
        source.subscribe(observer)
    }

    func asObservable() -> Observable<Int> { source }
}

private final class Received: @unchecked Sendable {  // because the subject delivers to it one event at a time
    var elements: [Int] = []
}
