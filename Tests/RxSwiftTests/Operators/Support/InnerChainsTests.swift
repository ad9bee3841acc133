import TestSupport
import Testing

@testable import RxSwift

struct InnerChainsTests {
    private let innerChains = InnerChains()
    private let log = Log()

    private func inner(_ name: String) -> InnerLifetime {
        let inner = InnerLifetime()
        inner.adopt(Disposables.create { [log] in log(name) })
        return inner
    }

    @Test func disposesThemInOrderOfSubscription() {
        ["a", "b", "c"].map(inner).forEach { innerChains.insert($0) }
        innerChains.dispose(key: nil)
        #expect(log.text == "a b c")
    }

    @Test(arguments: [(0, "a b c"), (1, "b a c"), (2, "c a b")]) func disposingOneChainKeepsOthers(
        index: Int, order: String
    ) {
        let all = ["a", "b", "c"].map(inner)
        for inner in all { innerChains.insert(inner) }
        innerChains.dispose(all[index])
        innerChains.dispose(key: nil)
        #expect(log.text == order)
    }

    @Test func chainInsertedAfterLastDisposalIsDisposed() {
        let first = inner("a")
        innerChains.insert(first)
        innerChains.dispose(first)
        innerChains.insert(inner("b"))
        innerChains.dispose(key: nil)
        #expect(log.text == "a b")
    }

    @Test func chainInsertedAfterDisposalIsDisposed() {
        innerChains.dispose(key: nil)
        innerChains.insert(inner("late"))
        #expect(log.text == "late")
    }

    @Test func chainHaltedWhileSubscribingIsDisposed() {
        let inner = InnerLifetime(subscribing: ())
        inner.adopt(Disposables.create { [log] in log("torn") })
        innerChains.insert(inner)
        innerChains.halt()
        #expect(log.text == "")
        innerChains.dispose(inner)
        #expect(log.text == "torn")
        inner.hasBeenSubscribed()
    }

    @Test(arguments: [true, false]) func chainEndedWhileSubscribingDisposesItself(isHaltedThen: Bool) {
        let inner = InnerLifetime(subscribing: ())
        inner.adopt(Disposables.create { [log] in log("torn") })
        innerChains.insert(inner)
        inner.end { [log, innerChains] disposesItself in
            if isHaltedThen { innerChains.halt() }
            innerChains.dispose(key: nil)
            log("\(disposesItself) ended")
            if disposesItself { inner.dispose() }
        }
        #expect(log.text == "true ended torn")
    }

    @Test func disposingOneTwiceIsHarmless() {
        let all = ["a", "b"].map(inner)
        for inner in all { innerChains.insert(inner) }
        innerChains.dispose(all[0])
        innerChains.dispose(all[0])
        innerChains.dispose(key: nil)
        #expect(log.text == "a b")
    }

    @Test func chainMayDisposeOthersDuringDisposal() {
        let all = ["a", "b"].map(inner)
        nonisolated(unsafe) let innerChains = innerChains
        all[0].adopt(Disposables.create { innerChains.dispose(all[1]) })
        for inner in all { innerChains.insert(inner) }
        innerChains.dispose(key: nil)
        #expect(log.text == "a b")
    }

    @Test func releasedListFreesItsChains() {
        weak var forgotten: InnerLifetime?
        do {
            let innerChains = InnerChains()
            let inner = InnerLifetime()
            forgotten = inner
            innerChains.insert(inner)
        }
        #expect(forgotten == nil)
    }

    @Test func freesALongListOnASmallStack() throws {
        try runOnThread(stackSize: 512 << 10) {
            let innerChains = InnerChains()
            for _ in 0..<100_000 { innerChains.insert(InnerLifetime()) }
        }
    }

    @Test func threadsThatInsertAndDisposeLoseNone() throws {
        for _ in 0..<300 {
            let (innerChains, log) = (InnerChains(), Log())
            try runConcurrently(threads: 4) { index in
                if index == 0 { return innerChains.dispose(key: nil) }
                for _ in 0..<20 {
                    let inner = InnerLifetime()
                    inner.adopt(Disposables.create { log("disposed") })
                    innerChains.insert(inner)
                    if index == 1 { innerChains.dispose(inner) }
                }
            }
            #expect(log.entries.count == 60)
        }
    }

