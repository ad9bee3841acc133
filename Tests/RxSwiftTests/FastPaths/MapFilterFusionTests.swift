import TestSupport
import Testing

@testable import RxSwift

/// Adjacent maps and filters of one type are fused into one stage, which must behave like separate stages.
struct MapFilterFusionTests {
    enum Kind: CaseIterable {
        case word, number, half, pair, bits, object

        fileprivate var type: any Numbered.Type {
            switch self {
            case .word: Int.self
            case .number: Double.self
            case .half: Int32.self
            case .pair: Pair.self
            case .bits: Bits.self
            case .object: Object.self
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 8, 9, 13, 14, 15, 29, 30, 31, 40], Kind.allCases)
    func eachStepOfChainOfAnyLengthRuns(_ count: Int, _ kind: Kind) {
        func check<Element: Numbered>(_: Element.Type) {
            var sequence = Observable.of(1, 2, 3, 4).map(Element.init(number:))
            var expected = [1, 2, 3, 4]
            for step in 0..<count {
                if step % 3 == 1 {
                    sequence = sequence.filter { $0.number != step + 2 }
                    expected = expected.filter { $0 != step + 2 }
                } else {
                    sequence = sequence.map { Element(number: $0.number + 1) }
                    expected = expected.map { $0 + 1 }
                }
            }
            let numbers = sequence.map(\.number)
            #expect(seen(numbers) == (expected.map(String.init) + ["completed"]).joined(separator: " "))
        }
        check(kind.type)
    }

    @Test func heldSequenceIsUnchangedByDerivedSequences() {
        let once = Observable.of(1, 2, 3).map { $0 + 1 }
        let (even, twice) = (once.filter { $0 % 2 == 0 }, once.map { $0 * 10 })
        let evenTwice = even.map { $0 * 100 }
        #expect(seen(once) == "2 3 4 completed")
        #expect(seen(even) == "2 4 completed")
        #expect(seen(twice) == "20 30 40 completed")
        #expect(seen(evenTwice) == "200 400 completed")
    }

    @Test func weaklyHeldSequenceIsUnchangedByDerivedSequence() {
        weak var known: Observable<Int>?
        func make() -> Observable<Int> {
            let made = Observable.of(1, 2).map { $0 + 1 }
            known = made
            return made
        }
        let more = make().map { $0 * 10 }
        if let known { #expect(seen(known) == "2 3 completed") }
        #expect(seen(more) == "20 30 completed")
    }

    @Test func subscribedSequenceKeepsItsSteps() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        var sequence = subject.map { $0 + 1 }.map { $0 + 1 }
        let subscription = sequence.subscribe(onNext: { log($0) })
        sequence = sequence.map { $0 * 100 }
        subject.onNext(1)
        #expect(log.text == "3")
        subscription.dispose()
    }

    @Test(arguments: [3, 4, 8, 12]) func elementsOfAnySizeTakeTheSameSteps(_ count: Int) {
        struct Order: Equatable {
            var id = 0
            var price = 2.5
            var symbols = ["a", "b"]
        }
        var sequence = Observable.just(Order())
        for step in 0..<count {
            sequence = sequence.map { order in
                var order = order
                order.id += 1
                order.symbols.append("\(step)")
                return order
            }
        }
        nonisolated(unsafe) var seen: [Order] = []
        _ = sequence.subscribe(onNext: { seen.append($0) })
        #expect(seen == [Order(id: count, symbols: ["a", "b"] + (0..<count).texts)])
    }

    @Test func eachPrefixOfALongChainSubscribedRunsItsOwnSteps() {
        var prefixes = [Observable.of(1, 2)]
        for _ in 0..<300 { prefixes.append(prefixes[prefixes.count - 1].map { $0 + 1 }) }
        for (count, sequence) in prefixes.enumerated() {
            #expect(seen(sequence) == "\(count + 1) \(count + 2) completed")
        }
    }

    private final class Probe: Observable<Int>, @unchecked Sendable {  // used by one thread
        var stage: SinkBase?

