import RxSwift
import TestSupport
import Testing

struct SubjectCoreTests {
    typealias Tracked = LifetimeTracker.Tracked

    enum Kind: CaseIterable {
        case publish, behavior, replay

        func make(_ value: Tracked) -> any Disposed {
            switch self {
            case .publish: return PublishSubject<Tracked>()
            case .behavior: return BehaviorSubject(value: value)
            case .replay:
                let subject = ReplaySubject<Tracked>.create(bufferSize: 2)
                subject.onNext(value)
                return subject
            }
        }
    }

    protocol Disposed: Sendable, Disposable {
        func on(_ event: Event<Tracked>)
        func asObservable() -> Observable<Tracked>
    }

    @Test(arguments: Kind.allCases) func disposedWithinADeliveryItSendsNothingMore(kind: Kind) {
        let (tracker, log) = (LifetimeTracker(), Log())
        let subject = kind.make(tracker.make(0))
        let first = subject.asObservable().subscribe(onNext: { element in
            log("a\(element)")
            if element.value == 1 { subject.dispose() }
        })
        let second = subject.asObservable().note(in: log, as: "b")
        _ = log.take()
        subject.on(.next(tracker.make(1)))
        subject.on(.next(tracker.make(2)))
        #expect(log.text == "a1")
        first.dispose()
        second.dispose()
    }

    @Test(arguments: Kind.allCases) func disposedSubjectFreesError(kind: Kind) {
        struct Failure: Error { let tracked: Tracked }
        let tracker = LifetimeTracker()
        let subject = kind.make(tracker.make())
        subject.on(.error(Failure(tracked: tracker.make())))
        #expect(tracker.live > 0)
        subject.dispose()
        withExtendedLifetime(subject) { #expect(tracker.live == 0) }
    }

    @Test func disposedSubjectFreesElementsOutsideLock() async {
        await #expect(processExitsWith: .success) {
            let (tracker, log) = (LifetimeTracker(), Log())
            for kind in [Kind.behavior, .replay] {
                let subject = kind.make(
                    tracker.make {
                        Observable<Int>.never().subscribe().dispose()
                        log("released")
                    })
                subject.dispose()
                precondition(log.take() == "released")
            }
        }
    }

    @Test func failedSubjectFreesElementOutsideLock() async {
        await #expect(processExitsWith: .success) {
            let (tracker, log) = (LifetimeTracker(), Log())
            let (behavior, last) = (BehaviorSubject(value: tracker.make()), AsyncSubject<Tracked>())
            // `hasObservers` acquires the subject's lock.
            behavior.onNext(tracker.make { log("\(behavior.hasObservers)") })
            last.onNext(tracker.make { log("\(last.hasObservers)") })
            behavior.onError(TestError.a)
            last.onError(TestError.a)
            precondition(log.text == "false false")
        }
    }

    @Test func subscriptionWithDroppedDisposableIsFreedWithSubject() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            let tracker = LifetimeTracker()
            for kind in Kind.allCases {
                for isDisposed in [false, true] {
                    do {
                        let subject = kind.make(tracker.make())
                        for _ in 0..<5 { _ = subject.asObservable().subscribe() }
                        subject.on(.next(tracker.make()))
                        if isDisposed {
                            subject.dispose()
                            precondition(Resources.total == 1)
                        } else {
                            // One subject, and a chain and an entry for each of the 5 subscriptions.
                            precondition(Resources.total == 11)
                        }
                    }
                    precondition(Resources.total == 0)
                }
            }
        }
    }

    @Test func threadsThatGoWithTheirSubjectLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            let tracker = LifetimeTracker()
            for round in 0..<900 {
                do {
                    let kind = Kind.allCases[round % Kind.allCases.count]
                    let subject = Guarded<(any Disposed)?>(kind.make(tracker.make()))
                    try runConcurrently(threads: 3) { index in
                        if index == 2 {
                            subject.withLock { $0.take() }?.dispose()
                        } else {
                            for _ in 0..<5 {
                                guard let subject = subject.withLock({ $0 }) else { return }
                                // Without a handler, the report of an error would read memory that the threads change.
                                let subscription = subject.asObservable().subscribe(onError: { _ in })
                                if index == 0 { subscription.dispose() }
                                subject.on(.next(tracker.make()))
                            }
                        }
                    }
                }
                precondition(Resources.total == 0)
            }
            precondition(tracker.live == 0)
        }
    }

    @Test func remainingObserversReceiveInOrderAfterMostAreDisposed() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        // The observers fill several chunks. Each round shrinks the chunks and moves the remaining observers.
        var held = (0..<2_000).map { subject.note(in: log, as: "\($0):") }
        for modulus in [2, 3, 5, 7, 11] {
            held = held.enumerated().filter { index, subscription in
                if index % modulus == 0 { return true }
                subscription.dispose()
                return false
            }.map(\.element)
        }
        subject.onNext(0)
        #expect(log.take() == "0:0")
        held.forEach { $0.dispose() }
        #expect(!subject.hasObservers)
    }
}

extension PublishSubject<LifetimeTracker.Tracked>: SubjectCoreTests.Disposed {}
extension BehaviorSubject<LifetimeTracker.Tracked>: SubjectCoreTests.Disposed {}
extension ReplaySubject<LifetimeTracker.Tracked>: SubjectCoreTests.Disposed {}
