import RxSwift
import TestSupport
import Testing

struct DisposablesTests {
    @Test func callsItsClosureOnce() {
        let log = Log()
        let disposable = Disposables.create { log("x") }
        #expect(!disposable.isDisposed)
        disposable.dispose()
        disposable.dispose()
        #expect(disposable.isDisposed && log.text == "x")
    }

    @Test func freesItsClosureOnceDisposed() {
        let tracker = LifetimeTracker()
        let disposable = Disposables.create { [held = tracker.make()] in _ = held }
        disposable.dispose()
        withExtendedLifetime(disposable) { #expect(tracker.live == 0) }
    }

    @Test func callsItsClosureOnceUnderThreads() throws {
        for _ in 0..<500 {
            let calls = Log()
            let disposable = Disposables.create { calls("x") }
            try runConcurrently(threads: 2) { _ in disposable.dispose() }
            #expect(calls.text == "x")
        }
    }

    @Test(arguments: 0...5)
    func disposesOfAllInOrder(count: Int) {
        let log = Log()
        let disposable = Disposables.create((0..<count).map { index in Disposables.create { log(index) } })
        disposable.dispose()
        disposable.dispose()
        #expect(log.text == (0..<count).map(String.init).joined(separator: " "))
        #expect(disposable.isDisposed)
    }

    @Test func takesTwoThreeOrMore() {
        let log = Log()
        func noting(_ name: String) -> any Disposable { Disposables.create { log(name) } }
        Disposables.create(noting("a"), noting("b")).dispose()
        Disposables.create(noting("c"), noting("d"), noting("e")).dispose()
        Disposables.create(noting("f"), noting("g"), noting("h"), noting("i")).dispose()
        #expect(log.text == "a b c d e f g h i")
    }

    @Test func hasOneThatDoesNothing() {
        #expect("\(Disposables.create())" == "NopDisposable()")
    }

    /// A chain of every container in turn, on a stack that recursion would overflow.
    @Test func disposesOfADeepChainOnASmallStack() throws {
        let log = Log()
        try runOnThread(stackSize: 512 * 1024) {
            var chain: any Disposable = Disposables.create { log("end") }
            for level in 0..<100_000 {
                switch level % 5 {
                case 0: chain = Disposables.create(Disposables.create(), chain)
                case 1: chain = CompositeDisposable(disposables: [chain])
                case 2: chain = RefCountDisposable(disposable: chain)
                case 3:
                    let serial = SerialDisposable()
                    serial.disposable = chain
                    chain = serial
                default:
                    let single = SingleAssignmentDisposable()
                    single.setDisposable(chain)
                    chain = single
                }
            }
            chain.dispose()
        }
        #expect(log.text == "end")
    }

    @Test func disposesOfATreeDepthFirst() {
        let log = Log()
        func noting(_ name: String) -> any Disposable { Disposables.create { log(name) } }
        CompositeDisposable(
            noting("a"), Disposables.create(noting("b"), CompositeDisposable(noting("c"), noting("d"))), noting("e")
        ).dispose()
        #expect(log.text == "a b c d e")
    }
}