        init() {
            super.init { base, assembly in
                unsafeDowncast(base, to: Probe.self).stage = assembly.takeTop()
                return nil
            }
        }
    }

    @Test(.enabled(if: FastPaths.areUsed)) func consecutiveStepsOfOneTypeSubscribedShareOneSink() throws {
        let probe = Probe()
        _ = probe.map { $0 + 1 }.filter { $0 > 0 }.map { $0 * 2 }.subscribe()
        #expect(try #require(probe.stage as? FusedMapFilter<Int>).count == 3)
        _ = probe.map { $0 + 1 }.filter { $0 > 0 }.map { "\($0)" }.map { $0 + "." }.subscribe()
        #expect(try #require(probe.stage as? FusedMapFilter<Int>).count == 2)
        _ = probe.filter { $0 > 0 }.subscribe()
        #expect(probe.stage is LinearSink<Filter<Int>, Void>)
    }

    @Test(arguments: [4, 9]) func longHeldSequenceIsUnchangedByDerivedSequences(_ count: Int) {
        let once = (0..<count).reduce(Observable.of(1, 2, 3)) { sequence, _ in sequence.map { $0 + 1 } }
        let all = (1...3).map { $0 + count }
        func expected(_ elements: [Int]) -> String {
            (elements.map(String.init) + ["completed"]).joined(separator: " ")
        }
        let (even, tens) = (once.filter { $0 % 2 == 0 }, once.map { $0 * 10 })
        let evenTens = even.map { $0 * 10 }
        #expect(seen(once) == expected(all))
        #expect(seen(even) == expected(all.filter { $0 % 2 == 0 }))
        #expect(seen(tens) == expected(all.map { $0 * 10 }))
        #expect(seen(evenTens) == expected(all.filter { $0 % 2 == 0 }.map { $0 * 10 }))
    }

    @Test func subscribedLongSequenceKeepsItsSteps() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        var sequence = subject.map { $0 + 1 }.map { $0 + 1 }.map { $0 + 1 }.map { $0 + 1 }
        let subscription = sequence.subscribe(onNext: { log($0) })
        sequence = sequence.map { $0 * 100 }
        subject.onNext(1)
        let another = sequence.subscribe(onNext: { log($0) })
        subject.onNext(2)
        #expect(log.text == "5 6 600")
        subscription.dispose()
        another.dispose()
    }

    @Test(arguments: [4, 9, 17]) func closuresOfALongRowAreFreedWithTheLastThatHasThem(_ count: Int) {
        let (tracker, subject) = (LifetimeTracker(), PublishSubject<Int>())
        func make() -> Observable<Int> {
            (0..<count).reduce(subject.asObservable()) { sequence, _ in
                let held = tracker.make()
                return sequence.map { [held] element in withExtendedLifetime(held) { element } }
            }
        }
        var sequence: Observable<Int>? = make()
        #expect(tracker.live == count)
        var more = sequence?.map { $0 }
        let subscription = more?.subscribe()
        sequence = nil
        more = nil
        #expect(tracker.live == count)
        subscription?.dispose()
        #expect(tracker.live == 0)
    }

