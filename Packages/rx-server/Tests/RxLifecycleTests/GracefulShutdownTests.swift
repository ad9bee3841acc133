import RxLifecycle
import ServiceLifecycleTestKit
import Testing

struct GracefulShutdownTests {
    @Test func shutdownSendsOneElementAndCompletes() async {
        await testGracefulShutdown { trigger in
            let journal = Journal()
            let subscription = Observable.gracefulShutdown().noted(in: journal, as: "shutdown").subscribe()
            defer { subscription.dispose() }
            #expect(journal.lines == ["shutdown subscribed"])
            trigger.triggerGracefulShutdown()
            await journal.has("shutdown disposed")
            #expect(
                journal.lines == [
                    "shutdown subscribed", "shutdown: ()", "shutdown completed", "shutdown disposed",
                ])
        }
    }

    @Test func nothingIsSentBeforeShutdown() async {
        await testGracefulShutdown { _ in
            let journal = Journal()
            let subscription = Observable.gracefulShutdown().noted(in: journal, as: "shutdown").subscribe()
            // A sequence that did not wait for the shutdown would send its element before these tasks end.
            for _ in 0..<100 { await Task {}.value }
            #expect(journal.lines == ["shutdown subscribed"])
            subscription.dispose()
        }
    }

    @Test func completableCompletesAtShutdown() async throws {
        try await testGracefulShutdown { trigger in
            let end = Task { try await Completable.gracefulShutdown().value }
            trigger.triggerGracefulShutdown()
            try await end.value
        }
    }

    @Test func sourceEndsAtShutdown() async {
        await testGracefulShutdown { trigger in
            let (source, journal) = (PublishSubject<Int>(), Journal())
            let subscription = source.take(until: Observable.gracefulShutdown()).noted(in: journal, as: "source")
                .subscribe()
            defer { subscription.dispose() }
            source.onNext(1)
            trigger.triggerGracefulShutdown()
            await journal.has("source disposed")
            #expect(journal.lines == ["source subscribed", "source: 1", "source completed", "source disposed"])
            #expect(!source.hasObservers)
        }
    }

    @Test func subscriptionAfterShutdownReceivesElementAtOnce() async throws {
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await Completable.gracefulShutdown().value
        }
    }

    /// The second subscription shows that the shutdown has been delivered.
    @Test func disposedSubscriptionReceivesNothing() async {
        await testGracefulShutdown { trigger in
            let (disposed, later) = (Journal(), Journal())
            Observable.gracefulShutdown().noted(in: disposed, as: "shutdown").subscribe().dispose()
            let subscription = Observable.gracefulShutdown().noted(in: later, as: "shutdown").subscribe()
            defer { subscription.dispose() }
            trigger.triggerGracefulShutdown()
            await later.has("shutdown disposed")
            #expect(disposed.lines == ["shutdown subscribed", "shutdown disposed"])
        }
    }

    @Test func shutdownHandlerMayQueryShutdown() async {
        await testGracefulShutdown { trigger in
            let journal = Journal()
            let subscription = Observable.gracefulShutdown()
                .do(onNext: { trigger.triggerGracefulShutdown() })
                .noted(in: journal, as: "shutdown").subscribe()
            defer { subscription.dispose() }
            trigger.triggerGracefulShutdown()
            await journal.has("shutdown completed")
        }
    }
}
