import RxSwift
import TestSupport
import Testing

struct SubjectSubscriptionTests {
    enum Kind: CaseIterable, Codable {
        case publish, behavior, replay, replayOfNothing, async

        func make() -> any Subject {
            switch self {
            case .publish: return PublishSubject<Int>()
            case .behavior: return BehaviorSubject(value: 0)
            case .replay:
                let subject = ReplaySubject<Int>.create(bufferSize: 2)
                subject.onNext(0)
                return subject
            case .replayOfNothing: return ReplaySubject<Int>.create(bufferSize: 2)
            case .async: return AsyncSubject<Int>()
            }
        }

        var told: String {
            switch self {
            case .publish, .replayOfNothing: "1 2"
            case .behavior, .replay: "0 1 2"
            case .async: "2"
            }
        }
    }

    protocol Subject: AnyObject {
        func on(_ event: Event<Int>)
        func asObservable() -> Observable<Int>
    }

    enum End: CaseIterable, Codable {
        case disposal, completion, disposalOfTheSubject, deathOfTheSubject

        func end(_ subject: inout (any Subject)?, _ subscription: any Disposable) {
            switch self {
            case .disposal: subscription.dispose()
            case .completion: subject?.on(.completed)
            case .disposalOfTheSubject: (subject as? any Disposable)?.dispose()
            case .deathOfTheSubject: subject = nil
            }
        }
    }

    private let tracker = LifetimeTracker()
    private let log = Log()

    private func subscribe(to subject: (any Subject)?) -> (any Cancelable)? {
        let subscription = subject?.asObservable().subscribe(onNext: { [log, tracked = tracker.make()] element in
            log(element)
            withExtendedLifetime(tracked) {}
        })
        return subscription as? any Cancelable
    }

    @Test(arguments: Kind.allCases) func subscriptionReceivesAllEvents(kind: Kind) throws {
        let subject = kind.make()
        let subscription = try #require(subscribe(to: subject))
        subject.on(.next(1))
        subject.on(.next(2))
        #expect(!subscription.isDisposed)
        subject.on(.completed)
        #expect(log.text == kind.told && subscription.isDisposed)
    }

    @Test(arguments: Kind.allCases) func disposedSubscriptionReceivesNothingMore(kind: Kind) throws {
        let subject = kind.make()
        let subscription = try #require(subscribe(to: subject))
        subscription.dispose()
        _ = log.take()
        subject.on(.next(1))
        subject.on(.completed)
        #expect(log.text.isEmpty && subscription.isDisposed)
    }

    @Test(arguments: Kind.allCases, End.allCases) func closureIsFreedAtEndWhileSubscriptionIsHeld(
        kind: Kind, end: End
    ) throws {
        var subject: (any Subject)? = kind.make()
        if end == .disposalOfTheSubject && !(subject is any Disposable) { return }
        let subscription = try #require(subscribe(to: subject))
        #expect(tracker.live == 1)
        end.end(&subject, subscription)
        withExtendedLifetime(subscription) { #expect(tracker.live == 0) }
    }

    @Test(arguments: Kind.allCases) func closureIsFreedOnSubscriptionToEndedSubject(kind: Kind) throws {
        let subject = kind.make()
        subject.on(.completed)
        let subscription = try #require(subscribe(to: subject))
        withExtendedLifetime(subscription) { #expect(tracker.live == 0 && subscription.isDisposed) }
    }

    @Test(arguments: Kind.allCases) func itsClosureIsNotFreedWhileItIsCalled(kind: Kind) {
        nonisolated(unsafe) let subject = kind.make()
        let subscription = SerialDisposable()
        subscription.disposable = subject.asObservable().subscribe(
            onNext: { [log, tracker, tracked = tracker.make(7)] _ in
                subscription.dispose()
                subject.on(.completed)
                log("\(tracker.live) \(tracked)")
            })
        subject.on(.next(1))
        subject.on(.completed)
        #expect(log.text == "1 7" && tracker.live == 0)
    }

    @Test(arguments: Kind.allCases) func errorOfSubjectReachesDefaultErrorHandler(kind: Kind) async {
        await #expect(processExitsWith: .success) { [kind] in
            let log = Log()
            Hooks.defaultErrorHandler = { _, error in log(error) }
            let subject = kind.make()
            let subscription = subject.asObservable().subscribe(onNext: { _ in })
            _ = log.take()
            subject.on(.error(TestError.a))
            _ = subject.asObservable().subscribe(onNext: { _ in })
            precondition(log.text == "a a", log.text)
            precondition((subscription as? any Cancelable)?.isDisposed == true)
        }
    }

    @Test(arguments: Kind.allCases) func subscriptionIsCountedAsResourceUntilFreed(kind: Kind) async {
        await #expect(processExitsWith: .success) { [kind] in
            Resources.isTracing = true
            let before = Resources.total
            var subject: (any Subject)? = kind.make()
            let alone = Resources.total
            var subscription = subject?.asObservable().subscribe(onNext: { _ in })
            // The two objects are the subscription and its entry in the subject.
            precondition(Resources.total == alone + 2, "\(Resources.total - alone)")
            subject = nil
            precondition(subscription != nil && Resources.total > before)
            subscription = nil
            precondition(Resources.total == before, "\(Resources.total - before)")
        }
    }

    @Test(arguments: Kind.allCases, End.allCases) func itAndTheSubjectAreFreedAfterItsEnd(kind: Kind, end: End) async {
        await #expect(processExitsWith: .success) { [kind, end] in
            for isLate in [false, true] {
                Resources.isTracing = true
                let before = Resources.total
                var subject: (any Subject)? = kind.make()
                Resources.isTracing = false
                if isLate { end.end(&subject, Disposables.create()) }
                var subscription = subject?.asObservable().subscribe(onNext: { _ in })
                weak let known = subscription.map { $0 as AnyObject }
                if !isLate { end.end(&subject, subscription ?? Disposables.create()) }
                subject = nil
                subscription = nil
                precondition(known == nil, "\(isLate)")
                precondition(Resources.total == before, "\(isLate): \(Resources.total - before)")
            }
        }
    }
}

extension PublishSubject<Int>: SubjectSubscriptionTests.Subject {}
extension BehaviorSubject<Int>: SubjectSubscriptionTests.Subject {}
extension ReplaySubject<Int>: SubjectSubscriptionTests.Subject {}
extension AsyncSubject<Int>: SubjectSubscriptionTests.Subject {}
