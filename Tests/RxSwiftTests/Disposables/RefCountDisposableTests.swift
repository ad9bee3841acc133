import RxSwift
import TestSupport
import Testing

struct RefCountDisposableTests {
    private let log = Log()

    private func make() -> RefCountDisposable {
        RefCountDisposable(disposable: Disposables.create { [log] in log("x") })
    }

    @Test func disposalWaitsForRetainedHandles() {
        let counted = make()
        let first = counted.retain()
        let second = counted.retain()
        counted.dispose()
        first.dispose()
        first.dispose()
        #expect(log.text.isEmpty && !counted.isDisposed)
        second.dispose()
        #expect(log.text == "x" && counted.isDisposed)
    }

    @Test func waitsForItself() {
        let counted = make()
        counted.retain().dispose()
        #expect(log.text.isEmpty)
        counted.dispose()
        counted.dispose()
        #expect(log.text == "x")
    }

    @Test func disposalWaitsForHandleRetainedAfterIt() {
        let counted = make()
        let first = counted.retain()
        counted.dispose()
        let second = counted.retain()
        first.dispose()
        #expect(log.text.isEmpty && !counted.isDisposed)
        second.dispose()
        #expect(log.text == "x" && counted.isDisposed)
    }

    @Test func retainsNothingOnceDisposed() {
        let counted = make()
        counted.dispose()
        #expect("\(counted.retain())" == "NopDisposable()")
    }

    @Test func disposalFreesInnerDisposable() {
        weak var seen: CompositeDisposable?
        func make() -> RefCountDisposable {
            let inner = CompositeDisposable()
            seen = inner
            return RefCountDisposable(disposable: inner)
        }
        let counted = make()
        counted.dispose()
        withExtendedLifetime(counted) { #expect(seen == nil) }
    }

    @Test func disposesOnceUnderThreads() throws {
        for _ in 0..<200 {
            let counts = Counts(1)
            let counted = RefCountDisposable(disposable: Disposables.create { counts.increment(0) })
            try runConcurrently(threads: 4) { thread in
                if thread == 0 { return counted.dispose() }
                for _ in 0..<20 { counted.retain().dispose() }
            }
            #expect(counts.all(1))
        }
    }
}
