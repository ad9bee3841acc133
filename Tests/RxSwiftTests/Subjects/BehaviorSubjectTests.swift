import RxSwift
import TestSupport
import Testing

struct BehaviorSubjectTests {
    private let subject = BehaviorSubject(value: 0)
    private let log = Log()

    @Test func anEndWithinADeliveryLeavesTheValueThatWasPushedLast() throws {
        let (subject, log) = (BehaviorSubject(value: 0), Log())
        @Sendable func noteValue() { log((try? subject.value()) ?? -1) }
        let subscription = subject.filter { $0 == 1 }.subscribe(onNext: { _ in
            // The element waits, because this thread is delivering.
            try? runOnThread { subject.onNext(2) }
            noteValue()
            subject.onCompleted()
            noteValue()
        })
        subject.onNext(1)
        noteValue()
        #expect(log.text == "2 2 2")
        subscription.dispose()
    }

    @Test func elementDuringDisposalInFirstElementIsFreed() throws {
        let tracker = LifetimeTracker()
        do {
            let subject = BehaviorSubject(value: tracker.make())
            let subscription = subject.do(onNext: { _ in try? runOnThread { subject.onNext(tracker.make()) } }).take(1)
                .subscribe()
            subject.dispose()
            subscription.dispose()
        }
        #expect(tracker.live == 0)
    }

    @Test func observerReceivesCurrentValueFirst() {
        subject.onNext(1)
        let subscription = subject.note(in: log)
        subject.onNext(2)
        #expect(log.text == "1 2")
        subscription.dispose()
    }

    @Test(arguments: [(nil, "completed"), (TestError.a, "error(a)")] as [(TestError?, String)])
    func observerAfterEndReceivesOnlyTerminalEvent(error: TestError?, told: String) {
        if let error { subject.onError(error) } else { subject.onCompleted() }
        #expect(seen(subject) == told)
    }

    @Test func elementPushedDuringFirstElementIsDeliveredAtOnce() {
        let subscription = subject.subscribe(onNext: { [subject, log] in
            log("s\($0)")
            if $0 < 2 { subject.onNext($0 + 1) }
            log("e\($0)")
        })
        #expect(log.text == "s0 s1 s2 e2 e1 e0")
        subscription.dispose()
    }

    @Test func valueReadByObserverIsAtLeastAsNewAsElement() throws {
        let subscription = subject.subscribe(onNext: { [subject, log] element in
            if element == 1 { subject.onNext(2) }
            log("\(element)=\((try? subject.value()) ?? -1)")
        })
        subject.onNext(1)
        #expect(log.text == "0=0 2=2 1=2")
        subscription.dispose()
    }

    @Test func keepsItsValueAfterCompletion() throws {
        subject.onNext(1)
        subject.onCompleted()
        subject.onNext(2)
        #expect(try subject.value() == 1)
    }

    @Test func itsValueThrowsTheErrorThatEndedIt() {
        subject.onError(TestError.a)
        #expect(throws: TestError.a) { try subject.value() }
    }

    @Test func disposedItsValueThrows() {
        subject.onError(TestError.a)
        subject.dispose()
        #expect(throws: RxError.self) { try subject.value() }
        #expect(subject.isDisposed)
    }

    @Test func observerAfterDisposalReceivesDisposedError() {
        subject.dispose()
        #expect(seen(subject) == "error(Object `RxSwift.BehaviorSubject<Swift.Int>` was already disposed.)")
    }

