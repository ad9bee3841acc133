import RxSwift
import TestSupport
import Testing

struct SingleAssignmentDisposableTests {
    private let log = Log()

    @Test func disposalDisposesInnerDisposableOnce() {
        let single = SingleAssignmentDisposable()
        single.setDisposable(Disposables.create { [log] in log("x") })
        #expect(!single.isDisposed && log.text.isEmpty)
        single.dispose()
        single.dispose()
        #expect(single.isDisposed && log.text == "x")
    }

    @Test func disposesAtOnceOnceDisposed() {
        let single = SingleAssignmentDisposable()
        single.dispose()
        single.setDisposable(Disposables.create { [log] in log("late") })
        #expect(log.text == "late")
    }

    @Test func disposalFreesClosure() {
        let tracker = LifetimeTracker()
        let single = SingleAssignmentDisposable()
        single.setDisposable(Disposables.create { [held = tracker.make()] in _ = held })
        single.dispose()
        withExtendedLifetime(single) { #expect(tracker.live == 0) }
    }

    @Test func disposalFreesInnerDisposable() {
        weak var seen: CompositeDisposable?
        let single = SingleAssignmentDisposable()
        do {
            let inner = CompositeDisposable()
            seen = inner
            single.setDisposable(inner)
        }
        single.dispose()
        withExtendedLifetime(single) { #expect(seen == nil) }
    }

    @Test func disposableAssignedAfterDisposalIsFreed() {
        weak var seen: CompositeDisposable?
        let single = SingleAssignmentDisposable()
        single.dispose()
        do {
            let inner = CompositeDisposable()
            seen = inner
            single.setDisposable(inner)
        }
        withExtendedLifetime(single) { #expect(seen == nil) }
    }

    @Test func stopsAtASecondAssignment() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let single = SingleAssignmentDisposable()
            single.setDisposable(Disposables.create())
            single.setDisposable(Disposables.create())
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("oldState.disposable != nil"))
    }

    @Test func disposesOnceUnderThreads() throws {
        for _ in 0..<500 {
            let single = SingleAssignmentDisposable()
            let counts = Counts(1)
            try runConcurrently(threads: 3) { thread in
                if thread == 0 {
                    single.setDisposable(Disposables.create { counts.increment(0) })
                } else {
                    single.dispose()
                }
            }
            #expect(counts.all(1))
        }
    }
}
