import Foundation
import RxSwift
import TestSupport
import Testing

struct GateTests {
    @Test func pushIsNotDelayedByOtherThreadsPushes() throws {
        let subject = PublishSubject<Int>()
        try Burden.expectPushesTakeTurns(among: [subject, subject, subject], below: subject)
    }

    @Test func pushToBehaviorSubjectIsNotDelayedByOtherThreads() throws {
        let subject = BehaviorSubject(value: 0)
        try Burden.expectPushesTakeTurns(among: [subject, subject, subject], below: subject.skip(1))
    }

    @Test func pushIntoMergeIsNotDelayedByOtherThreads() throws {
        let subjects = [PublishSubject<Int>(), PublishSubject(), PublishSubject()]
        try Burden.expectPushesTakeTurns(among: subjects, below: .merge(subjects))
    }
}

/// Counts the elements that each push delivers. Three threads push faster than the observer handles elements, so inputs
/// always wait.
// @unchecked Sendable because only the thread that owns the gate uses `delivered`, `most`, `latest` and `pause`, and
// the other variables are `Guarded`.
private final class Burden: @unchecked Sendable {
    private static let each = 2_000
    private let returned = Guarded(0)
    private let pushing = Guarded(3)
    private let served = Guarded<[pthread_t: Int]>([:])
    private(set) var delivered = 0

    let total = 3 * each
    private(set) var most = 0
    private var latest: DispatchTime?
    private var pause: UInt64 = 0

    /// Expects that no push delivers half of the elements. If no element was delivered for 20 ms, the system may have
    /// suspended a thread, and the measurement is repeated.
    static func expectPushesTakeTurns<Observer: ObserverType>(
        among observers: [Observer], below chain: Observable<Int>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws where Observer.Element == Int {
        var burden: Burden
        var tries = 0
        repeat {
            burden = Burden()
            let subscription = chain.subscribe(onNext: { [burden] _ in burden.bear() })
            try burden.push(into: observers)
            #expect(burden.delivered == burden.total, sourceLocation: sourceLocation)
            subscription.dispose()
            tries += 1
        } while burden.most >= burden.total / 2 && burden.pause > 20_000_000 && tries < 20
        #expect(burden.most < burden.total / 2, sourceLocation: sourceLocation)
    }

    /// Returns once another input waits or no other thread is pushing.
    func bear() {
        let now = DispatchTime.now()
        if let latest { pause = max(pause, now.uptimeNanoseconds - latest.uptimeNanoseconds) }
        latest = now
        delivered += 1
        let count = served.withLock { served in
            served[pthread_self(), default: 0] += 1
            return served[pthread_self(), default: 0]
        }
        most = max(most, count)
        let end = DispatchTime.now() + .microseconds(20)
        while DispatchTime.now() < end {}
        while returned.withLock({ $0 }) <= delivered, pushing.withLock({ $0 }) > 1 { sched_yield() }
    }

    func push<Observer: ObserverType>(into observers: [Observer]) throws where Observer.Element == Int {
        try runConcurrently(threads: observers.count) { [self] index in
            for number in 0..<Self.each {
                served.withLock { $0[pthread_self()] = 0 }
                observers[index].onNext(number)
                returned.withLock { $0 += 1 }
            }
            pushing.withLock { $0 -= 1 }
        }
    }
}
