import RxSwift
import TestSupport
import Testing

struct CompositeDisposableTests {
    private let log = Log()

    private func noting(_ name: Any) -> any Disposable {
        let log = log
        let name = "\(name)"
        return Disposables.create { log(name) }
    }

    @Test func disposesInOrderAndThenAtOnce() {
        let all = CompositeDisposable(noting(1), noting(2), noting(3))
        all.dispose()
        #expect(all.insert(noting("late")) == nil)
        #expect(log.text == "1 2 3 late" && all.isDisposed && all.count == 0)
    }

    @Test func twoAndSixMembersAreDisposedInOrder() {
        CompositeDisposable(noting(1), noting(2)).dispose()
        CompositeDisposable(noting(3), noting(4), noting(5), noting(6), noting(7), noting(8)).dispose()
        #expect(log.text == "1 2 3 4 5 6 7 8")
    }

    @Test func removesByKey() throws {
        let all = CompositeDisposable()
        let key = try #require(all.insert(noting(1)))
        _ = all.insert(noting(2))
        all.remove(for: key)
        all.remove(for: key)
        #expect(log.text == "1" && all.count == 1)
        all.dispose()
        all.remove(for: key)
        #expect(log.text == "1 2")
    }

    @Test func usedKeyRemovesNoOtherMember() throws {
        let all = CompositeDisposable()
        let key = try #require(all.insert(noting(1)))
        all.remove(for: key)
        _ = all.insert(noting(2))
        all.remove(for: key)
        #expect(log.take() == "1" && all.count == 1)
        all.dispose()
        #expect(log.text == "2")
    }

    @Test func keepsTheOrderOfInsertionThroughRemovals() throws {
        let all = CompositeDisposable()
        let keys = try (0..<100).map { try #require(all.insert(noting($0))) }
        for index in stride(from: 0, to: 100, by: 3) { all.remove(for: keys[index]) }
        for index in 100..<120 { _ = all.insert(noting(index)) }
        for index in stride(from: 1, to: 100, by: 3) { all.remove(for: keys[index]) }
        _ = log.take()
        all.dispose()
        let left = stride(from: 2, to: 100, by: 3).map { $0 } + Array(100..<120)
        #expect(log.text == left.map(String.init).joined(separator: " "))
    }

    @Test func memberInsertedDuringDisposalIsDisposedAtOnce() {
        let all = CompositeDisposable()
        _ = all.insert(noting(1))
        _ = all.insert(
            Disposables.create { [log] in
                _ = all.insert(Disposables.create { log("in") }); log("2")
            })
        _ = all.insert(noting(3))
        all.dispose()
        #expect(log.text == "1 in 2 3")
    }

    @Test func disposedMembersAreFreedAtEachDoubling() {
        let tracker = LifetimeTracker()
        let all = CompositeDisposable()
        for _ in 0..<10_000 {
            let disposable = SpentWithValue(tracker.make())
            _ = all.insert(disposable)
            disposable.isDisposed = true
        }
        #expect(tracker.live <= 32 && all.count == tracker.live)
    }

    @Test func sweepKeepsLiveMembers() {
        let all = CompositeDisposable()
        for index in 0..<1_000 {
            if index % 2 == 0 {
                _ = all.insert(noting(index))
            } else {
                _ = all.insert(BooleanDisposable(isDisposed: true))
            }
        }
        all.dispose()
        #expect(log.text == stride(from: 0, to: 1_000, by: 2).texts.joined(separator: " "))
    }

    @Test func sweepKeepsMembersThatAreNotCancelable() {
        let all = CompositeDisposable()
        for index in 0..<100 { _ = all.insert(Plain { [log] in log(index) }) }
        #expect(all.count == 100)
        all.dispose()
        #expect(log.entries == (0..<100).texts)
    }

    @Test func emptyDisposablesAreSwept() {
        let all = CompositeDisposable()
        for _ in 0..<1_000 { _ = all.insert(Disposables.create()) }
        #expect(all.count < 100)
        all.dispose()
    }

    @Test func asksOfEachWhetherItIsDisposedOnlyAFewTimes() {
        let (all, asked) = (CompositeDisposable(), Guarded(0))
        for _ in 0..<1_000 { _ = all.insert(AskedDisposable { asked.withLock { $0 += 1 } }) }
        #expect(asked.withLock { $0 } <= 4_000)
        all.dispose()
    }

    @Test(arguments: [false, true]) func fewDisposedMembersStayOnceManyAreRemoved(lastFirst: Bool) throws {
        let all = CompositeDisposable()
        let keys = try (0..<1_000).map { _ in try #require(all.insert(BooleanDisposable())) }
        for key in lastFirst ? keys.reversed() : keys { all.remove(for: key) }
        for _ in 0..<1_000 { _ = all.insert(BooleanDisposable(isDisposed: true)) }
        #expect(all.count <= 32)
    }

    @Test func isDisposedIsReadFewTimesDespiteInsertionsAndRemovals() throws {
        let (all, asked) = (CompositeDisposable(), Guarded(0))
        for _ in 0..<100 { _ = all.insert(AskedDisposable { asked.withLock { $0 += 1 } }) }
        for _ in 0..<1_000 { all.remove(for: try #require(all.insert(BooleanDisposable()))) }
        #expect(asked.withLock { $0 } <= 1_000)
        all.dispose()
    }

    @Test func insertionFromIsDisposedOfMemberIsAllowed() throws {
        let all = CompositeDisposable()
        try runOnThread {
            for _ in 0..<200 { _ = all.insert(AskedDisposable { _ = all.insert(BooleanDisposable()) }) }
        }
        #expect(all.count >= 200)
        // Breaks the cycle: the members retain `all`.
        all.dispose()
    }

    @Test func disposableRemovedDuringSweepIsSubtractedOnce() {
        let all = CompositeDisposable()
        var spent: CompositeDisposable.DisposeKey?
        _ = all.insert(AskedDisposable { if let spent { all.remove(for: spent) } })
        spent = all.insert(BooleanDisposable(isDisposed: true))
        for _ in 0..<14 { _ = all.insert(BooleanDisposable()) }
        #expect(all.count == 15)
        all.dispose()
    }

    @Test func disposesOfEachOnceUnderThreads() throws {
        for _ in 0..<50 {
            let all = CompositeDisposable()
            let counts = Counts(3_000)
            try runConcurrently(threads: 4) { thread in
                if thread == 3 {
                    for _ in 0..<200 { _ = all.count }
                    return all.dispose()
                }
                for index in 0..<1_000 {
                    let slot = thread * 1_000 + index
                    let key = all.insert(Disposables.create { counts.increment(slot) })
                    if index % 3 == 0, let key { all.remove(for: key) }
                }
            }
            #expect(counts.all(1))
        }
    }
}

private struct Plain: Disposable {
    let action: () -> Void

    func dispose() {
        action()
    }
}

private final class SpentWithValue: Cancelable {
    private let value: Any
    var isDisposed = false

    init(_ value: Any) {
        self.value = value
    }

    func dispose() {}
}

final class Counts: Sendable {
    private let counts: Guarded<[Int]>

    init(_ count: Int) {
        counts = Guarded(Array(repeating: 0, count: count))
    }

    func increment(_ index: Int) {
        counts.withLock { $0[index] += 1 }
    }

    func all(_ count: Int) -> Bool {
        counts.withLock { $0.allSatisfy { $0 == count } }
    }
}
