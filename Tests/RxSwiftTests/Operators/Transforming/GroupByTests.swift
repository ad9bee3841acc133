@testable import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct GroupByTests {
    @Test func elementsGoToTheGroupOfTheirKey() {
        let result = outcome("--123-|") { source in
            source.groupBy { $0 % 2 }.flatMap { group in group.map { "\(group.key)/\($0)" } }
        }
        result.expect("--abc-|", values: ["a": "1/1", "b": "0/2", "c": "1/3"], subscribed: "^-----!")
    }

    @Test func anErrorOfTheSelectorEndsTheGroupsAndThenTheSequence() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.groupBy { try passing($0, unless: 3, $0 % 2) }.subscribe(
            onNext: { group in _ = group.subscribe(onError: { _ in log("\(group.key)!") }) }, onError: { log("!\($0)") }
        )
        defer { subscription.dispose() }
        for element in 1...4 { source.onNext(element) }
        #expect(log.text == "1! 0! !b")
        #expect(!source.hasObservers)
    }

    @Test func groupsEndInTheOrderOfTheirMakingBeforeTheSequence() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.groupBy { $0 }.subscribe(
            onNext: { group in _ = group.subscribe(onCompleted: { log(group.key) }) }, onCompleted: { log("|") })
        defer { subscription.dispose() }
        for element in [5, 1, 4, 2] { source.onNext(element) }
        source.onCompleted()
        #expect(log.text == "5 1 4 2 |")
    }

    @Test func observedGroupContinuesAfterDisposalUntilItsOwn() {
        let (source, log) = (PublishSubject<Int>(), Log())
        nonisolated(unsafe) var group: (any Disposable)?
        let subscription = source.groupBy { $0 % 2 }.subscribe(onNext: {
            if $0.key == 1 { group = $0.subscribe(onNext: { log($0) }) }
        })
        source.onNext(1)
        subscription.dispose()
        for element in 2...3 { source.onNext(element) }
        #expect(log.text == "1 3")
        #expect(source.hasObservers)
        group?.dispose()
        #expect(!source.hasObservers)
    }

    /// Calls `act` at each comparison of keys, except for comparisons within `act`.
    private final class Comparison {
        var act: (() -> Void)?
        private var isActing = false

        func happens() {
            if isActing { return }
            isActing = true
            act?()
            isActing = false
        }

        /// Makes each comparison push the next element of `numbers`.
        func push(_ numbers: Swift.Range<Int>, to source: PublishSubject<Int>) {
            var rest = numbers
            act = { if let number = rest.popFirst() { source.onNext(number) } }
        }
    }

    private struct Key: Hashable {
        let number: Int
        let comparison: Comparison

        func hash(into hasher: inout Hasher) {}

        static func == (left: Key, right: Key) -> Bool {
            left.comparison.happens()
            return left.number == right.number
        }
    }

    @Test func keysPushingInComparisonLoseNoEvent() {
        let source = PublishSubject<Int>()
        nonisolated(unsafe) let comparison = Comparison()
        nonisolated(unsafe) var (received, ended) = ([Int](), 0)
        let subscription = source.groupBy { Key(number: $0, comparison: comparison) }.subscribe(onNext: { group in
            _ = group.subscribe(onNext: { received.append($0) }, onCompleted: { ended += 1 })
        })
        defer { subscription.dispose() }
        comparison.push(1_000..<1_200, to: source)
        for element in 0..<100 { source.onNext(element) }
        comparison.act = nil
        #expect(received.sorted() == Array(0..<100) + Array(1_000..<1_200))
        source.onCompleted()
        #expect(ended == 300)
    }

    @Test func groupsStartedInComparisonAreFoundLater() {
        let source = PublishSubject<Int>()
        nonisolated(unsafe) let comparison = Comparison()
        nonisolated(unsafe) var begun: [Int] = []
        let subscription = source.groupBy { Key(number: $0, comparison: comparison) }.subscribe(onNext: { group in
            begun.append(group.key.number)
            _ = group.subscribe()
        })
        defer { subscription.dispose() }
        comparison.push(1_000..<1_050, to: source)
        for element in 0..<50 { source.onNext(element) }
        comparison.act = nil
        for element in Array(0..<50) + Array(1_000..<1_050) { source.onNext(element) }
        #expect(begun.sorted() == Array(0..<50) + Array(1_000..<1_050))
    }

    @Test func keyEndingSourceInComparisonStartsNoGroup() {
        let (source, log) = (PublishSubject<Int>(), Log())
        nonisolated(unsafe) let comparison = Comparison()
        let subscription = source.groupBy { Key(number: $0, comparison: comparison) }.subscribe(
            onNext: { group in
                nonisolated(unsafe) let group = group  // one thread uses its key
                log(group.key.number)
                _ = group.subscribe(onCompleted: { log("\(group.key.number)|") })
            }, onCompleted: { log("|") })
        defer { subscription.dispose() }
        source.onNext(1)
        comparison.act = { source.onCompleted() }
        source.onNext(2)
        #expect(log.text == "1 1| |")
    }

    @Test func unheldGroupIsFreedAndNotRestarted() {
        var table = GroupTable<Int, Int>()
        for key in 0..<10_000 { table.insert(PublishSubject(), for: key) }
        #expect(table.living.count <= 64)
        if case .freed = table.find(0) {} else { Issue.record("the first group is still there") }
        if case .new = table.find(10_000) {} else { Issue.record("a key that nobody has inserted is known") }
    }

    @Test func heldOrObservedGroupIsKept() {
        var table = GroupTable<Int, Int>()
        let held = PublishSubject<Int>()
        table.insert(held, for: -1)
        table.insert(PublishSubject(), for: -2)
        if case .live(let group) = table.find(-2) { _ = group.subscribe() }
        for key in 0..<1_000 { table.insert(PublishSubject(), for: key) }
        for key in [-1, -2] {
            if case .live = table.find(key) {} else { Issue.record("\(key) has been freed") }
        }
    }

    @Test func endDisposesSourceWhileAGroupIsHeld() {
        let (source, other, log) = (PublishSubject<Int>(), PublishSubject<Int>(), Log())
        nonisolated(unsafe) var kept: (any Disposable)?
        let subscription = source.noteLifetime(in: log, as: "source").groupBy { _ in 0 }.subscribe(onNext: { group in
            // This thread is delivering, so the other thread only enqueues the end.
            kept = Observable.merge(group.asObservable(), other).subscribe(onNext: { element in
                guard element == 2 else { return }
                _ = try? runOnThread { source.onCompleted() }
                log("delivered")
            })
        })
        source.onNext(1)
        subscription.dispose()
        other.onNext(2)
        #expect(log.text == "source+ source- delivered")
        kept?.dispose()
    }

    @Test func endSentByGroupDuringEndIsIgnored() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.groupBy { try passing($0, unless: 3, $0 % 2) }.subscribe(
            onNext: { group in
                _ = group.subscribe(onError: { _ in
                    log("\(group.key)!")
                    source.onCompleted()
                })
            }, onError: { log("!\($0)") }, onCompleted: { log("|") })
        defer { subscription.dispose() }
        for element in 1...3 { source.onNext(element) }
        #expect(log.text == "1! 0! !b")
    }

    @Test func elementPushedByGroupDuringEndStartsNoGroup() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.groupBy { try passing($0, unless: 3, $0 % 2) }.subscribe(
            onNext: { group in
                log(group.key)
                _ = group.subscribe(onError: { _ in source.onNext(5) })
            }, onError: { log("!\($0)") })
        defer { subscription.dispose() }
        source.onNext(1)
        source.onNext(3)
        #expect(log.text == "1 !b")
    }

    @Test func anErrorOfTheSourceEndsTheGroupsAndThenTheSequence() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.groupBy { $0 }.subscribe(
            onNext: { group in _ = group.subscribe(onError: { log("\(group.key)!\($0)") }) },
            onError: { log("!\($0)") })
        for element in 1...2 { source.onNext(element) }
        source.onError(TestError.a)
        #expect(log.text == "1!a 2!a !a")
        subscription.dispose()
    }
}

extension GroupTable {
    fileprivate mutating func insert(_ group: PublishSubject<Element>, for key: Key) {
        places[key] = add(group)
    }
}
