import Dispatch
import RxOperators
import RxTest
import TestSupport
import Testing

struct TimedReplaySubjectTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func make(_ age: Int, count: Int = .max) -> TimedReplaySubject<Int> {
        TimedReplaySubject(for: .seconds(age), count: count, scheduler: scheduler)
    }

    private func replayed(_ subject: TimedReplaySubject<Int>) -> String {
        let log = Log()
        subject.subscribe(onNext: { log($0) }, onError: { log($0) }, onCompleted: { log("|") }).dispose()
        return log.text
    }

    @Test func timedReplaySubjectNewObserverReceivesYoungElements() {
        let subject = make(5)
        for time in [1, 3, 6] { scheduler.scheduleAt(time) { subject.onNext(time) } }
        scheduler.advanceTo(7)
        #expect(replayed(subject) == "3 6")
        scheduler.advanceTo(8)
        #expect(replayed(subject) == "6")
        scheduler.advanceTo(20)
        #expect(replayed(subject) == "")
    }

    @Test func timedReplaySubjectCountLimitsTheElements() {
        let subject = make(5, count: 2)
        for element in 1...4 { subject.onNext(element) }
        #expect(replayed(subject) == "3 4")
    }

    @Test func timedReplaySubjectObserverReceivesLaterElementsOnce() {
        let (subject, log) = (make(5), Log())
        subject.onNext(1)
        let subscription = subject.subscribe(onNext: { log($0) })
        #expect(subject.hasObservers)
        subject.onNext(2)
        subscription.dispose()
        #expect(!subject.hasObservers)
        subject.onNext(3)
        #expect(log.text == "1 2")
    }

    @Test func timedReplaySubjectEndedReplaysElementsBeforeTheEnd() {
        let completed = make(5), failed = make(5)
        for subject in [completed, failed] { subject.onNext(1) }
        completed.onCompleted()
        failed.onError(TestError.b)
        completed.onNext(2)
        #expect(replayed(completed) == "1 |")
        #expect(replayed(failed) == "1 b")
        scheduler.advanceTo(20)
        #expect(replayed(completed) == "|")
    }

    @Test func timedReplaySubjectObserverPushesDuringTheReplayReceivesThatElementAfterIt() {
        let (subject, log) = (make(5), Log())
        for element in [1, 2] { subject.onNext(element) }
        let subscription = subject.subscribe(onNext: { element in
            log(element)
            if element == 1 { subject.onNext(3) }
        })
        subscription.dispose()
        #expect(log.text == "1 2 3")
    }

    @Test func timedReplaySubjectOldElementsAreReleasedAtTheNextElement() {
        let tracker = LifetimeTracker()
        let subject = TimedReplaySubject<LifetimeTracker.Tracked>(for: .seconds(5), scheduler: scheduler)
        for time in 1...20 { scheduler.scheduleAt(time) { subject.onNext(tracker.make(time)) } }
        scheduler.advanceTo(20)
        #expect(tracker.live == 5)
    }

    @Test func timedReplaySubjectManyThreadsPushWhileObserversComeNoElementIsLostOrRepeated() {
        let subject = TimedReplaySubject<Int>(for: .seconds(1_000), scheduler: scheduler)
        let (records, group) = (Guarded<[[Int]]>([]), DispatchGroup())
        let subscriptions = CompositeDisposable()
        for thread in 0..<2 {
            group.enter()
            startThread {
                for number in 0..<500 { subject.onNext(thread * 500 + number) }
                group.leave()
            }
        }
        for index in 0..<20 {
            records.withLock { $0.append([]) }
            _ = subscriptions.insert(
                subject.subscribe(onNext: { element in records.withLock { $0[index].append(element) } }))
        }
        group.wait()
        subscriptions.dispose()
        for record in records.withLock({ $0 }) {
            #expect(record.count == 1_000)
            #expect(Set(record).count == 1_000)
            #expect(record.filter { $0 < 500 } == Array(0..<500))
        }
    }

    @Test func replayForASpanReplaysToLateObservers() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let shared = source.replay(for: .seconds(5), scheduler: scheduler)
        let connection = shared.connect()
        source.onNext(1)
        scheduler.advanceTo(4)
        source.onNext(2)
        shared.subscribe(onNext: { log("a\($0)") }).dispose()
        scheduler.advanceTo(6)
        shared.subscribe(onNext: { log("b\($0)") }).dispose()
        connection.dispose()
        #expect(log.text == "a1 a2 b2")
    }
}
