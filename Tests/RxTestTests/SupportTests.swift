import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SupportTests {
    @Test func marblesAreReadAndWritten() {
        #expect(marbles("210:1 220! 230|") == [.next(210, 1), .error(220, TestError.a), .completed(230)])
        #expect(
            marbles([.next(210, -1), .error(220, TestError.b), .completed(230)] as [Recorded<Event<Int>>])
                == "210:-1 220!b 230|")
        #expect(marbles(marbles("0:0 1:-1 2!")) == "0:0 1:-1 2!")
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

    @Test func aLogKeepsTheOrderAndIsTakenWhole() {
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
                try runOnThread(timeout: 5) { mutex.lock() }
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
        #expect(Set(log.entries) == Set((0..<8).map(String.init)))
    }

    @Test func threadsThatHangAreCounted() {
        let mutex = RecursiveMutex()
        mutex.lock()
        defer { mutex.unlock() }
        let error = #expect(throws: TimedOut.self) {
            try runConcurrently(threads: 3, timeout: 0.05) { index in
                if index > 0 { mutex.withLock {} }
            }
        }
        #expect(error?.what == "2 of 3 threads")
    }

    @Test func aRecursiveMutexLetsItsHolderInAgainAndNobodyElse() throws {
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
