@testable import RxStreams
import RxSwift
import Synchronization
import Testing

struct LanesTests {
    final class Key: Hashable, Sendable {
        static func == (lhs: Key, rhs: Key) -> Bool { lhs === rhs }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    @Test func keysWhoseWorkIsDoneAreLetGo() async throws {
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

    @Test func fewKeysWhoseWorkIsDoneAreKeptHoweverManyThereWere() async throws {
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

    @Test func aLaneIsIdleOnceItsWorkIsDone() async throws {
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