    @Test func stepErrorNamesItsOperator() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            _ = Observable.of(1).map { $0 }.filter { _ in throw TestError.a }.map { $0 }.subscribe(onNext: { _ in })
            _ = Observable.of(1).filter { _ in true }.map { _ -> Int in throw TestError.b }.subscribe(onNext: { _ in })
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("the error came via filter") && words.contains("the error came via map"))
    }

    @Test func closuresAreFreedWithTheSubscription() {
        let tracker = LifetimeTracker()
        let subject = PublishSubject<Int>()
        var subscription: (any Disposable)?
        func subscribe() {
            let (held, heldToo) = (tracker.make(), tracker.make())
            subscription = subject.map { [held] element in withExtendedLifetime(held) { element } }
                .filter { [heldToo] _ in withExtendedLifetime(heldToo) { true } }.map { $0 }.subscribe()
        }
        subscribe()
        #expect(tracker.live == 2)
        subscription?.dispose()
        #expect(tracker.live == 0)
    }

    @Test(arguments: Kind.allCases) func fusedAndSeparateStepsBehaveTheSame(_ kind: Kind) {
        var effects: Set<String> = []
        func check<Element: Numbered>(_: Element.Type) {
            for seed in 0..<500 {
                let together = Program<Element>(seed, isApart: false).run()
                #expect(together == Program<Element>(seed, isApart: true).run(), "seed \(seed)")
                effects.formUnion(together.split(separator: " ").map { String($0.prefix { $0.isLetter }) })
            }
        }
        check(kind.type)
        #expect(effects.isSuperset(of: ["next", "errora", "completed", "disposed", "push", "throw", "end", "dispose"]))
    }
}

private protocol Numbered: Sendable {
    init(number: Int)
    var number: Int { get }
}

extension Int: Numbered {
    init(number: Int) { self = number }
    var number: Int { self }
}

extension Double: Numbered {
    init(number: Int) { self = Double(number) }
    var number: Int { Int(self) }
}

extension Int32: Numbered {
    init(number: Int) { self = Int32(number) }
    var number: Int { Int(self) }
}

private struct Pair: Numbered {
    private let halves: (Int32, Int32)

    init(number: Int) {
        halves = (Int32(number / 2), Int32(number - number / 2))
    }

    var number: Int { Int(halves.0) + Int(halves.1) }
}

private struct Bits: Numbered {
    let number: Int
    private let sign: Int8

    init(number: Int) {
        (self.number, sign) = (number, Int8(number.signum()))
    }
}

private final class Object: Numbered {
    let number: Int

    init(number: Int) {
        self.number = number
    }
}

/// Steps whose closures sometimes push, end, throw or dispose.
// @unchecked Sendable because one thread uses it.
private final class Program<Element: Numbered>: @unchecked Sendable {
    private let isApart: Bool
    private var random: UInt64
    private let subject = PublishSubject<Int>()
    private let subscription = SerialDisposable()
    private let log = Log()
    private var pushes = 0

    init(_ seed: Int, isApart: Bool) {
        self.isApart = isApart
        random = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    private func pick(_ count: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(random >> 33) % count
    }

    func run() -> String {
        var sequence = subject.map(Element.init(number:))
        if isApart { sequence = sequence.lift(Same()) }
        for step in 0..<(2 + pick(pick(10) == 0 ? 20 : 5)) {
            if pick(2) == 0 {
                sequence = sequence.map { [unowned self] in
                    try act(step, $0.number)
                    return Element(number: $0.number + 1)
                }
            } else {
                sequence = sequence.filter { [unowned self] in
                    try act(step, $0.number)
                    return pick(4) > 0
                }
            }
            if isApart { sequence = sequence.lift(Same()) }
        }
        subscription.disposable = sequence.map(\.number).subscribe(
            onNext: { [log] in log("next\($0)") }, onError: { [log] in log("error\($0)") },
            onCompleted: { [log] in log("completed") },
            onDisposed: { [log] in log("disposed") })
        for element in 0..<6 { subject.onNext(element * 10) }
        subscription.dispose()
        return log.text
    }

    private func act(_ step: Int, _ element: Int) throws {
        log("step\(step):\(element)")
        switch pick(24) {
        case 0, 1, 2:
            guard pushes < 4 else { return }
            pushes += 1
            log("push")
            subject.onNext(element + 100)
        case 3:
            log("throw")
            throw TestError.a
        case 4:
            log("end")
            subject.onCompleted()
        case 5:
            log("dispose")
            subscription.dispose()
        default: break
        }
    }
}

/// Prevents the fusion of the steps above this operator with those below.
private struct Same<Element>: LinearOperator {
    func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> Element? { element }

    static var asksWhetherLive: Bool { false }

    static var endsEarly: Bool { false }
}
