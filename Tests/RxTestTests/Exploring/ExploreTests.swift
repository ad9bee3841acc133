import Dispatch
import RxRelay
import RxSwift
import Synchronization
import TestSupport
import Testing

@testable import RxTest

/// Checks and sells in two steps, so two calls may sell the last seat.
private struct Office {
    let seats = BehaviorRelay(value: 1)
    let sold = PublishRelay<String>()

    func sell(_ name: String) {
        guard seats.value > 0 else { return }
        seats.accept(seats.value - 1)
        sold.accept(name)
    }

    func sellInOneStep(_ name: String) {
        let isSold = seats.update { seats in
            guard seats > 0 else { return false }
            seats -= 1
            return true
        }
        if isSold { sold.accept(name) }
    }
}

private func failure(
    schedules: Int = 1_000, seed: UInt64 = 1, patience: Int = 5_000, replay: String? = nil,
    _ body: @escaping (ExploredWorld) -> Void
) -> String? {
    try! Exploration(schedules: schedules, seed: seed, patience: patience, body).report(replaying: replay)
}

private func schedule(_ text: String) -> String {
    text.split(separator: "replay: \"").last.map { String($0.prefix { $0 != "\"" }) } ?? ""
}

@Suite struct ExploreTests {
    @Test func checkThenActOnRelayIsFoundMinimisedAndReplayed() throws {
        func sellLastSeat(_ world: ExploredWorld) {
            let office = Office()
            let sold = world.record(office.sold, as: "sold")
            world.thread("a") { office.sell("Ada") }
            world.thread("b") { office.sell("Bea") }
            world.finally { sold.elements.count == 1 }
        }
        let text = try #require(failure(sellLastSeat))
        #expect(text.contains("the condition of world.finally"))
        #expect(text.contains("sold: "))
        let name = schedule(text)
        #expect(name.hasPrefix("switches:"))
        #expect(name.split(separator: ",").count <= 3)
        let again = try #require(failure(replay: name, sellLastSeat))
        #expect(text.split(separator: "\n").dropFirst().first { $0.contains("a  ") } != nil)
        let table = text.split(separator: "\n").filter { $0.hasPrefix("    ") }
        #expect(again.split(separator: "\n").filter { $0.hasPrefix("    ") } == table)
    }

    @Test func saleInOneStepPasses() {
        explore { world in
            let office = Office()
            let sold = world.record(office.sold)
            world.thread("a") { office.sellInOneStep("Ada") }
            world.thread("b") { office.sellInOneStep("Bea") }
            world.finally { sold.elements.count == 1 }
        }
    }
}

// MARK: Conditions

extension ExploreTests {
    @Test func checkThenActFailsTest() {
        let text = report {
            explore { world in
                let relay = BehaviorRelay(value: 0)
                world.thread("a") { relay.accept(relay.value + 1) }
                world.thread("b") { relay.accept(relay.value + 1) }
                world.finally { relay.value == 2 }
            }
        }
        #expect(text.contains("A schedule of the threads fails: the condition of world.finally in line"))
        #expect(text.contains("Replay it with: explore(replay: \"switches:"))
    }

    @Test func totalThroughSchedulerIsRight() {
        explore(schedules: 300) { world in
            let orders = PublishSubject<Int>()
            let totals = world.record(orders.scan(0, accumulator: +).observe(on: world.scheduler("totals")))
            world.thread("a") {
                orders.onNext(1)
                orders.onNext(2)
            }
            world.thread("b") { orders.onNext(3) }
            world.finally { totals.elements.last == 6 && totals.elements.count == 3 }
        }
    }

    @Test func bothOrdersAreExplored() {
        let orders = Mutex<Set<[Int]>>([])
        explore(schedules: 100) { world in
            let source = PublishSubject<Int>()
            let record = world.record(source)
            world.thread("a") { source.onNext(1) }
            world.thread("b") { source.onNext(2) }
            world.finally {
                orders.withLock { _ = $0.insert(record.elements) }
                return true
            }
        }
        #expect(orders.withLock { $0 } == [[1, 2], [2, 1]])
    }

    @Test func errorOfBodyIsThrown() {
        struct Refused: Error {}
        #expect(throws: Refused.self) { try explore { _ in throw Refused() } }
        explore(schedules: 1) { _ in }
    }

