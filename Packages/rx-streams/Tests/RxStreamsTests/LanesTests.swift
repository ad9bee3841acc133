@testable import RxStreams
import RxSwift
import Synchronization
import Testing

struct LanesTests {
    final class Key: Hashable, Sendable {
        static func == (lhs: Key, rhs: Key) -> Bool { lhs === rhs }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    @Test func finishedKeysAreReleased() async throws {
        let lanes = Lanes<Int>(HistoricalScheduler())
        let table = LaneTable<Key, Int>(lanes)
        weak var first: Key?
        for number in 0..<100 {
            let key = Key()
            if number == 0 { first = key }
            table.add(number, to: key)
            let work = try #require(try await lanes.take())
            #expect(work.item == number)
            lanes.finish(work.lane)
        }
        #expect(first == nil)
    }

    @Test func finishedKeysKeptAreFew() async throws {
        final class Counted: Hashable, Sendable {
            let living: Living
            init(_ living: Living) {
                self.living = living
                living.count.add(1, ordering: .relaxed)
            }
            deinit { living.count.subtract(1, ordering: .relaxed) }
            static func == (lhs: Counted, rhs: Counted) -> Bool { lhs === rhs }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        final class Living: Sendable {
            let count = Atomic(0)
        }
        let (lanes, living) = (Lanes<Int>(HistoricalScheduler()), Living())
        let table = LaneTable<Counted, Int>(lanes)
        var most = 0
        for number in 0..<1_000 {
            table.add(number, to: Counted(living))
            lanes.finish(try await lanes.take()?.lane)
            most = max(most, living.count.load(ordering: .relaxed))
        }
        #expect(most <= 65)
    }

    @Test func lanesStayOpenWhileElementsWaitForWorker() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run(for: .seconds(60)) {
            let driver = broker.driver
            let lanes = Lanes<Int>(driver.scheduler)
            lanes.add(1, to: nil)
            let closed = Mutex(false)
            let closing = Task(executorPreference: driver.executor) {
                try await lanes.close()
                closed.withLock { $0 = true }
            }
            try await driver.sleep(.seconds(1))
            let isEarly = closed.withLock { $0 }
            #expect(!isEarly)
            let work = try #require(try await lanes.take())
            lanes.finish(work.lane)
            try await closing.value
        }
    }

    @Test func lanesStayOpenDuringRetryDelay() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run(for: .seconds(60)) {
            let driver = broker.driver
            let lanes = Lanes<Int>(driver.scheduler)
            lanes.add(1, to: nil)
            lanes.putBack(try #require(try await lanes.take()), after: .seconds(10))
            let closing = Task(executorPreference: driver.executor) {
                let begun = driver.scheduler.now
                try await lanes.close()
                return driver.scheduler.now.timeIntervalSince(begun)
            }
            let work = try #require(try await lanes.take())
            lanes.finish(work.lane)
            #expect(try await closing.value >= 10)
        }
    }

    @Test func elementInRetryDelayKeepsItsLane() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run(for: .seconds(60)) {
            let (lanes, lane) = (Lanes<Int>(broker.driver.scheduler), Lanes<Int>.Lane())
            for number in 1...2 { lanes.add(number, to: lane) }
            lanes.putBack(try #require(try await lanes.take()), after: .seconds(10))
            #expect(!lanes.isIdle(lane))
            var taken: [Int] = []
            for _ in 1...2 {
                let work = try #require(try await lanes.take())
                taken.append(work.item)
                lanes.finish(work.lane)
            }
            #expect(taken == [1, 2])
        }
    }

    @Test(arguments: [false, true])
    func schedulerShutDownEndsRetryDelayAtOnce(before: Bool) async throws {
        let scheduler = PthreadScheduler()
        let lanes = Lanes<Int>(scheduler)
        lanes.add(1, to: nil)
        let work = try #require(try await lanes.take())
        if before { scheduler.shutdown() }
        lanes.putBack(work, after: .seconds(1_000_000))
        if !before { scheduler.shutdown() }
        // Ends the wait below if the pause does not end.
        let alarm = Task {
            try await Task.sleep(for: .seconds(10))
            lanes.add(2, to: nil)
        }
        #expect(try await lanes.take()?.item == 1)
        alarm.cancel()
    }

    @Test func elementInRetryDelayIsReleasedAtEnd() async throws {
        final class Held: Sendable {}
        let scheduler = HistoricalScheduler()
        weak var held: Held?
        do {
            let lanes = Lanes<Held>(scheduler)
            let item = Held()
            held = item
            lanes.add(item, to: nil)
            lanes.putBack(try #require(try await lanes.take()), after: .seconds(10))
            lanes.end()
        }
        #expect(held == nil)
        withExtendedLifetime(scheduler) {}
    }

    @Test func cancelledCloseDoesNotWaitForWorkers() async throws {
        let lanes = Lanes<Int>(HistoricalScheduler())
        lanes.add(1, to: nil)
        _ = try await lanes.take()
        let closing = Task { try await lanes.close() }
        closing.cancel()
        // Ends the wait below if `close` does not return.
        let alarm = Task {
            try await Task.sleep(for: .seconds(10))
            lanes.finish(nil)
        }
        await #expect(throws: CancellationError.self) { try await closing.value }
        alarm.cancel()
    }

    @Test func laneIsIdleAfterItsWork() async throws {
        let (lanes, lane) = (Lanes<Int>(HistoricalScheduler()), Lanes<Int>.Lane())
        for number in 1...2 { lanes.add(number, to: lane) }
        for number in 1...2 {
            let work = try #require(try await lanes.take())
            #expect(work.item == number && !lanes.isIdle(lane))
            lanes.finish(work.lane)
        }
        #expect(lanes.isIdle(lane))
    }
}
