import Dispatch
import RxSwift
import TestSupport
import Testing

struct DisposeBagTests {
    private let log = Log()

    private func noting(_ name: Any) -> any Disposable {
        let log = log
        let name = "\(name)"
        return Disposables.create { log(name) }
    }

    @Test func releasedBagDisposesMembersInOrder() {
        var bag: DisposeBag? = DisposeBag()
        for index in 0..<40 { noting(index).disposed(by: bag!) }
        #expect(log.text.isEmpty)
        bag = nil
        #expect(log.text == (0..<40).texts.joined(separator: " "))
    }

    @Test func isGoneWhileItDisposes() {
        var bag: DisposeBag? = DisposeBag()
        weak let seen = bag
        bag!.insert(Disposables.create { [log, weak bag] in log("\(bag == nil)") })
        bag = nil
        #expect(log.text == "true" && seen == nil)
    }

    @Test func hasBuilderForms() {
        func use() {
            _ = DisposeBag {
                noting(1)
                noting(2)
            }
            _ = DisposeBag(disposing: noting(3), noting(4))
            _ = DisposeBag(disposing: [noting(5), noting(6)])
            let bag = DisposeBag()
            bag.insert(noting(7), noting(8))
            bag.insert([noting(9)])
            bag.insert {
                noting(10)
                noting(11)
            }
        }
        use()
        #expect(log.text == "1 2 3 4 5 6 7 8 9 10 11")
    }

    @Test func disposedMembersAreFreedAtEachDoubling() {
        let tracker = LifetimeTracker()
        let bag = DisposeBag()
        for _ in 0..<10_000 {
            let disposable = SerialDisposable()
            disposable.disposable = Holding(tracker.make())
            let outer = CompositeDisposable(disposables: [disposable, Holding(tracker.make())])
            bag.insert(outer)
            outer.dispose()
        }
        #expect(tracker.live == 0)
        withExtendedLifetime(bag) {}
    }

