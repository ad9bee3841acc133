import RxSwift
import TestSupport
import Testing

struct SerialDisposableTests {
    private let log = Log()

    private func noting(_ name: String) -> any Disposable {
        let log = log
        return Disposables.create { log(name) }
    }

    @Test func replacedDisposableIsDisposed() {
        let serial = SerialDisposable()
        serial.disposable = noting("1")
        serial.disposable = noting("2")
        #expect(log.text == "1" && !serial.isDisposed)
        serial.dispose()
        serial.dispose()
        #expect(log.text == "1 2" && serial.isDisposed)
    }

    @Test func disposesAtOnceOnceDisposed() {
        let serial = SerialDisposable()
        serial.dispose()
        serial.disposable = noting("late")
        #expect(log.text == "late")
        #expect("\(type(of: serial.disposable))" == "NopDisposable")
    }

    @Test func mayBeAssignedWhileItDisposes() {
        let serial = SerialDisposable()
        nonisolated(unsafe) let inner = noting("2")
        serial.disposable = Disposables.create { [log] in
            log("1")
            serial.disposable = inner
        }
        serial.disposable = noting("3")
        serial.dispose()
        #expect(log.text == "1 3 2")
    }

    @Test func disposalFreesInnerDisposable() {
        weak var seen: CompositeDisposable?
        let serial = SerialDisposable()
        do {
            let inner = CompositeDisposable()
            seen = inner
            serial.disposable = inner
        }
        serial.dispose()
        withExtendedLifetime(serial) { #expect(seen == nil) }
    }

    @Test func disposesOfEachOnceUnderThreads() throws {
        for _ in 0..<100 {
            let serial = SerialDisposable()
            let counts = Counts(300)
            try runConcurrently(threads: 4) { thread in
                if thread == 3 { return serial.dispose() }
                for index in 0..<100 {
                    serial.disposable = Disposables.create { counts.increment(thread * 100 + index) }
                }
            }
            #expect(counts.all(1))
        }
    }
}
