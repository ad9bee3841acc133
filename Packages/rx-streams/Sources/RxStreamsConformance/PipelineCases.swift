import RxStreams
import RxSwift
import RxResilience
import Synchronization

extension ConformanceCase {
    static let pipelines = [
        ConformanceCase("all published elements are handled") { world in
            let orders = try await world.orders()
            let handled = Heard()
            let work = orders.work(as: "g", concurrency: 4, deadline: world.units(20)) { handled.add("\($0)") }
                .subscribe()
            var positions: [Position] = []
            for try await position in Observable.range(start: 1, count: 200).publish(
                to: orders, id: { "\($0)" }, inFlight: 16
            ).values(buffering: .pausing(16)) {
                positions.append(position)
            }
            try expect(positions.map(\.number), Array(1...200), "positions")
            try await world.eventually("all handled") { handled.all.count == 200 }
            try await world.eventually("all settled") { try await world.lag(of: orders) == 0 }
            work.dispose()
        },
        ConformanceCase("publishing twice under the same ids stores each element once") { world in
            let orders = try await world.orders()
            for _ in 1...2 {
                for try await _ in Observable.range(start: 1, count: 20).publish(to: orders, id: { "\($0)" }).values(
                    buffering: .pausing(16))
                {}
            }
            try expect(try await orders.summary().count, 20, "messages kept")
        },
        ConformanceCase("a failing message becomes a dead letter after its attempts") { world in
            let orders = try await world.orders()
            try await world.publish(1...5, to: orders)
            let attempts = Heard()
            let count = Mutex(0)
            let outcomes = Heard()
            let work = orders.work(
                as: "g", concurrency: 2, retry: .every(world.units(0.1)), attempts: 3, deadline: world.units(20)
            ) { order in
                if order == 3 {
                    attempts.add("attempt \(count.withLock { $0 += 1; return $0 })")
                    throw Poison(description: "poison\0\r\nof two lines")
                }
            }.subscribe(onNext: { outcome in
                switch outcome {
                case .handled(let delivery): outcomes.add("handled \(delivery.element)")
                case .retrying(let delivery, _, _): outcomes.add("retrying \(delivery.element)")
                case .dead(let delivery, let why): outcomes.add("dead \(delivery.element) \(why)")
                case .untold(let delivery): outcomes.add("untold \(delivery.element)")
                }
            })
            try await world.eventually("all settled") {
                let lag = try await world.lag(of: orders)
                return lag == 0 && outcomes.all.count == 6
            }
            work.dispose()
            try expect(attempts.all, ["attempt 1", "attempt 2", "attempt 3"], "attempts")
            try expect(
                outcomes.all,
                [
                    "handled 1", "handled 2", "handled 4", "handled 5", "retrying 3",
                    "dead 3 poison\0\r\nof two lines",
                ], "outcomes")
            let dead = try await world.dead(of: orders)
            try expect(dead.map(\.position.number), [3], "dead letters")
            try expect(dead.map(\.attempts), [3], "their attempts")
            try expect(dead.map(\.reason), ["poison   of two lines"], "their reasons")
            try expect(dead.map(\.payload), [Array("3".utf8)], "their bytes")
        },
        ConformanceCase("an undecodable message becomes a dead letter, and the rest is handled") { world in
            let orders = try await world.orders()
            let messages = ["1", "no number", "2"].map { NewMessage(orders.settings.subjects[0], [UInt8]($0.utf8)) }
            _ = try await world.driver.append(messages, to: orders.name)
            let handled = Heard()
            let work = orders.work(as: "g", deadline: world.units(20)) { handled.add("\($0)") }.subscribe()
            try await world.eventually("all settled") {
                let lag = try await world.lag(of: orders)
                return lag == 0 && handled.all.count == 2
            }
            work.dispose()
            try expect(try await world.dead(of: orders).map(\.payload), [Array("no number".utf8)], "dead letters")
            try expect(handled.all, ["1", "2"], "handled")
        },
        ConformanceCase("elements in flight are returned when the chain is disposed of") { world in
            let orders = try await world.orders()
            try await world.publish(1...10, to: orders)
            let got = Heard()
            let subscription = orders.deliveries(to: "g", inFlight: 4, deadline: world.units(500))
                .subscribe(onNext: { got.add("\($0.element)") })
            try await world.eventually("four are out") { got.all.count == 4 }
            subscription.dispose()
            let member = try await world.driver.join(world.group { $0.deadline = world.units(500) }, of: orders.name)
            try expect(try await world.finish(10, from: member).sorted(), Array(1...10), "what another one gets")
            await member.leave()
        },
        ConformanceCase("elements of a disposed chain with room left come to another member, once") { world in
            let orders = try await world.orders()
            try await world.publish(1...3, to: orders)
            let begun = Heard()
            let work = orders.work(as: "g", concurrency: 8, deadline: world.units(500)) { order in
                begun.add("\(order)")
                try await world.driver.sleep(world.units(500))
            }.subscribe()
            try await world.eventually("three have begun") { begun.all.count == 3 }
            work.dispose()
            let member = try await world.driver.join(world.group { $0.deadline = world.units(500) }, of: orders.name)
            let again = try await world.pull(3, from: member)
            try expect(again.map { world.number($0.stored) }.sorted(), [1, 2, 3], "what another one gets")
            try expect(again.map(\.attempt), [2, 2, 2], "attempts")
            try await member.settle(again.map { Verdict($0.token, .done) })
            try expect(try await member.pull(upTo: 3, within: world.unit).count, 0, "what came besides")
            await member.leave()
        },
        ConformanceCase("a message that arrives during a drain comes to another member at once") { world in
            let orders = try await world.orders()
            try await world.publish(1...1, to: orders)
            let (begun, gate, drain) = (Heard(), AsyncGate(), Drain())
            let work = orders.work(as: "g", concurrency: 8, deadline: world.units(500), until: drain) { order in
                begun.add("\(order)")
                try await gate.pass()
            }.subscribe()
            try await world.eventually("it has begun") { begun.all.count == 1 }
            drain.stop()
            let member = try await world.driver.join(world.group { $0.deadline = world.units(500) }, of: orders.name)
            // A message that is stored just after `stop()` may still go to the draining member, so the test waits.
            try await world.driver.sleep(world.unit)
            try await world.publish(2...2, to: orders)
            let pulled = try await world.pull(1, from: member)
            try expect(pulled.map { world.number($0.stored) }, [2], "what another one gets")
            try expect(pulled.map(\.attempt), [1], "attempts")
            gate.open()
            try await world.eventually("the first is handled") { try await orders.summary(of: "g").unsettled == 1 }
            await member.leave()
            work.dispose()
        },
        ConformanceCase("no element of a batch is stored after one with a foreign subject") { world in
            let orders = try await world.orders()
            let subject = orders.settings.subjects[0]
            var kept: [Position] = []
            try await expectError("a foreign subject", \.isRefused) {
                let positions = Observable.of(1, 2, 3).publish(
                    to: orders, subject: { $0 == 2 ? "foreign-\(world.tag)" : subject })
                for try await position in positions.values(buffering: .pausing(8)) { kept.append(position) }
            }
            try expect(kept, [Position(1)], "positions")
            try expect(try await orders.summary().count, 1, "messages kept")
        },
        ConformanceCase("a group with a filter that matches no subject of the stream is refused") { world in
            let orders = try await world.orders()
            try await expectError("a filter that nothing passes", \.isRefused) {
                let deliveries = orders.deliveries(to: "g", subject: "\(orders.name).x")
                for try await _ in deliveries.values(buffering: .pausing(1)) {}
            }
        },
        ConformanceCase("all elements with empty ids are stored") { world in
            let orders = try await world.orders()
            for try await _ in Observable.of(1, 2, 3).publish(to: orders, id: { _ in "" }).values(
                buffering: .pausing(8))
            {}
            try expect(try await orders.summary().count, 3, "messages kept")
        },
        ConformanceCase("at most inFlight elements are unsettled") { world in
            let orders = try await world.orders()
            try await world.publish(1...30, to: orders)
            let out = Mutex<[Delivery<Int>]>([])
            let subscription = orders.deliveries(to: "g", inFlight: 5, deadline: world.units(500))
                .subscribe(onNext: { delivery in out.withLock { $0.append(delivery) } })
            try await world.eventually("five are out") { out.withLock { $0.count } == 5 }
            try await world.driver.sleep(world.unit)
            try expect(try await orders.summary(of: "g").unsettled, 5, "unsettled")
            try await world.eventually("all settled") {
                while true {
                    let (next, count) = out.withLock { out in (out.isEmpty ? nil : out.removeFirst(), out.count) }
                    guard let next else { break }
                    try expect(count < 5, "\(count + 1) are in flight")
                    next.ack()
                }
                // An engine may process a pull before the verdicts that made room for it, and briefly exceed the bound.
                try await world.eventually("five unsettled at most") {
                    try await orders.summary(of: "g").unsettled <= 5
                }
                return try await world.lag(of: orders) == 0
            }
            subscription.dispose()
        },
        ConformanceCase("a paused chain pulls nothing") { world in
            let orders = try await world.orders()
            try await world.publish(1...50, to: orders)
            let gate = AsyncGate()
            let handled = Heard()
            // The elements are settled at once, so only the paused chain can stop the pulling.
            let subscription = orders.deliveries(to: "g", inFlight: 10, deadline: world.units(500))
                .do(onNext: { $0.ack() })
                .concatMapAsync { delivery -> Int in
                    try await gate.pass()
                    handled.add("\(delivery.element)")
                    return delivery.element
                }
                .bounded(4)
                .subscribe()
            try await world.eventually("something was pulled") { try await world.lag(of: orders) < 50 }
            try await world.driver.sleep(world.units(3))
            let lag = try await world.lag(of: orders)
            try expect(lag >= 30, "\(50 - lag) of 50 were pulled and settled while the chain was paused")
            gate.open()
            try await world.eventually("all settled") { try await world.lag(of: orders) == 0 }
            try await world.eventually("all handled") { handled.all.count == 50 }
            subscription.dispose()
        },
        ConformanceCase("elements of one key are handled in order, one at a time") { world in
            let orders = try await world.orders()
            try await world.publish(1...60, to: orders)
            let seen = Mutex<[Int: [Int]]>([:])
            let running = Mutex<Set<Int>>([])
            let overlaps = Heard()
            let work = orders.work(
                as: "g", concurrency: 8, inOrderBy: { $0 % 3 }, retry: .every(world.units(0.05)), attempts: 5,
                deadline: world.units(50)
            ) { order in
                if !running.withLock({ $0.insert(order % 3).inserted }) { overlaps.add("\(order)") }
                defer { running.withLock { _ = $0.remove(order % 3) } }
                let tries = seen.withLock { seen -> Int in
                    seen[order % 3, default: []].append(order)
                    return seen[order % 3]!.count { $0 == order }
                }
                try await world.driver.sleep(world.units(0.01))
                if order % 10 == 0, tries == 1 { throw Poison() }
            }.subscribe()
            try await world.eventually("all settled") { try await world.lag(of: orders) == 0 }
            work.dispose()
            try expect(overlaps.all, [], "handled while another one of its key was")
            for key in 0...2 {
                var order = seen.withLock { $0[key] ?? [] }
                // Removes repetitions, which are adjacent: a failed element is tried again before the next one.
                order = order.enumerated().filter { $0.offset == 0 || order[$0.offset - 1] != $0.element }.map(
                    \.element)
                try expect(order, (1...60).filter { $0 % 3 == key }, "the order of key \(key)")
            }
        },
        ConformanceCase("a slow handler keeps its element") { world in
            let orders = try await world.orders()
            try await world.publish([1], to: orders)
            let count = Mutex(0)
            let work = orders.work(as: "g", deadline: world.units(10)) { _ in
                count.withLock { $0 += 1 }
                try await world.driver.sleep(world.units(25))
            }.subscribe()
            try await world.eventually("settled") {
                let begun = count.withLock { $0 }
                let lag = try await world.lag(of: orders)
                return begun > 0 && lag == 0
            }
            work.dispose()
            try expect(count.withLock { $0 }, 1, "times it was handled")
        },
        ConformanceCase("a drain stops pulling, and handlers in progress finish") { world in
            let orders = try await world.orders()
            try await world.publish(1...100, to: orders)
            let drain = Drain()
            let handled = Heard()
            let ended = Heard()
            let work = orders.work(as: "g", concurrency: 2, deadline: world.units(100), until: drain) { order in
                try await world.driver.sleep(world.units(0.2))
                handled.add("\(order)")
            }.subscribe(onNext: { _ in }, onError: { ended.add("\($0)") }, onCompleted: { ended.add("completed") })
            try await world.eventually("some are handled") { handled.all.count >= 3 }
            drain.stop()
            try await world.eventually("it has ended") { !ended.all.isEmpty }
            try expect(ended.all, ["completed"], "how it ended")
            // Engines differ in whether messages that were in transit count as unsettled.
            try await world.eventually("what was not handled is still to be done") {
                try await world.lag(of: orders) == 100 - handled.all.count
            }
            try expect(handled.all.count < 50, "\(handled.all.count) were handled")
            work.dispose()
        },
        ConformanceCase("closing a broker ends work that has no room, and no further handler begins") { world in
            let orders = try await world.orders()
            try await world.publish(1...8, to: orders)
            let other = try await world.another()
            let (begun, ended) = (Heard(), Heard())
            let work = other.stream(orders.name, of: Int.self)
                .work(as: "g", concurrency: 4, deadline: world.units(500)) { order in
                    begun.add("\(order)")
                    try await world.driver.sleep(world.units(60))
                }
                .subscribe(onError: { ended.add("\($0)") })
            try await world.eventually("four have begun") { begun.all.count == 4 }
            try await world.eventually("eight are out") { try await orders.summary(of: "g").unsettled == 8 }
            let closed = world.driver.scheduler.now
            await other.close()
            try await world.eventually("it has ended") { !ended.all.isEmpty }
            let took = world.driver.scheduler.now.timeIntervalSince(closed)
            try expect(took < world.units(30).inSeconds, "it ended after \(took) s")
            try expect(ended.all, ["\(BrokerError.closed)"], "how it ended")
            let member = try await world.driver.join(world.group { $0.deadline = world.units(500) }, of: orders.name)
            try expect(try await world.finish(8, from: member).sorted(), Array(1...8), "what another one gets")
            try expect(begun.all.count, 4, "handlers that have begun")
            await member.leave()
            work.dispose()
        },
        ConformanceCase("closing a broker ends unsettled deliveries") { world in
            let orders = try await world.orders()
            try await world.publish(1...8, to: orders)
            let other = try await world.another()
            let (got, ended) = (Heard(), Heard())
            let deliveries = other.stream(orders.name, of: Int.self)
                .deliveries(to: "g", inFlight: 4, deadline: world.units(500))
                .subscribe(onNext: { got.add("\($0.element)") }, onError: { ended.add("\($0)") })
            try await world.eventually("four are out") { got.all.count == 4 }
            let closed = world.driver.scheduler.now
            await other.close()
            try await world.eventually("it has ended") { !ended.all.isEmpty }
            let took = world.driver.scheduler.now.timeIntervalSince(closed)
            try expect(took < world.units(100).inSeconds, "it ended after \(took) s")
            try expect(ended.all, ["\(BrokerError.closed)"], "how it ended")
            let member = try await world.driver.join(world.group { $0.deadline = world.units(500) }, of: orders.name)
            try expect(try await world.finish(8, from: member).sorted(), Array(1...8), "what another one gets")
            await member.leave()
            deliveries.dispose()
        },
        ConformanceCase("closing a broker ends pipelines that wait for their source or downstream") { world in
            let orders = try await world.orders()
            try await world.publish(1...8, to: orders)
            let other = try await world.another()
            let (kept, ended, gate) = (Heard(), Heard(), AsyncGate())
            let stream = other.stream(orders.name, of: Int.self)
            let replay = stream.replay(from: .beginning)
                .concatMapAsync { record -> Record<Int> in
                    kept.add("replayed")
                    try await gate.pass()
                    return record
                }
                .bounded(1)
                .subscribe(onError: { ended.add("replay: \($0)") })
            let source = PublishSubject<Int>()
            let publish = source.publish(to: stream).subscribe(
                onNext: { _ in kept.add("published") }, onError: { ended.add("publish: \($0)") })
            source.onNext(9)
            try await world.eventually("both have begun") { kept.all == ["replayed", "published"] }
            await other.close()
            try await world.eventually("both have ended") { ended.all.count == 2 }
            let why = "\(BrokerError.closed)"
            try expect(ended.all, ["replay: \(why)", "publish: \(why)"], "how they ended")
            gate.open()
            replay.dispose()
            publish.dispose()
        },
        ConformanceCase("a replay sends stored, then new messages, each once and in order") { world in
            let orders = try await world.orders()
            try await world.publish(1...300, to: orders)
            let seen = Mutex<[Int]>([])
            let subscription = orders.replay(from: .beginning).subscribe(onNext: { record in
                seen.withLock { $0.append(record.element) }
            })
            try await world.eventually("history") { seen.withLock { $0.count } >= 300 }
            try await world.publish(301...320, to: orders)
            try await world.eventually("what came") { seen.withLock { $0.count } >= 320 }
            subscription.dispose()
            try expect(seen.withLock { $0 }, Array(1...320), "what was replayed")
        },
        ConformanceCase("a replay that is not live completes, from any start") { world in
            let orders = try await world.orders()
            var none: [Int] = []
            for try await record in orders.replay(from: .beginning, live: false).values(buffering: .pausing(64)) {
                none.append(record.element)
            }
            try expect(none, [], "of an empty stream")
            try await world.publish(1...30, to: orders)
            var some: [Int] = []
            for try await record in orders.replay(from: .position(Position(21)), live: false).values(
                buffering: .pausing(4))
            {
                some.append(record.element)
            }
            try expect(some, Array(21...30), "from the 21st")
        },
    ]
}

