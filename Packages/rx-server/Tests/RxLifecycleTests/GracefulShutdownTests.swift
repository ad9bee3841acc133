import RxLifecycle
import ServiceLifecycleTestKit
import Testing

struct GracefulShutdownTests {
    @Test func itSendsOneElementAndCompletes() async {
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

    @Test func nothingComesBeforeTheShutdown() async {
        await testGracefulShutdown { _ in
            let journal = Journal()
            let subscription = Observable.gracefulShutdown().noted(in: journal, as: "shutdown").subscribe()
            // Tasks that were begun later have ended.
            for _ in 0..<100 { await Task {}.value }
            #expect(journal.lines == ["shutdown subscribed"])
            subscription.dispose()
        }
    }

    @Test func itCompletesACompletable() async throws {
        try await testGracefulShutdown { trigger in
            let end = Task { try await Completable.gracefulShutdown().value }
            trigger.triggerGracefulShutdown()
            try await end.value
        }
    }

    @Test func itEndsASource() async {
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

    @Test func afterTheShutdownItComesAtOnce() async throws {
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await Completable.gracefulShutdown().value
        }
    }

    /// What comes after the shutdown asks: a handler that was registered later has been called by then.
    @Test func disposedOfItSaysNothing() async {
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

    @Test func theHandlerMayAskAboutTheShutdown() async {
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
