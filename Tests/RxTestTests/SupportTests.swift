import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SupportTests {
    @Test func sourcesFailWithTheTestsError() {
        let scheduler = TestScheduler(initialClock: 0)
        #expect(scheduler.hot("-1#").recordedEvents == [.next(201, 1), .error(202, TestError.a)])
        #expect(scheduler.cold("a#", values: ["a": 10]).recordedEvents == [.next(0, 10), .error(1, TestError.a)])
    }

    @Test func outcomeComparesEventsAndSubscriptions() {
        let first = outcome("-1-2|") { $0.take(1) }
        first.expect("-(1|)", subscribed: "^!")
        #expect(report { first.expect("-1", subscribed: "^!") }.contains("201: expected 1, got 1 |"))
        #expect(report { first.expect("-(1|)") }.contains("expected none, got (200: 201)"))
        #expect(report { first.expect("-(1|)", subscribed: "^-!") }.contains("expected (200: 202), got (200: 201)"))
    }

    @Test func anOutcomeOfSeveralSourcesHasASubscriptionOfEach() {
        let scheduler = TestScheduler(initialClock: 0)
        let (first, second) = (scheduler.hot("-1|"), scheduler.hot("--2-|"))
        let both = Outcome(scheduler.start { first.concat(second) }, first, second)
        both.expect("-12-|", subscribed: "^-!", "--^-!")
        #expect(report { both.expect("-12-|", subscribed: "^-!", "-^--!") }.contains("expected (201: 204)"))
        #expect(report { both.expect("-12-|", subscribed: "^--!", "--^-!") }.contains("expected (200: 203)"))
    }

    @Test func lifetimesAreCounted() {
        let tracker = LifetimeTracker()
        let ends = Log()
        var elements = [tracker.make(1), tracker.make(2) { ends("gone") }]
        #expect(tracker.live == 2)
        elements.removeLast()
        #expect(tracker.live == 1)
        #expect(tracker.made == 2)
        #expect(ends.text == "gone")
        #expect(elements == [tracker.make(1)])
    }

    @Test func logKeepsOrderAndTakeEmptiesIt() {
        let log = Log()
        log("a")
        log(1)
        #expect(log.entries == ["a", "1"])
        #expect(log.take() == "a 1")
        #expect(log.text == "")
    }

    @Test func aThreadHandsOverItsResult() throws {
        #expect(try runOnThread { 42 } == 42)
        #expect(throws: TestError.a) { try runOnThread { throw TestError.a } }
    }

    @Test func aThreadThatHangsIsReported() {
        #expect(throws: TimedOut.self) {
            try runOnThread(timeout: 0.05) {
                let mutex = RecursiveMutex()
                mutex.lock()
                // Without the inner time limit, the abandoned thread would never end.
                defer { mutex.unlock() }
                try runOnThread(timeout: 5) {
                    mutex.lock()
                    mutex.unlock()
                }
            }
        }
    }

    @Test func aThreadHasTheStackItAsksFor() throws {
        func depth(_ left: Int) -> Int {
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) {
                left == 0 ? Int($0[0] & 0) : depth(left - 1) + 1
            }
        }
        #expect(try runOnThread(stackSize: 64 << 20) { depth(4000) } == 4000)
    }

    @Test func threadsBeginTogetherAndAreAwaited() throws {
        let log = Log()
        try runConcurrently(threads: 8) { log($0) }
        #expect(Set(log.entries) == Set((0..<8).texts))
    }

    @Test func threadsThatHangAreCounted() {
        let mutex = RecursiveMutex()
        mutex.lock()
        defer { mutex.unlock() }
        let error = #expect(throws: TimedOut.self) {
            try runConcurrently(threads: 3, timeout: 2) { index in
                if index > 0 { mutex.withLock {} }
            }
        }
        #expect(error?.what == "2 of 3 threads")
    }

    @Test func recursiveMutexAdmitsOnlyItsHolderAgain() throws {
        let mutex = RecursiveMutex()
        let log = Log()
        mutex.withLock {
            mutex.withLock { log("again") }
            #expect(throws: TimedOut.self) {
                try runOnThread(timeout: 0.05) { mutex.withLock { log("other") } }
            }
            log("mine")
        }
        try runOnThread { mutex.withLock {} }
        #expect(log.entries.prefix(2) == ["again", "mine"])
    }
}
