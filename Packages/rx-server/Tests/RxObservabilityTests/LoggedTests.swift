import InMemoryLogging
import Logging
import RxObservability
import RxTest
import Testing

struct LoggedTests {
    private let log = TestLog()
    private let source = PublishSubject<Int>()

    @Test func subscriptionEventsAndEndAreLogged() {
        let subscription = source.logged(log.logger, as: "orders", metadata: ["tenant": "a"]).subscribe()
        source.onNext(1)
        source.onNext(2)
        source.onCompleted()
        subscription.dispose()
        #expect(log.messages == ["subscribed", "next 1", "next 2", "completed"])
        #expect(log.handler.entries.allSatisfy { $0.level == .debug })
        #expect(log.handler.entries.allSatisfy { $0.metadata["rx.sequence"] == "orders" })
        #expect(log.handler.entries.allSatisfy { $0.metadata["tenant"] == "a" })
    }

    @Test func errorHasItsOwnLevelAndIsForwarded() {
        let subscription = source.logged(log.logger, level: .trace, errors: .critical).subscribe(onError: { _ in })
        source.onError(Declined())
        subscription.dispose()
        #expect(log.messages == ["subscribed", "failed"])
        #expect(log.handler.entries.map(\.level) == [.trace, .critical])
        #expect(log.handler.entries.last?.error is Declined)
        #expect(log.handler.entries.last?.metadata["rx.sequence"] == nil)
    }

    @Test func disposalIsLoggedOnce() {
        let subscription = source.logged(log.logger).subscribe()
        subscription.dispose()
        subscription.dispose()
        source.onNext(1)
        #expect(log.messages == ["subscribed", "disposed"])
    }

    @Test func endFromDownstreamIsLoggedAsDisposal() {
        let subscription = source.logged(log.logger).take(1).subscribe()
        source.onNext(1)
        subscription.dispose()
        #expect(log.messages == ["subscribed", "next 1", "disposed"])
    }

    @Test func eachSubscriptionIsLogged() {
        let logged = Observable.just(1).logged(log.logger)
        _ = logged.subscribe()
        _ = logged.subscribe()
        #expect(log.messages == ["subscribed", "next 1", "completed", "subscribed", "next 1", "completed"])
    }

    @Test func elementIsLoggedBeforeItIsForwarded() {
        let subscription = source.logged(log.logger)
            .subscribe(onNext: { element in log.logger.info("taken", metadata: ["rx.element": "\(element)"]) })
        source.onNext(1)
        subscription.dispose()
        #expect(log.messages == ["subscribed", "next 1", "taken 1", "disposed"])
    }

    @Test func disabledLevelFormatsNoText() {
        let (quiet, made) = (TestLog(.info), PublishSubject<String>())
        let texts = ReplaySubject<String>.createUnbounded()
        @Sendable func note(_ text: String) -> String {
            texts.onNext(text)
            return text
        }
        let subscription = made.logged(
            quiet.logger, metadata: ["given": "\(note("metadata"))"], describing: { note($0) }
        ).subscribe(onError: { _ in })
        made.onNext("element")
        made.onError(Declined())
        texts.onCompleted()
        subscription.dispose()
        // Only the error is logged, so the metadata is evaluated once.
        nonisolated(unsafe) var seen: [String] = []
        _ = texts.subscribe(onNext: { seen.append($0) })
        #expect(seen == ["metadata"])
        #expect(quiet.messages == ["failed"])
    }

    @Test func elementIsDescribedByGivenClosure() {
        _ = Observable.just("4111 1111").logged(log.logger, describing: { "\($0.count) digits" }).subscribe()
        #expect(log.messages.contains("next 9 digits"))
    }

    @Test func elementMetadataOverridesGivenMetadata() {
        _ = Observable.just(1).logged(log.logger, as: "orders", metadata: ["rx.element": "a", "rx.sequence": "b"])
            .subscribe()
        #expect(log.handler.entries.map { $0.metadata["rx.element"] } == ["a", "1", "a"])
        #expect(log.handler.entries.allSatisfy { $0.metadata["rx.sequence"] == "orders" })
    }

    @Test func metadataIsEvaluatedForEachMessage() {
        var count = 0
        func next() -> Int {
            count += 1
            return count
        }
        _ = Observable.just(1).logged(log.logger, metadata: ["count": "\(next())"]).subscribe()
        #expect(log.handler.entries.map { $0.metadata["count"] } == ["1", "2", "3"])
    }

    @Test func singleIsLoggedAndSucceeds() {
        nonisolated(unsafe) var taken: [Int] = []
        _ = Single.just(1).logged(log.logger).subscribe(onSuccess: { taken.append($0) })
        #expect(taken == [1])
        #expect(log.messages == ["subscribed", "next 1", "completed"])
    }

    @Test func failingSingleIsLogged() {
        nonisolated(unsafe) var failed = 0
        _ = Single<Int>.error(Declined()).logged(log.logger).subscribe(onFailure: { _ in failed += 1 })
        #expect(failed == 1)
        #expect(log.messages == ["subscribed", "failed"])
    }

    @Test func singleMessagesHaveGivenLevelsAndMetadata() {
        _ = Single<Int>.error(Declined())
            .logged(log.logger, as: "charge", level: .trace, errors: .critical, metadata: ["tenant": "a"])
            .subscribe(onFailure: { _ in })
        #expect(log.handler.entries.map(\.level) == [.trace, .critical])
        #expect(log.handler.entries.allSatisfy { $0.metadata["rx.sequence"] == "charge" })
        #expect(log.handler.entries.allSatisfy { $0.metadata["tenant"] == "a" })
    }

    @Test func maybeIsLogged() {
        _ = Maybe.just(1).logged(log.logger).subscribe()
        _ = Maybe<Int>.empty().logged(log.logger).subscribe()
        #expect(log.messages == ["subscribed", "next 1", "completed", "subscribed", "completed"])
    }

    @Test func completableIsLogged() {
        _ = Completable.empty().logged(log.logger).subscribe()
        #expect(log.messages == ["subscribed", "completed"])
    }

    @Test func infallibleIsLogged() {
        _ = Infallible.of(1, 2).logged(log.logger).subscribe()
        #expect(log.messages == ["subscribed", "next 1", "next 2", "completed"])
    }

    @Test func infallibleErrorGoesToHookAndCompletes() async {
        await #expect(processExitsWith: .success) {
            let (log, handled, ends) = (TestLog(), PublishSubject<Void>(), PublishSubject<Void>())
            nonisolated(unsafe) var (errors, completions) = (0, 0)
            _ = handled.subscribe(onNext: { errors += 1 })
            _ = ends.subscribe(onNext: { completions += 1 })
            Hooks.defaultErrorHandler = { _, error in
                if error is Declined { handled.onNext(()) }
            }
            let failing = Infallible.just(1)
                .withLatestFrom(Infallible.just(2), resultSelector: { _, _ -> Int in throw Declined() })
            _ = failing.logged(log.logger).subscribe(onCompleted: { ends.onNext(()) })
            precondition(errors == 1 && completions == 1)
        }
    }
}
