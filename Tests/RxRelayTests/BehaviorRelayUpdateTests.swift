import RxRelay
import RxSwift
import TestSupport
import Testing

struct BehaviorRelayUpdateTests {
    private let relay = BehaviorRelay(value: 0)
    private let log = Log()

    @Test func updateChangesValueAndSendsIt() {
        let subscription = relay.note(in: log)
        relay.update { $0 += 2 }
        #expect(log.text == "0 2")
        #expect(relay.value == 2)
        subscription.dispose()
    }

    @Test func updateReturnsResultOfClosure() {
        let before = relay.update { value in
            defer { value = 5 }
            return "was \(value)"
        }
        #expect(before == "was 0")
        #expect(relay.value == 5)
    }

    @Test func aClosureThatThrowsChangesNothing() {
        let subscription = relay.note(in: log)
        #expect(throws: TestError.a) {
            try relay.update {
                $0 = 5
                throw TestError.a
            }
        }
        relay.accept(1)
        relay.update { $0 += 1 }
        #expect(log.text == "0 1 2")
        subscription.dispose()
    }

    @Test func updateWithValueChangedInClosureRunsAgain() throws {
        let subscription = relay.note(in: log)
        var calls = 0
        try relay.update { value in
            calls += 1
            if calls == 1 { try runOnThread { [relay] in relay.accept(10) } }
            value += 1
        }
        #expect(calls == 2)
        #expect(log.text == "0 10 11")
        subscription.dispose()
    }

    @Test func updateRestartsAfterFasterUpdate() throws {
        var calls = 0
        try relay.update { value in
            calls += 1
            if calls < 4 { try runOnThread { [relay] in relay.update { $0 += 10 } } }
            value += 1
        }
        #expect(calls == 4)
        #expect(relay.value == 31)
    }

    @Test func isNestedInAnObserver() {
        let subscription = relay.subscribe(onNext: { [relay, log] in
            log("s\($0)")
            if $0 < 2 { relay.update { $0 += 1 } }
            log("e\($0)")
        })
        #expect(log.text == "s0 s1 s2 e2 e1 e0")
        #expect(relay.value == 2)
        subscription.dispose()
    }

    @Test func updateInObserverFollowsWaitingElements() {
        let subscription = relay.subscribe(onNext: { [relay, log] in
            log("s\($0)")
            if $0 == 1 {
                _ = try? runOnThread { relay.update { $0 += 10 } }
                relay.update { $0 += 100 }
                log("v\(relay.value)")
            }
            log("e\($0)")
        })
        relay.accept(1)
        #expect(log.text == "s0 e0 s1 v111 e1 s11 e11 s111 e111")
        subscription.dispose()
    }

    @Test func itsClosureMayReadTheValueAndChangeOtherRelays() {
        let other = BehaviorRelay(value: 0)
        relay.accept(3)
        relay.update { [relay] value in
            other.update { $0 = relay.value }
            value += 1
        }
        #expect(other.value == 3)
        #expect(relay.value == 4)
    }

    @Test func holdsNoLockWhileItsClosureRuns() throws {
        let lock = RecursiveMutex()
        let subscription = relay.subscribe(onNext: { _ in lock.withLock {} })
        try lock.withLock {
            try relay.update { [relay] value in
                let seen = try runOnThread { relay.value }
                value = seen + 1
            }
        }
        #expect(relay.value == 1)
        subscription.dispose()
    }

    @Test func replacedValueIsFreed() {
        let tracker = LifetimeTracker()
        let relay = BehaviorRelay(value: tracker.make(1))
        relay.update { [tracker] in $0 = tracker.make($0.value + 1) }
        #expect(relay.value.value == 2)
        #expect(tracker.live == 1)
    }

    @Test func aClosureThatAcceptsStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let relay = BehaviorRelay(value: 0)
            relay.update { _ in relay.accept(1) }
        }
        #expect(words(result).contains("The closure of an update must not change the value of the same relay."))
    }

    @Test func aClosureThatUpdatesStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let relay = BehaviorRelay(value: 0)
            relay.update { _ in relay.update { $0 += 1 } }
        }
        #expect(words(result).contains("The closure of an update must not change the value of the same relay."))
    }

    private func words(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }
}

struct BehaviorRelayUpdateRaceTests {
    @Test func fourThreadsLoseNoneOfAHundredThousand() throws {
        let relay = BehaviorRelay(value: 0)
        let told = Guarded([Int]())
        let subscription = relay.subscribe(onNext: { value in told.withLock { $0.append(value) } })
        try runConcurrently(threads: 4) { _ in
            for _ in 0..<25_000 { relay.update { $0 += 1 } }
        }
        #expect(relay.value == 100_000)
        #expect(told.withLock { $0 } == Array(0...100_000))
        subscription.dispose()
    }

    @Test func concurrentUpdatesReturnEachValueOnce() throws {
        let relay = BehaviorRelay(value: 0)
        let returned = Guarded(Set<Int>())
        try runConcurrently(threads: 4) { _ in
            var mine: [Int] = []
            for _ in 0..<5_000 {
                mine.append(
                    relay.update {
                        $0 += 1
                        return $0
                    })
            }
            returned.withLock { $0.formUnion(mine) }
        }
        #expect(returned.withLock { $0 } == Set(1...20_000))
    }

    @Test func updatesFromObserversLoseNone() throws {
        let relay = BehaviorRelay(value: (turns: 0, echoes: 0))
        let echoed = Guarded(Set<Int>())
        let subscription = relay.subscribe(onNext: { [relay] value in
            // Each update calls this closure again. `echoed` limits the updates here to one for each number of turns.
            guard value.turns.isMultiple(of: 3), echoed.withLock({ $0.insert(value.turns).inserted }) else { return }
            relay.update { $0.echoes += 1 }
        })
        try runConcurrently(threads: 4) { _ in
            for _ in 0..<5_000 { relay.update { $0.turns += 1 } }
        }
        #expect(relay.value.turns == 20_000)
        #expect(relay.value.echoes == echoed.withLock { $0.count })
        #expect(relay.value.echoes > 6_000)
        subscription.dispose()
    }

    @Test func updatesAndElementsGetOnTogether() throws {
        let relay = BehaviorRelay(value: [Int](repeating: 0, count: 4))
        let last = Guarded([Int]())
        let subscription = relay.subscribe(onNext: { value in last.withLock { $0 = value } })
        try runConcurrently(threads: 4) { thread in
            for turn in 1...5_000 {
                if turn.isMultiple(of: 10) { relay.accept(relay.value) }
                relay.update { $0[thread] = turn }
            }
        }
        // `accept` may replace a newer value. But each thread ends with an update, and the last update is in the final
        // value.
        #expect(relay.value.contains(5_000))
        #expect(last.withLock { $0 } == relay.value)
        subscription.dispose()
    }
}