    @Test(arguments: [
        "thursday", "", "switches:a.b", "switches:1", "switches:1.2.3", "random:1", "random:x:2", "pct:1:2",
        "switches:" + Array(repeating: "1.1", count: 20_000).joined(separator: ","),
    ])
    func unknownNameOfScheduleIsReported(_ name: String) {
        #expect(failure(replay: name) { _ in }?.contains("cannot be replayed") == true)
    }

    @Test func explorationWithinAnotherIsReported() {
        var inner: String?
        #expect(failure(schedules: 1) { _ in inner = failure(schedules: 1) { _ in } } == nil)
        #expect(inner == "explore was called within another exploration")
    }

    @Test func pointOfProgramLetsOtherThreadRun() throws {
        func body(_ world: ExploredWorld) {
            let counter = Box(0)
            for name in ["a", "b"] {
                world.thread(name) {
                    let seen = counter.value
                    world.point("between")
                    counter.value = seen + 1
                }
            }
            world.finally { counter.value == 2 }
        }
        #expect(try #require(failure(body)).contains("between"))
    }
}

private final class Box<Value>: @unchecked Sendable {  // because only the thread that runs uses it
    var value: Value
    init(_ value: Value) { self.value = value }
}

// MARK: Time

extension ExploreTests {
    @Test func timersFireInOrderOfTheirTimes() {
        explore(schedules: 200) { world in
            let time = world.scheduler("time")
            let later = Observable.just(2).delay(.seconds(3_600), scheduler: time)
            let sooner = Observable.just(1).delay(.seconds(60), scheduler: time)
            let record = world.record(Observable.merge(later, sooner).observe(on: world.scheduler("result")))
            world.finally { record.elements == [1, 2] && time.now.timeIntervalSinceReferenceDate >= 3_600 }
        }
    }

    @Test func timerMayFireBeforeOtherThreadContinues() throws {
        let text = failure { world in
            let input = PublishSubject<Int>()
            let record = world.record(input.debounce(.seconds(1), scheduler: world.scheduler("time")))
            world.thread("a", { input.onNext(1) }, { input.onNext(2) })
            world.finally { record.elements == [2] }
        }
        #expect(try #require(text).contains("timer of time"))
    }

    @Test func periodicActionEndsWithItsDisposal() {
        explore(schedules: 100) { world in
            let record = world.record(
                Observable<Int>.interval(.seconds(1), scheduler: world.scheduler("time")).take(3))
            world.finally { record.elements == [0, 1, 2] }
        }
    }

    @Test func runWithoutEndIsReported() throws {
        let text = failure(schedules: 1) { world in
            _ = world.record(Observable<Int>.interval(.seconds(1), scheduler: world.scheduler("time")))
        }
        #expect(try #require(text).contains("no end after"))
    }
}

// MARK: The default schedule

extension ExploreTests {
    private func explored(
        _ body: @escaping (_ run: Int, _ world: ExploredWorld) -> Void
    ) -> (runs: Int, text: String?) {
        let runs = Box(0)
        let text = failure(schedules: 1, patience: 100) { world in
            runs.value += 1
            body(runs.value, world)
        }
        return (runs.value, text)
    }

    @Test func failureOfDefaultScheduleIsReportedEvenIfOthersPass() throws {
        // The default schedule must find this order. A random schedule seldom does.
        let orders = Box<[String]>([])
        let (_, text) = explored { _, world in
            orders.value = []
            let names = ["a", "b", "c", "d"]
            for name in names { world.thread(name) { orders.value.append(name) } }
            world.finally { orders.value != names }
        }
        #expect(schedule(try #require(text)) == "switches:")
    }

    @Test func failureOfFirstRunAloneIsReported() throws {
        let (_, text) = explored { run, world in world.finally { run > 1 } }
        #expect(try #require(text).contains("only the first run of this schedule fails"))
    }

    @Test func defaultScheduleThatWaitsIsNotMinimised() throws {
        let (runs, text) = explored { _, world in
            let never = DispatchSemaphore(value: 0)
            world.thread("a") { never.wait() }
        }
        #expect(try #require(text).contains("has reached no control point for 100 ms"))
        // One run finds the failure, one repeats it, and one draws the timeline.
        #expect(runs == 3)
    }