    @Test func sweepHappensAtTwiceTheLiveCount() {
        let (tracker, bag) = (LifetimeTracker(), DisposeBag())
        var living = (0..<16).map { Holding(tracker.make($0)) }
        living.forEach(bag.insert)
        living.forEach { $0.dispose() }
        living = []
        for index in 0..<15 { bag.insert(noting(index)) }
        #expect(tracker.live == 16)
        bag.insert(noting("last"))
        withExtendedLifetime(bag) { #expect(tracker.live == 0) }
    }

    @Test func sweepsForeignDisposables() {
        let tracker = LifetimeTracker()
        let bag = DisposeBag()
        for _ in 0..<10_000 { bag.insert(Holding(tracker.make(), isDisposed: true)) }
        withExtendedLifetime(bag) { #expect(tracker.live <= 32) }
    }

    @Test func sweepsValuesThatHaveNothingToDisposeOf() {
        struct Spent: Disposable {
            let held: LifetimeTracker.Tracked
            var _isSpent: Bool { true }

            func dispose() {}
        }
        let (tracker, bag) = (LifetimeTracker(), DisposeBag())
        for _ in 0..<1_000 { bag.insert(Spent(held: tracker.make())) }
        withExtendedLifetime(bag) { #expect(tracker.live <= 32) }
    }

    @Test func fewDisposedMembersStayOnceManyAreDisposedOf() {
        let (tracker, bag) = (LifetimeTracker(), DisposeBag())
        let many = (0..<1_000).map { Holding(tracker.make($0)) }
        many.forEach(bag.insert)
        many.forEach { $0.dispose() }
        for _ in 0..<10_000 { bag.insert(Holding(tracker.make(), isDisposed: true)) }
        withExtendedLifetime((bag, many)) { #expect(tracker.live <= 1_032) }
    }

    @Test func largeBagFreesDisposedMembersAmongLiveOnes() {
        let (tracker, bag) = (LifetimeTracker(), DisposeBag())
        for index in 0..<3_000 { bag.insert(noting(index)) }
        for _ in 0..<50_000 { bag.insert(Holding(tracker.make(), isDisposed: true)) }
        withExtendedLifetime(bag) { #expect(tracker.live <= 3_100) }
    }

    /// The bag sweeps each time its size has doubled, so at most half of the disposed members are left.
    @Test(arguments: [2, 8, 25]) func largeBagFreesDisposedMembersAtAnyRatio(_ period: Int) {
        let (tracker, bag) = (LifetimeTracker(), DisposeBag())
        for index in 0..<50_000 {
            bag.insert(index % period == 0 ? Holding(tracker.make(), isDisposed: true) : BooleanDisposable())
        }
        withExtendedLifetime(bag) { #expect(tracker.live <= 50_000 / period / 2 + 16) }
    }

    @Test func smallBagReadsIsDisposedOfEachMemberOnce() {
        let bag = DisposeBag()
        var asked = 0
        for _ in 0..<16 { bag.insert(AskedDisposable { asked += 1 }) }
        withExtendedLifetime(bag) { #expect(asked == 16) }
    }

    /// A group can skip the size at which the bag sweeps.
    @Test(arguments: [2, 3]) func membersInsertedInGroupsAreSwept(_ count: Int) {
        let tracker = LifetimeTracker()
        let bag = DisposeBag()
        for _ in 0..<1_000 {
            let some: [any Disposable] = (0..<count).map { Holding(tracker.make($0), isDisposed: true) }
            bag.insert(some)
        }
        withExtendedLifetime(bag) { #expect(tracker.live <= 32) }
    }

    @Test func sweepKeepsLiveMembers() {
        var bag: DisposeBag? = DisposeBag()
        for index in 0..<1_000 { bag!.insert(index % 2 == 0 ? noting(index) : BooleanDisposable(isDisposed: true)) }
        bag = nil
        #expect(log.text == stride(from: 0, to: 1_000, by: 2).texts.joined(separator: " "))
    }

    @Test func insertionDuringSweepIsAppended() {
        var bag: DisposeBag? = DisposeBag()
        let late = noting("late")
        bag!.insert(AskedDisposable { [weak bag] in bag?.insert(late) })
        // The sixteenth insertion triggers a sweep.
        for index in 0..<15 { bag!.insert(noting(index)) }
        bag = nil
        #expect(log.entries == (0..<15).map { "\($0)" } + ["late"])
    }

    /// While thread 0 sweeps, thread 1 must not begin a second sweep.
    @Test func insertionByAnotherThreadDuringSweepIsAppended() throws {
        var bag: DisposeBag? = DisposeBag()
        let (isAsking, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasSwept = DispatchSemaphore(value: 0)
        try runConcurrently(threads: 2) { [weak bag] thread in
            guard let bag else { return }
            if thread == 0 {
                bag.insert(
                    AskedDisposable {
                        isAsking.signal()
                        goOn.wait()
                    })
                for index in 0..<15 { bag.insert(noting(index)) }
                hasSwept.signal()
            } else {
                isAsking.wait()
                for index in 15..<25 { bag.insert(noting(index)) }
                // This closure runs only if thread 1 sweeps.
                bag.insert(
                    AskedDisposable {
                        goOn.signal()
                        hasSwept.wait()
                    })
                for index in 25..<30 { bag.insert(noting(index)) }
                goOn.signal()
            }
        }
        bag = nil
        #expect(log.text == (0..<30).texts.joined(separator: " "))
    }

    @Test func sharedClosureDisposableIsCalledOnce() throws {
        var bag: DisposeBag? = DisposeBag()
        let known = try #require(noting("known") as? any Cancelable)
        known.disposed(by: bag!)
        bag = nil
        #expect(known.isDisposed)
        known.dispose()
        #expect(log.text == "known")
    }

    @Test func disposedClosureHeldByBagIsNotCalledAgain() {
        var bag: DisposeBag? = DisposeBag()
        func insert() {
            let disposable = noting("once")
            disposable.disposed(by: bag!)
            disposable.dispose()
        }
        insert()
        bag = nil
        #expect(log.text == "once")
    }

    @Test func closureWithWeakReferenceSeesIsDisposed() {
        final class Known: @unchecked Sendable {  // the test uses it on one thread
            weak var disposable: (any Cancelable & AnyObject)?
        }
        let known = Known()
        var bag: DisposeBag? = DisposeBag()
        func insert() {
            let disposable = Disposables.create { [log, known] in log("\(known.disposable?.isDisposed ?? false)") }
            known.disposable = (disposable as AnyObject) as? any Cancelable & AnyObject
            disposable.disposed(by: bag!)
        }
        insert()
        bag = nil
        #expect(log.text == "true")
    }

    @Test func closureWithUnownedReferenceIsCalledOnce() {
        final class Known {
            unowned let disposable: any Cancelable & AnyObject

            init(_ disposable: any Cancelable & AnyObject) {
                self.disposable = disposable
            }
        }
        var bag: DisposeBag? = DisposeBag()
        nonisolated(unsafe) var known: Known?
        func insert() {
            let disposable = Disposables.create { [log] in
                log("\(known?.disposable.isDisposed ?? false)")
                known?.disposable.dispose()
            }
            known = ((disposable as AnyObject) as? any Cancelable & AnyObject).map(Known.init)
            disposable.disposed(by: bag!)
        }
        insert()
        bag = nil
        #expect(log.text == "true")
    }

    @Test func aClosureIsFreedOnceTheBagHasCalledIt() {
        let tracker = LifetimeTracker()
        var bag: DisposeBag? = DisposeBag()
        for index in 0..<3 {
            let held = tracker.make()
            bag!.insert(Disposables.create { [log, held] in withExtendedLifetime(held) { log("\(index)") } })
        }
        #expect(tracker.live == 3)
        bag!.insert(Disposables.create { [log] in log("\(tracker.live)") })
        bag = nil
        #expect(log.text == "0 1 2 0" && tracker.live == 0)
    }

    @Test func disposesOfEachOnceUnderThreads() throws {
        for _ in 0..<50 {
            let counts = Counts(4_000)
            var bag: DisposeBag? = DisposeBag()
            // The thread that releases the bag last disposes of its members.
            let handOut = (0..<4).map { _ in Box(bag!) }
            bag = nil
            try runConcurrently(threads: 4) { thread in
                for index in 0..<1_000 {
                    let disposable = Disposables.create { counts.increment(thread * 1_000 + index) }
                    handOut[thread].bag!.insert(disposable)
                    if index % 2 == 0 { disposable.dispose() }
                }
                handOut[thread].bag = nil
            }
            #expect(counts.all(1))
        }
    }

    @Test func disposableDisposedDuringBagDeinitIsDisposedOnce() throws {
        for _ in 0..<200 {
            let counts = Counts(200)
            let bag = Box(DisposeBag())
            let known = Known((0..<200).map { index in Disposables.create { counts.increment(index) } })
            for disposable in known.disposables { bag.bag!.insert(disposable) }
            try runConcurrently(threads: 2) { thread in
                if thread == 0 {
                    bag.bag = nil
                } else {
                    while let disposable = known.disposables.popLast() { disposable.dispose() }
                }
            }
            #expect(counts.all(1))
        }
    }

    @Test func holdsOneHundredThousand() throws {
        let counts = Counts(1)
        try runOnThread(stackSize: 512 * 1024) {
            let bag = DisposeBag()
            for _ in 0..<100_000 { bag.insert(Disposables.create(with: {})) }
            bag.insert(Disposables.create { counts.increment(0) })
        }
        #expect(counts.all(1))
    }
}

private final class Box {
    var bag: DisposeBag?

    init(_ bag: DisposeBag) {
        self.bag = bag
    }
}

private final class Known {
    var disposables: [any Cancelable]

    init(_ disposables: [any Cancelable]) {
        self.disposables = disposables
    }
}

private final class Holding: Cancelable {
    private let value: Any
    private(set) var isDisposed: Bool

    init(_ value: Any, isDisposed: Bool = false) {
        self.value = value
        self.isDisposed = isDisposed
    }

    func dispose() {
        isDisposed = true
    }
}
