import CRxCore
import TestSupport
import Testing

@testable import RxSwift

/// What `just` makes is used again where nobody else has it. Each test has a thread of its own, and what that has put
/// aside.
struct ScalarTests {
    enum Way: CaseIterable {
        case flatMap, flatMapFirst, flatMapLatest, concatMap

        func map<Element>(
            _ source: Observable<Int>, _ selector: @escaping (Int) -> Observable<Element>
        ) -> Observable<Element> {
            switch self {
            case .flatMap: source.flatMap(selector)
            case .flatMapFirst: source.flatMapFirst(selector)
            case .flatMapLatest: source.flatMapLatest(selector)
            case .concatMap: source.concatMap(selector)
            }
        }
    }

    private static var spare: UnsafeMutableRawPointer? { crx_thread_spare() }

    private static func address(_ observable: ObservableBase) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(observable).toOpaque()
    }

    @Test(arguments: Way.allCases) func oneThatNobodyElseHasIsPutAsideAndUsedAgain(way: Way) throws {
        let log = Log()
        try runOnThread {
            let numbers: Observable<Int> = way.map(.of(1, 2, 3)) { number in
                let before = Self.spare
                let scalar = Observable.just(number)
                let address = Self.address(scalar)
                #expect(Self.spare == nil && (before == nil || before == address))
                return scalar
            }
            _ = numbers.subscribe(onNext: { log($0) })
            #expect(Self.spare != nil)
        }
        #expect(log.text == "1 2 3")
    }

    @Test(arguments: Way.allCases) func oneThatSomebodyElseHasIsNot(way: Way) throws {
        let log = Log()
        try runOnThread {
            let shared = Observable.just(7)
            let numbers: Observable<Int> = way.map(.of(1, 2)) { _ in shared }
            _ = numbers.subscribe(onNext: { log($0) })
            #expect(Self.spare == nil)
            _ = Observable.just(8)
            _ = shared.subscribe(onNext: { log($0) })
        }
        #expect(log.text == "7 7 7")
    }

    @Test(arguments: Way.allCases) func anElementThatIsMoreThanBitsIsNotKept(way: Way) throws {
        let tracker = LifetimeTracker()
        try runOnThread {
            _ = way.map(.of(1, 2)) { _ in Observable.just(tracker.make()) }.subscribe()
            #expect(tracker.live == 0 && Self.spare == nil)
        }
    }

    /// As an optimised build subscribes: only the caller has a reference.
    private static func subscribe<Element>(
        _ scalar: Unmanaged<Observable<Element>>, _ onNext: @escaping (Element) -> Void
    ) {
        scalar._withUnsafeGuaranteedRef { _ = Scalar.deliver(from: $0, onNext, nil, nil) }
    }

    @Test func oneThatIsSubscribedToIsPutAsideAndUsedAgain() throws {
        let log = Log()
        try runOnThread {
            let scalar = Unmanaged.passRetained(Observable.just(1))
            Self.subscribe(scalar) { log($0) }
            scalar.release()
            #expect(Self.spare == scalar.toOpaque())
            let next = Observable.just(2)
            #expect(Self.spare == nil && Self.address(next) == scalar.toOpaque())
            _ = next.subscribe(onNext: { log($0) })
        }
        #expect(log.text == "1 2")
    }

    @Test(arguments: [true, false]) func oneThatItsSubscriberKeepsIsNotUsedAgain(weakly: Bool) throws {
        let log = Log()
        try runOnThread {
            let kept = Unmanaged.passRetained(Observable.just(1))
            Self.subscribe(kept) { log($0) }
            #expect(Self.spare == kept.toOpaque())
            weak let seen = weakly ? kept.takeUnretainedValue() : nil
            if weakly { kept.release() }
            let other = Observable.just(2)
            #expect(Self.address(other) != kept.toOpaque())
            if weakly { _ = seen?.subscribe(onNext: { log($0) }) } else { Self.subscribe(kept) { log($0) } }
            if !weakly { kept.release() }
        }
        #expect(log.text == "1 1")
    }

    @Test func anElementThatIsMoreThanBitsIsNotKeptBySubscribing() throws {
        let tracker = LifetimeTracker()
        try runOnThread {
            let scalar = Unmanaged.passRetained(Observable.just(tracker.make()))
            Self.subscribe(scalar) { _ in }
            scalar.release()
            #expect(tracker.live == 0 && Self.spare == nil)
        }
    }

    @Test func oneOfAnotherTypeStaysWhereItIs() throws {
        let log = Log()
        try runOnThread {
            _ = Observable.of(1).flatMap { Observable.just($0) }.subscribe()
            let spare = Self.spare
            let other = Observable.just(2.5)
            #expect(spare != nil && Self.spare == spare)
            _ = other.subscribe(onNext: { log($0) })
            _ = Observable.of(1).flatMap { _ in Observable<Double>.just(3.5) }.subscribe(onNext: { log($0) })
            #expect(Self.spare != spare)
        }
        #expect(log.text == "2.5 3.5")
    }

    @Test func whatIsMadeOfItsElementWhileThatIsDeliveredIsAnotherOne() throws {
        let log = Log()
        try runOnThread {
            var made: [Observable<Int>] = []
            _ = Observable.of(1, 2, 3).flatMap { Observable.just($0) }
                .flatMap { Observable.just($0 * 2) }
                .subscribe(onNext: {
                    log($0)
                    made.append(.just($0 * 10))
                })
            for observable in made { _ = observable.subscribe(onNext: { log($0) }) }
        }
        #expect(log.text == "2 4 6 20 40 60")
    }

    private struct Unowned {
        unowned let scalar: Observable<Int>
    }

    /// It would see another sequence in its place.
    @Test(arguments: [true, false]) func oneThatSomebodyRefersToIsNot(weakly: Bool) throws {
        try runOnThread {
            weak var scalar: Observable<Int>?
            var references: [Unowned] = []
            _ = Observable.of(1).flatMap { number in
                let made = Observable.just(number)
                if weakly { scalar = made } else { references.append(Unowned(scalar: made)) }
                return made
            }.subscribe()
            #expect(Self.spare == nil && scalar == nil && references.count == (weakly ? 0 : 1))
        }
    }

    /// What the calling thread has put aside.
    private static func spareScalar() -> ObservableBase? {
        spare.map { Unmanaged<ObservableBase>.fromOpaque($0).takeUnretainedValue() }
    }

    @Test func itGoesWithItsThread() throws {
        final class Weak: @unchecked Sendable {  // by one thread after the other
            weak var scalar: ObservableBase?
        }
        let last = Weak()
        try runOnThread {
            _ = Observable.of(1).flatMap { Observable.just($0) }.subscribe()
            last.scalar = Self.spareScalar()
            #expect(last.scalar != nil)
        }
        // The thread has still to end.
        #expect(comesTrue { last.scalar == nil })
    }

    @Test func oneOfAnotherTypeIsFreedWhereItIsReplaced() throws {
        try runOnThread {
            _ = Observable.of(1).flatMap { Observable.just($0) }.subscribe()
            weak let first = Self.spareScalar()
            #expect(first != nil)
            _ = Observable.of(1).flatMap { _ in Observable<Double>.just(3.5) }.subscribe()
            #expect(first == nil && Self.spare != nil)
        }
    }

    @Test func itIsItsThreadsAlone() throws {
        try runOnThread {
            _ = Observable.of(1).flatMap { Observable.just($0) }.subscribe()
            let mine = Self.spare
            try? runOnThread {
                #expect(Self.spare == nil)
                _ = Observable.just(2)
            }
            #expect(mine != nil && Self.spare == mine)
        }
    }
}
