import RxSwift
import TestSupport
import Testing

/// The library has separate code for each of these kinds of observers.
@Suite struct TerminalObserverTests {
    enum Kind: CaseIterable {
        case anyObserver, publishSubject, behaviorSubject, replaySubject, ofTheProgram, ofASubclass

        func subscribe(to source: Observable<Int>, _ log: Log) -> any Disposable {
            switch self {
            case .anyObserver: source.subscribe(AnyObserver { log($0) })
            case .publishSubject: subscribe(PublishSubject(), to: source, log)
            case .behaviorSubject: subscribe(BehaviorSubject(value: 0), to: source, log)
            case .replaySubject: subscribe(ReplaySubject.create(bufferSize: 1), to: source, log)
            case .ofTheProgram: source.subscribe(OfTheProgram(log: log))
            case .ofASubclass: source.subscribe(Derived(log))
            }
        }

        private func subscribe<Subject: SubjectType & ObserverType>(
            _ subject: Subject, to source: Observable<Int>, _ log: Log
        ) -> any Disposable where Subject.Element == Int {
            // Logs the subject's events, even those after the disposal of the chain from `source`.
            _ = subject.asObservable().skip(subject is BehaviorSubject<Int> ? 1 : 0).subscribe { log($0) }
            return source.subscribe(subject)
        }
    }

    private struct OfTheProgram: ObserverType {
        let log: Log

        func on(_ event: Event<Int>) { log(event) }
    }

    private class Base: ObserverType {
        fileprivate let log: Log

        init(_ log: Log) { self.log = log }

        func on(_: Event<Int>) { log("base") }
    }

    private final class Derived: Base {
        override func on(_ event: Event<Int>) { log(event) }
    }

    private let log = Log()
    private let subject = PublishSubject<Int>()

    @Test(arguments: Kind.allCases) func observerReceivesElementsAndCompletion(kind: Kind) {
        let subscription = kind.subscribe(to: subject, log)
        subject.onNext(1)
        subject.onCompleted()
        subject.onNext(2)
        #expect(log.text == "next(1) completed")
        subscription.dispose()
    }

    @Test(arguments: Kind.allCases) func observerReceivesError(kind: Kind) {
        let subscription = kind.subscribe(to: subject, log)
        subject.onError(TestError.a)
        #expect(log.text == "error(a)")
        subscription.dispose()
    }

    @Test(arguments: Kind.allCases) func elementInFlightAtDisposalIsDropped(kind: Kind) {
        let serial = SerialDisposable()
        serial.disposable = kind.subscribe(to: subject.do(onNext: { _ in serial.dispose() }), log)
        subject.onNext(1)
        #expect(log.text == "")
    }
}
