import Dispatch
import RxSwift
import TestSupport
import Testing

struct BehaviorSubjectUpdateTests {
    private let subject = BehaviorSubject(value: 0)
    private let log = Log()

    @Test func completionDuringUpdateIsFinal() throws {
        let subscription = subject.note(in: log)
        let result: Void? = subject.update { [subject] value in
            subject.onCompleted()
            value = 1
        }
        #expect(result == nil)
        #expect(log.text == "0 completed")
        #expect(try subject.value() == 0)
        subscription.dispose()
    }

    @Test func disposalDuringUpdateIsFinal() {
        let subscription = subject.note(in: log)
        subject.update { [subject] value in
            subject.dispose()
            value = 1
        }
        #expect(log.text == "0")
        #expect(throws: RxError.self) { try subject.value() }
        subscription.dispose()
    }

    @Test func updateAfterEndReturnsNil() throws {
        subject.onCompleted()
        let result: Void? = subject.update { $0 = 1 }
        #expect(result == nil)
        #expect(try subject.value() == 0)
    }

    @Test(arguments: [false, true]) func updateBehindWaitingEndReturnsNil(endsInUpdate: Bool) throws {
        let results = Guarded<[Void?]>([])
        let subscription = subject.subscribe(onNext: { [subject] element in
            guard element == 1 else { return }
            try? runOnThread {
                if !endsInUpdate { subject.onCompleted() }
                let result: Void? = subject.update { value in
                    if endsInUpdate { subject.onCompleted() }
                    value = 5
                }
                results.withLock { $0.append(result) }
            }
        })
        subject.onNext(1)
        #expect(results.withLock { $0.count == 1 && $0[0] == nil })
        #expect(try subject.value() == 1)
        subscription.dispose()
    }

    @Test func throwingUpdateAllowsLaterUpdates() async {
        await #expect(processExitsWith: .success) {
            let subject = BehaviorSubject(value: 0)
            let failing = #expect(throws: TestError.a) { try subject.update { _ in throw TestError.a } }
            precondition(failing != nil)
            subject.onNext(1)
            _ = subject.update { $0 += 1 }
            precondition((try? subject.value()) == 2)
        }
    }

    /// Element 100 restarts both updates. The restart of the second update must not restart the first one again.
    @Test func restartedUpdateRestartsNoOther() throws {
        let (begun, go, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let otherCalls = Guarded(0)
        func beginOther() {
            startThread { [subject] in
                subject.update { value in
                    let isHeld = otherCalls.withLock {
                        $0 += 1
                        return $0 <= 2
                    }
                    if isHeld {
                        begun.signal()
                        go.wait()
                    }
                    value += 10
                }
                ended.signal()
            }
        }
        var calls = 0
        try subject.update { [subject] value in
            calls += 1
            switch calls {
            case 1:
                beginOther()
                try wait(for: begun)
                try runOnThread { subject.onNext(100) }
            case 2:
                go.signal()
                try wait(for: begun)
            default: break
            }
            value += 1
        }
        go.signal()
        try wait(for: ended)
        #expect(calls == 2)
        #expect(otherCalls.withLock { $0 } == 3)
        #expect(try subject.value() == 111)
    }

    @Test func acceptedUpdateRestartsOlderOne() throws {
        var calls = 0
        try subject.update { [subject] value in
            calls += 1
            if calls == 1 { try runOnThread { _ = subject.update { $0 += 10 } } }
            value += 1
        }
        #expect(calls == 2)
        #expect(try subject.value() == 11)
    }

    /// The first of three running updates throws. Element 100 must then restart the other two.
    @Test func abandonedUpdateKeepsLaterUpdatesRegistered() async {
        await #expect(processExitsWith: .success) {
            let (subject, calls) = (BehaviorSubject(value: 0), Guarded([0, 0, 0]))
            let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let go = (0..<3).map { _ in DispatchSemaphore(value: 0) }
            for index in 0..<3 {
                startThread {
                    _ = try? subject.update { value in
                        let isFirst = calls.withLock {
                            $0[index] += 1
                            return $0[index] == 1
                        }
                        if isFirst {
                            begun.signal()
                            go[index].wait()
                        }
                        if index == 0 { throw TestError.a }
                        value += index == 1 ? 10 : 1
                    }
                    ended.signal()
                }
                try wait(for: begun)
            }
            go[0].signal()
            try wait(for: ended)
            subject.onNext(100)
            for index in [2, 1] {
                go[index].signal()
                try wait(for: ended)
            }
            precondition(calls.withLock { $0 } == [1, 2, 2])
            precondition((try? subject.value()) == 111)
        }
    }

    @Test func nestedUpdateWithoutChangeTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let subject = BehaviorSubject(value: 0)
            subject.update { _ in
                _ = try? subject.update { _ in throw TestError.a }
            }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("The closure of an update must not change the value of the same relay."))
    }

    /// Element 100 is the value even before its delivery, so the update starts again.
    @Test func pushWaitingForDeliveryRestartsUpdate() throws {
        let (begun, go, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (calls, log, tracker) = (Guarded(0), self.log, LifetimeTracker())
        let subject = BehaviorSubject(value: tracker.make(0))
        let subscription = subject.subscribe(onNext: { element in
            log(element)
            guard element.value == 1 else { return }
            startThread {
                subject.update { element in
                    let isFirst = calls.withLock {
                        $0 += 1
                        return $0 == 1
                    }
                    if isFirst {
                        begun.signal()
                        go.wait()
                    }
                    element = tracker.make(element.value + 10)
                }
                ended.signal()
            }
            _ = begun.wait(timeout: .now() + 30)
            _ = try? runOnThread { subject.onNext(tracker.make(100)) }
            go.signal()
            _ = ended.wait(timeout: .now() + 30)
        })
        subject.onNext(tracker.make(1))
        #expect(calls.withLock { $0 } == 2)
        #expect(log.text == "0 1 100 110")
        #expect(try subject.value().value == 110)
        #expect(tracker.live == 1)
        subscription.dispose()
    }
}