    @Test func disposedSubjectFreesValue() {
        let tracker = LifetimeTracker()
        let subject = BehaviorSubject(value: tracker.make())
        subject.dispose()
        withExtendedLifetime(subject) { #expect(tracker.live == 0) }
    }

    @Test func failedSubjectFreesValue() {
        let tracker = LifetimeTracker()
        let subject = BehaviorSubject(value: tracker.make())
        subject.onError(TestError.a)
        withExtendedLifetime(subject) { #expect(tracker.live == 0) }
        #expect(throws: TestError.a) { try subject.value() }
    }

    @Test func keepsOneValue() {
        let tracker = LifetimeTracker()
        let subject = BehaviorSubject(value: tracker.make())
        for _ in 0..<10 { subject.onNext(tracker.make()) }
        withExtendedLifetime(subject) { #expect(tracker.live == 1) }
    }

    @Test func threadReadsItsOwnPushWhileOtherThreadDelivers() throws {
        let subscription = subject.subscribe(onNext: { [subject, log] in
            log("s\($0)")
            if $0 == 1 {
                let read = try? runOnThread {
                    subject.onNext(2)
                    return try subject.value()
                }
                log("read\(read ?? -1)")
            }
            log("e\($0)")
        })
        subject.onNext(1)
        #expect(log.text == "s0 e0 s1 read2 e1 s2 e2")
        subscription.dispose()
    }

    private func whileDelivering(
        _ body: @escaping @Sendable () -> Void, then inside: @escaping @Sendable () -> Void = {}
    ) {
        let subscription = subject.subscribe(onNext: { [log] in
            log($0)
            guard $0 == 1 else { return }
            _ = try? runOnThread(body)
            inside()
        })
        subject.onNext(1)
        subscription.dispose()
    }

    @Test func nestedEnd_elementWaits_deliversItFirst() throws {
        whileDelivering {
            subject.onNext(2)
        } then: {
            subject.onCompleted()
        }
        #expect(try subject.value() == 2)
        #expect(log.text == "0 1 2")
    }

    @Test func valueStaysNewestWhileOlderElementsAreDelivered() {
        let subscription = subject.subscribe(onNext: { [subject, log] element in
            if element == 1 { try? runOnThread { (2...4).forEach(subject.onNext) } }
            log("\(element)=\((try? subject.value()) ?? -1)")
        })
        subject.onNext(1)
        #expect(log.text == "0=0 1=4 2=4 3=4 4=4")
        subscription.dispose()
    }

    @Test func elementAfterWaitingEndIsNeverTheValue() throws {
        whileDelivering {
            subject.onNext(2)
            subject.onCompleted()
            subject.onNext(3)
            #expect((try? subject.value()) == 2)
        } then: {
            #expect((try? subject.value()) == 2)
        }
        #expect(try subject.value() == 2)
        #expect(log.text == "0 1 2")
    }

    @Test func elementBehindWaitingEndDoesNotReplaceNestedElement() throws {
        let subscription = subject.subscribe(onNext: { [subject, log] element in
            log(element)
            if element == 1 {
                try? runOnThread {
                    subject.onNext(2)
                    subject.onCompleted()
                    subject.onNext(3)
                }
            } else if element == 2 {
                subject.onNext(4)
                #expect((try? subject.value()) == 4)
            }
        })
        subject.onNext(1)
        #expect(log.text == "0 1 2 4")
        #expect(try subject.value() == 4)
        subscription.dispose()
    }

    @Test func elementsDroppedByCompletionAreFreed() {
        let tracker = LifetimeTracker()
        let subject = BehaviorSubject(value: tracker.make(0))
        let subscription = subject.subscribe(onNext: {
            guard $0.value == 1 else { return }
            _ = try? runOnThread { for number in 2..<5 { subject.onNext(tracker.make(number)) } }
            subject.onCompleted()
        })
        subject.onNext(tracker.make(1))
        #expect((try? subject.value())?.value == 4)
        #expect(tracker.live == 1)
        subscription.dispose()
    }

    @Test func valueAfterEndIsUnchangedByConcurrentPushes() throws {
        for _ in 0..<200 {
            let (subject, changes) = (BehaviorSubject(value: 0), Guarded(0))
            let hasEnded = Guarded(false)
            let subscription = subject.subscribe(
                onNext: { if $0 == 20 { subject.onCompleted() } }, onCompleted: { hasEnded.withLock { $0 = true } })
            try runConcurrently(threads: 3) { index in
                if index > 0 { return (1...40).forEach(subject.onNext) }
                var last: Int?
                for _ in 0..<200 where hasEnded.withLock({ $0 }) {
                    let value = try? subject.value()
                    if let last, value != last { changes.withLock { $0 += 1 } }
                    last = value
                }
            }
            #expect(changes.withLock { $0 } == 0)
            subscription.dispose()
        }
    }

    /// An element that is enqueued just before the completion is not delivered, but remains the value.
    @Test func valueNeverGoesBackWhenAnotherThreadCompletes() throws {
        let wentBack = Guarded(0)
        let subjects = (0..<5_000).map { _ in BehaviorSubject(value: 0) }
        try runConcurrently(threads: 2) { index in
            for subject in subjects {
                if index == 0 {
                    while (try? subject.value()) == 0 {}
                    subject.onCompleted()
                    continue
                }
                var last = 0
                for number in 1...20 {
                    subject.onNext(number)
                    let value = (try? subject.value()) ?? -1
                    if value < last { wentBack.withLock { $0 += 1 } }
                    last = value
                }
            }
        }
        #expect(wentBack.withLock { $0 } == 0)
    }

    @Test func threadsNeverReadOlderThanTheyPushed() throws {
        let stale = Guarded(0)
        try runConcurrently(threads: 4) { index in
            for number in 1...5_000 {
                let pushed = index * 10_000 + number
                subject.onNext(pushed)
                guard let read = try? subject.value() else { return stale.withLock { $0 += 1 } }
                if read / 10_000 == index, read % 10_000 < number { stale.withLock { $0 += 1 } }
            }
        }
        #expect(stale.withLock { $0 } == 0)
    }

    @Test func hasObserversReflectsSubscriptions() {
        #expect(!subject.hasObservers)
        let subscription = subject.subscribe()
        #expect(subject.hasObservers)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test func isDisposedOnlyOnceItWasDisposedOf() {
        subject.onCompleted()
        #expect(!subject.isDisposed)
        subject.dispose()
        #expect(subject.isDisposed)
    }
}
