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
        #expect(log.text == (0..<count).texts.joined(separator: " "))
        #expect(disposable.isDisposed)
    }

    @Test func createDisposesTwoThreeOrFourMembersInOrder() {
        let log = Log()
        func noting(_ name: String) -> any Disposable { Disposables.create { log(name) } }
        Disposables.create(noting("a"), noting("b")).dispose()
        Disposables.create(noting("c"), noting("d"), noting("e")).dispose()
        Disposables.create(noting("f"), noting("g"), noting("h"), noting("i")).dispose()
        #expect(log.text == "a b c d e f g h i")
    }

    @Test func createDisposesEachMemberOnce() {
        let log = Log()
        Disposables.create(Forgetful("a", log), Forgetful("b", log)).dispose()
        Disposables.create(Forgetful("c", log), Forgetful("d", log), Forgetful("e", log)).dispose()
        Disposables.create((0..<2).map { Forgetful("\($0)", log) }).dispose()
        #expect(log.text == "a b c d e 0 1")
    }

    private final class Forgetful: Disposable {
        private let name: String
        private let log: Log

        init(_ name: String, _ log: Log) {
            self.name = name
            self.log = log
        }

        func dispose() {
            log(name)
        }
    }

    @Test func disposedPairFreesMembers() {
        weak var first: CompositeDisposable?
        weak var second: CompositeDisposable?
        func make() -> any Disposable {
            let (one, other) = (CompositeDisposable(), CompositeDisposable())
            first = one
            second = other
            return Disposables.create(one, other)
        }
        let both = make()
        both.dispose()
        withExtendedLifetime(both) { #expect(first == nil && second == nil) }
    }

    @Test func createWithoutClosureReturnsNopDisposable() {
        #expect("\(Disposables.create())" == "NopDisposable()")
    }

    /// Returns 100,000 nested disposables of one kind, or of all kinds in turn. `end` is the innermost one.
    private func deepChain(of kind: Int? = nil, to end: any Disposable) -> any Disposable {
        var chain = end
        for level in 0..<100_000 {
            switch kind ?? level % 7 {
            case 0: chain = Disposables.create(Disposables.create(), chain)
            case 1: chain = CompositeDisposable(disposables: [Disposables.create(), chain])
            case 2: chain = RefCountDisposable(disposable: chain)
            case 3:
                let counted = RefCountDisposable(disposable: chain)
                chain = counted.retain()
                counted.dispose()
            case 4:
                let serial = SerialDisposable()
                serial.disposable = chain
                chain = serial
            case 5: chain = ScheduledDisposable(scheduler: CurrentThreadScheduler.instance, disposable: chain)
            default:
                let single = SingleAssignmentDisposable()
                single.setDisposable(chain)
                chain = single
            }
        }
        return chain
    }

    @Test(arguments: Ending.allCases) func deepMixedChainIsFreedOnSmallStack(ending: Ending) throws {
        let (log, tracker) = (Log(), LifetimeTracker())
        try runOnThread(stackSize: 512 << 10) {
            let chain = deepChain(to: Disposables.create { [captured = tracker.make()] in log("end \(captured)") })
            switch ending {
            case .disposed: chain.dispose()
            case .dropped: break
            case .bagged: chain.disposed(by: DisposeBag())
            case .droppedByThreads: try? runConcurrently(threads: 2) { [chain] _ in withExtendedLifetime(chain) {} }
            }
        }
        #expect(log.text == (ending == .disposed || ending == .bagged ? "end 0" : ""))
        #expect(tracker.live == 0)
    }

    @Test(arguments: 0..<7) func deepUniformChainIsFreedOnSmallStack(kind: Int) throws {
        let (log, tracker) = (Log(), LifetimeTracker())
        try runOnThread(stackSize: 512 << 10) {
            _ = deepChain(of: kind, to: Disposables.create { [captured = tracker.make()] in log("end \(captured)") })
        }
        #expect(log.text == "" && tracker.live == 0)
    }

    enum Ending: CaseIterable {
        case disposed, dropped, bagged, droppedByThreads
    }

    @Test func disposableWithOtherOwnerSurvivesItsContainer() {
        let log = Log()
        let inner = CompositeDisposable(disposables: [Disposables.create { log("inner") }])
        _ = CompositeDisposable(disposables: [inner])
        #expect(!inner.isDisposed && inner.count == 1)
        inner.dispose()
        #expect(log.text == "inner")
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
