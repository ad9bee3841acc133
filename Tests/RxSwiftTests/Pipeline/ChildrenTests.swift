import TestSupport
import Testing

@testable import RxSwift

struct ChildrenTests {
    private let children = Children()
    private let log = Log()

    /// A child that notes its disposal.
    private func child(_ name: String) -> ChildDisposer {
        let child = ChildDisposer()
        child.adopt(Disposables.create { [log] in log(name) })
        return child
    }

    @Test func disposesThemInOrderOfSubscription() {
        ["a", "b", "c"].map(child).forEach(children.insert)
        children.dispose(key: nil)
        #expect(log.text == "a b c")
    }

    @Test(arguments: [(0, "a b c"), (1, "b a c"), (2, "c a b")]) func disposesOneAndKeepsTheOthers(
        index: Int, order: String
    ) {
        let all = ["a", "b", "c"].map(child)
        all.forEach(children.insert)
        children.dispose(all[index])
        children.dispose(key: nil)
        #expect(log.text == order)
    }

    @Test func takesOneAgainAfterTheLastHasGone() {
        let first = child("a")
        children.insert(first)
        children.dispose(first)
        children.insert(child("b"))
        children.dispose(key: nil)
        #expect(log.text == "a b")
    }

    @Test func disposesOneThatComesLate() {
        children.dispose(key: nil)
        children.insert(child("late"))
        #expect(log.text == "late")
    }

    @Test func disposingOneTwiceIsHarmless() {
        let all = ["a", "b"].map(child)
        all.forEach(children.insert)
        children.dispose(all[0])
        children.dispose(all[0])
        children.dispose(key: nil)
        #expect(log.text == "a b")
    }

    @Test func oneMayDisposeTheOthers() {
        let all = ["a", "b"].map(child)
        all[0].adopt(Disposables.create { [children] in children.dispose(all[1]) })
        all.forEach(children.insert)
        children.dispose(key: nil)
        #expect(log.text == "a b")
    }

    @Test func letsThemGoWithItself() {
        weak var forgotten: ChildDisposer?
        do {
            let children = Children()
            let child = ChildDisposer()
            forgotten = child
            children.insert(child)
        }
        #expect(forgotten == nil)
    }

    @Test func freesALongListOnASmallStack() throws {
        try runOnThread(stackSize: 512 << 10) {
            let children = Children()
            for _ in 0..<100_000 { children.insert(ChildDisposer()) }
        }
    }

    @Test func threadsThatInsertAndDisposeLoseNone() throws {
        for _ in 0..<300 {
            let (children, log) = (Children(), Log())
            try runConcurrently(threads: 4) { index in
                if index == 0 { return children.dispose(key: nil) }
                for _ in 0..<20 {
                    let child = ChildDisposer()
                    child.adopt(Disposables.create { log("disposed") })
                    children.insert(child)
                    if index == 1 { children.dispose(child) }
                }
            }
            #expect(log.entries.count == 60)
        }
    }

    @Test func forgetsOneThatIsDisposedAlone() {
        weak var forgotten: ChildDisposer?
        children.insert(child("a"))
        do {
            let child = child("b")
            forgotten = child
            children.insert(child)
            children.dispose(child)
        }
        #expect(forgotten == nil)
    }

    @Test func haltsThemAndThoseThatComeLaterAndDisposesNone() {
        let all = ["a", "b"].map(child)
        children.insert(all[0])
        children.halt()
        children.insert(all[1])
        #expect(all.map { $0.stop() } == [false, false])
        #expect(log.text == "")
        children.dispose(key: nil)
        #expect(log.text == "a b")
    }

    @Test func leavesOneThatEndsWhileItIsSubscribedToItself() {
        let child = ChildDisposer(subscribing: ())
        child.adopt(Disposables.create { [log] in log("torn") })
        children.insert(child)
        child.end { disposesItself in
            #expect(disposesItself)
            children.dispose(key: nil)
            #expect(log.text == "")
        }
        child.dispose()
        #expect(log.text == "torn")
    }

    @Test func disposesOneThatIsBeingSubscribedAndHasNotEnded() {
        let child = ChildDisposer(subscribing: ())
        child.adopt(Disposables.create { [log] in log("torn") })
        children.insert(child)
        children.dispose(key: nil)
        #expect(log.text == "torn")
    }

    @Test func disposesOneThatHasEndedAndWasSubscribedBefore() {
        let child = ChildDisposer(subscribing: ())
        child.adopt(Disposables.create { [log] in log("torn") })
        children.insert(child)
        child.hasBeenSubscribed()
        child.end { disposesItself in
            #expect(!disposesItself)
            children.dispose(child)
        }
        #expect(log.text == "torn")
    }
}