    @Test func orderOfActionsThatWaitsIsReportedOnce() throws {
        let (runs, text) = explored { run, world in
            let never = DispatchSemaphore(value: 0)
            for name in ["a", "b"] {
                world.thread(name, {}, { if run > 1 { never.wait() } })
            }
            world.finally { world.isLinearizable }
        }
        #expect(try #require(text).contains("in an order of the program's actions, a thread has reached no control"))
        #expect(runs <= 5)
    }
}

// MARK: Foreign threads, locks and state

extension ExploreTests {
    @Test func eventOfForeignThreadIsRefused() throws {
        let text = failure(schedules: 5) { world in
            let done = DispatchSemaphore(value: 0)
            let source = PublishSubject<Int>()
            _ = world.record(
                source.observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "foreign")).do(
                    afterNext: { _ in done.signal() }), as: "totals")
            world.thread("a") {
                source.onNext(1)
                done.wait()
            }
        }
        #expect(try #require(text).contains("totals received an event on a thread that the world does not control"))
    }

    @Test func lockHeldAcrossControlPointIsReported() throws {
        let text = failure(patience: 100) { world in
            let lock = DispatchSemaphore(value: 1)
            for name in ["a", "b"] {
                world.thread(name) {
                    lock.wait()
                    world.point()
                    lock.signal()
                }
            }
        }
        #expect(try #require(text).contains("has reached no control point for 100 ms"))
    }

    @Test func programThatDependsOnEarlierRunIsReported() throws {
        let runs = Mutex(0)
        let text = failure { world in
            let number = runs.withLock { runs in
                runs += 1
                return runs
            }
            world.thread("a") { world.note(number) }
        }
        #expect(try #require(text).contains("two runs of the same schedule differ"))
    }

    @Test func eventAfterEndIsReported() throws {
        let text = failure { world in
            let record = world.record(Observable<Int>.never(), as: "wild")
            world.thread("a", { record.receive(.completed) }, { record.receive(.next(1)) })
        }
        #expect(try #require(text).contains("wild received 1 after its end"))
    }

    @Test func overlappingCallsOfObserverAreReported() throws {
        let text = failure { world in
            // Only a faulty library calls an observer on two threads at once.
            let record = world.record(Observable<Int>.never(), as: "wild")
            world.thread("a") { record.receive(.next(1)) }
            world.thread("b") { record.receive(.next(2)) }
        }
        #expect(try #require(text).contains("while another thread was in its observer"))
    }
}

// MARK: Linearizability

extension ExploreTests {
    private func explores(isExact: Bool) -> String? {
        failure { world in
            let count = BehaviorRelay(value: 0)
            for name in ["a", "b"] {
                world.thread(name) {
                    if isExact {
                        world.note(
                            count.update { count in
                                count += 1; return count
                            })
                    } else {
                        count.accept(count.value + 1)
                        world.note(count.value)
                    }
                }
            }
            world.finally { world.isLinearizable }
        }
    }

    @Test func exactCounterIsLinearizable() {
        #expect(explores(isExact: true) == nil)
    }

    @Test func counterThatLosesIncrementIsNotLinearizable() throws {
        #expect(try #require(explores(isExact: false)).contains("results that an order of the actions gives"))
    }

    @Test func mergedSequenceIsLinearizable() {
        explore(schedules: 300) { world in
            let (one, two) = (PublishSubject<Int>(), PublishSubject<Int>())
            _ = world.record(Observable.merge(one, two).scan(0) { $0 * 10 + $1 })
            world.thread("a", { one.onNext(1) }, { one.onNext(2) })
            world.thread("b", { two.onNext(3) }, { two.onCompleted() })
            world.finally { world.isLinearizable }
        }
    }
}

// MARK: The table

extension ExploreTests {
    @Test func tableHasRowForEachThread() {
        let entries = [("a", "begins"), ("b", "value"), ("a", "push")].map {
            ExploredWorld.Entry(thread: $0.0, text: $0.1)
        }
        #expect(Exploration.rows(entries) == ["a  begins         push", "b          value"])
    }

    @Test func wideTableIsCut() {
        let entries = (0..<8).map { ExploredWorld.Entry(thread: "a", text: String(repeating: "\($0)", count: 30)) }
        let rows = Exploration.rows(entries)
        #expect(rows.count > 3)
        #expect(rows.allSatisfy { $0.count <= 110 })
    }
}