    @Test func chainDisposedAloneIsFreed() {
        weak var forgotten: InnerLifetime?
        innerChains.insert(inner("a"))
        do {
            let inner = inner("b")
            forgotten = inner
            innerChains.insert(inner)
            innerChains.dispose(inner)
        }
        #expect(forgotten == nil)
    }

    @Test func haltReachesPresentAndLaterChainsAndDisposesNone() {
        let all = ["a", "b"].map(inner)
        innerChains.insert(all[0])
        innerChains.halt()
        innerChains.insert(all[1])
        #expect(all.map { $0.stop() } == [false, false])
        #expect(log.text == "")
        innerChains.dispose(key: nil)
        #expect(log.text == "a b")
    }

    /// Swift may hold a task's lock during a halt, so the halt must not free the user's objects.
    @Test(arguments: 0...2) func chainsDisposedDuringHaltAreFreedAfterIt(by index: Int) {
        let tracker = LifetimeTracker()
        do {
            let innerChains = InnerChains()
            for number in 0...2 {
                let inner = InnerLifetime()
                inner.feed(
                    from: HaltedSource(holding: tracker.make()) { [unowned innerChains] in
                        if number == index { innerChains.dispose(key: nil) }
                    })
                innerChains.insert(inner)
            }
            innerChains.halt()
            #expect(tracker.live == 1)
        }
        #expect(tracker.live == 0)
    }

    @Test func chainDisposedAloneAfterHaltKeepsItsPlace() {
        let all = ["a", "b"].map(inner)
        for inner in all { innerChains.insert(inner) }
        innerChains.halt()
        innerChains.dispose(all[0])
        innerChains.insert(inner("c"))
        innerChains.dispose(key: nil)
        #expect(log.text == "a b c")
    }

    @Test func threadsThatHaltAtOnceHaltAll() throws {
        for _ in 0..<300 {
            let (innerChains, all) = (InnerChains(), (0..<20).map { _ in InnerLifetime() })
            for inner in all { innerChains.insert(inner) }
            try runConcurrently(threads: 3) { _ in innerChains.halt() }
            #expect(all.allSatisfy { !$0.stop() })
        }
    }

    @Test func disposalSkipsChainThatDisposesItself() {
        let inner = InnerLifetime(subscribing: ())
        inner.adopt(Disposables.create { [log] in log("torn") })
        innerChains.insert(inner)
        inner.end { disposesItself in
            #expect(disposesItself)
            innerChains.dispose(key: nil)
            #expect(log.text == "")
        }
        inner.dispose()
        #expect(log.text == "torn")
    }

    @Test func disposalIncludesChainBeingSubscribed() {
        let inner = InnerLifetime(subscribing: ())
        inner.adopt(Disposables.create { [log] in log("torn") })
        innerChains.insert(inner)
        innerChains.dispose(key: nil)
        #expect(log.text == "torn")
    }

    @Test func endedChainAlreadySubscribedIsDisposed() {
        let inner = InnerLifetime(subscribing: ())
        inner.adopt(Disposables.create { [log] in log("torn") })
        innerChains.insert(inner)
        inner.hasBeenSubscribed()
        inner.end { disposesItself in
            #expect(!disposesItself)
            innerChains.dispose(inner)
        }
        #expect(log.text == "torn")
    }

    @Test func disposingOneOfTheMiddleTwiceLosesNoneBehindIt() {
        let all = ["a", "b", "c"].map(inner)
        for inner in all { innerChains.insert(inner) }
        for _ in 0..<2 { innerChains.dispose(all[1]) }
        innerChains.insert(inner("d"))
        innerChains.dispose(key: nil)
        #expect(log.text == "b a c d")
    }

    @Test func firstChainDisposedAloneIsFreed() {
        weak var forgotten: InnerLifetime?
        do {
            let inner = inner("a")
            forgotten = inner
            innerChains.insert(inner)
            innerChains.insert(self.inner("b"))
            innerChains.dispose(inner)
        }
        #expect(forgotten == nil)
        innerChains.dispose(key: nil)
    }
}
