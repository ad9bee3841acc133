import RxLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

struct RaceTests {
    private enum Way: CaseIterable {
        case completes, fails, shutsDown, isCancelled
    }

    @Test func racingEndsEndRunOnce() async {
        for round in 0..<200 {
            await testGracefulShutdown { trigger in
                let (journal, orders) = (Journal(), PublishSubject<Int>())
                let reports = Mutex(0)
                let disposals = Mutex(0)
                let service = RxService(
                    "orders", drain: .milliseconds(2), onStopped: { _ in reports.withLock { $0 += 1 } }
                ) { drain in
                    orders.until(drain).flatMap { _ in Observable<Int>.never().counted(by: drain) }
                        .do(
                            onSubscribed: { journal.note("subscribed") },
                            onDispose: { disposals.withLock { $0 += 1 } })
                }
                let run = Task { try await service.run() }
                // In every fourth round, the run may end before it has subscribed.
                if round % 4 != 0 { await journal.has("subscribed") }
                await withTaskGroup { group in
                    for way in Way.allCases {
                        group.addTask {
                            switch way {
                            case .completes: orders.onCompleted()
                            case .fails: orders.onError(Declined())
                            case .shutsDown: trigger.triggerGracefulShutdown()
                            case .isCancelled: run.cancel()
                            }
                        }
                    }
                    group.addTask { orders.onNext(1) }
                }
                // Resuming the run's continuation twice would stop the process.
                _ = await run.result
                #expect(!orders.hasObservers)
                #expect(reports.withLock { $0 } <= 1)
                #expect(disposals.withLock { $0 } <= 1)
            }
        }
    }
}
