import Foundation
import RxSwift
import TestSupport
import Testing

struct GateTests {
    @Test func noPushIsHeldUpForLongByWhatOthersPush() throws {
        let subject = PublishSubject<Int>()
        let burden = Burden()
        let subscription = subject.subscribe(onNext: { _ in burden.bear() })
        try burden.push(into: [subject, subject, subject])
        #expect(burden.delivered == burden.total)
        #expect(burden.most < burden.total / 2)
        subscription.dispose()
    }

    @Test func noPushIsHeldUpForLongWhereASubjectHasAValue() throws {
        let subject = BehaviorSubject(value: 0)
        let burden = Burden()
        let subscription = subject.skip(1).subscribe(onNext: { _ in burden.bear() })
        try burden.push(into: [subject, subject, subject])
        #expect(burden.delivered == burden.total)
        #expect(burden.most < burden.total / 2)
        subscription.dispose()
    }

    @Test func noPushIsHeldUpForLongWhereSourcesMeet() throws {
        let subjects = [PublishSubject<Int>(), PublishSubject(), PublishSubject()]
        let burden = Burden()
        let subscription = Observable.merge(subjects).subscribe(onNext: { _ in burden.bear() })
        try burden.push(into: subjects)
        #expect(burden.delivered == burden.total)
        #expect(burden.most < burden.total / 2)
        subscription.dispose()
    }
}

/// Three threads push into an observer that is slower than they, so that something always waits: a push that served all
/// of it would serve nearly everything.
// @unchecked Sendable because `delivered` is the gate's owner's, and the rest is guarded.
private final class Burden: @unchecked Sendable {
    private static let each = 2_000
    private let returned = Guarded(0)
    private let pushing = Guarded(3)
    private let served = Guarded<[pthread_t: Int]>([:])
    private(set) var delivered = 0

    let total = 3 * each
    /// The most deliveries that one push has made.
    private(set) var most = 0

    /// A delivery: takes a while, and until something waits, or nobody else is left to push.
    func bear() {
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