struct Poison: Error, CustomStringConvertible {
    var description = "poison"
}

/// Blocks tasks until it is opened.
final class AsyncGate: Sendable {
    private let isOpen = BehaviorSubject(value: false)

    func open() { isOpen.onNext(true) }

    func pass() async throws {
        _ = try await isOpen.filter { $0 }.take(1).asSingle().value
    }
}

extension ConformanceEnvironment {
    func orders() async throws -> DurableStream<Int> {
        let stream = broker.stream("o-\(tag)", of: Int.self)
        try await stream.ensure()
        return stream
    }

    func publish(_ numbers: some Sequence<Int> & Sendable, to stream: DurableStream<Int>) async throws {
        _ = try await driver.append(
            numbers.map { NewMessage(stream.settings.subjects[0], bytes($0)) }, to: stream.name)
    }

    /// Returns the group's lag; `.max` while the group does not exist.
    func lag(of stream: DurableStream<Int>) async throws -> Int {
        do { return try await stream.summary(of: "g").lag } catch BrokerError.missing { return .max }
    }

    func dead(of stream: DurableStream<Int>) async throws -> [DeadLetter] {
        var letters: [DeadLetter] = []
        for try await letter in stream.deadLetters(live: false).values(buffering: .pausing(16)) {
            letters.append(letter)
        }
        return letters
    }
}
