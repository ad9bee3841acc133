import RxStreams
import RxSwift
import Synchronization

extension ConformanceCase {
    static let reading = [
        ConformanceCase("each read returns the appended messages") { world in
            let stream = try await world.stream()
            try await world.append(1...300, to: stream)
            for _ in 1...2 {
                var all: [Int] = []
                while all.count < 300 {
                    let read = try await world.driver.read(
                        stream.name, from: Position(UInt64(all.count + 1)), limit: 70, within: world.units(20))
                    try expect((1...70).contains(read.count), "\(read.count) of at most 70")
                    all += read.map(world.number)
                }
                try expect(all, Array(1...300), "what was read")
            }
        },
        ConformanceCase("reading changes nothing for groups") { world in
            let stream = try await world.stream()
            let member = try await world.driver.join(world.group(), of: stream.name)
            try await world.append(1...3, to: stream)
            _ = try await world.driver.read(stream.name, from: Position(1), limit: 10, within: world.units(20))
            try expect(try await world.finish(3, from: member), [1, 2, 3], "what the group got")
            let read = try await world.driver.read(stream.name, from: Position(1), limit: 10, within: world.units(20))
            try expect(read.map(world.number), [1, 2, 3], "what was read when it was done")
            await member.leave()
        },
        ConformanceCase("a waiting read receives a new message") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let read = Task(executorPreference: world.driver.executor) {
                try await world.driver.read(stream.name, from: Position(2), limit: 5, within: world.units(100))
            }
            try await world.driver.sleep(world.unit)
            try await world.append([2], to: stream)
            try expect(try await read.value.map(world.number), [2], "what was read")
        },
        ConformanceCase("a read of an empty stream returns nothing") { world in
            let stream = try await world.stream()
            let read = try await world.driver.read(stream.name, from: Position(1), limit: 5, within: world.unit)
            try expect(read.count, 0, "messages")
        },
        ConformanceCase("a position, a time, the beginning and the end are found") { world in
            let stream = try await world.stream()
            try expect(try await world.driver.locate(.beginning, in: stream.name), Position(1), "of an empty stream")
            try await world.append(1...3, to: stream)
            try await world.driver.sleep(world.units(2))
            let read = try await world.driver.read(stream.name, from: Position(3), limit: 1, within: world.units(20))
            let time = read[0].time.addingTimeInterval(world.unit.inSeconds)
            try await world.append(4...5, to: stream)
            try expect(try await world.driver.locate(.beginning, in: stream.name), Position(1), "the beginning")
            try expect(
                try await world.driver.locate(.position(Position(2)), in: stream.name), Position(2), "a position")
            try expect(try await world.driver.locate(.time(time), in: stream.name), Position(4), "a time")
            try expect(try await world.driver.locate(.end, in: stream.name), Position(6), "the end")
        },
    ]

    static let live = [
        ConformanceCase("a live message reaches all matching listeners and no other") { world in
            let other = try await world.another()
            let subject = world.broker.subject("live-\(world.tag).*", of: Int.self)
            let heard = Heard()
            let subscriptions = [
                subject.withSubjects().subscribe(onNext: {
                    heard.add("1:\($0.subject.split(separator: ".")[1])=\($0.element)")
                }),
                other.subject("live-\(world.tag).>", of: Int.self).asObservable()
                    .subscribe(onNext: { heard.add("2:\($0)") }),
                other.subject("live-\(world.tag).other", of: Int.self).asObservable()
                    .subscribe(onNext: { heard.add("3:\($0)") }),
            ]
            // Sending is repeated, because messages are lost until the listeners exist.
            try await world.eventually("both hear") {
                try await subject.send(0, to: "live-\(world.tag).x")
                return heard.all.isSuperset(of: ["1:x=0", "2:0"])
            }
            try await subject.send(1, to: "live-\(world.tag).y")
            try await world.eventually("both heard it") { heard.all.isSuperset(of: ["1:y=1", "2:1"]) }
            try expect(heard.all, ["1:x=0", "2:0", "1:y=1", "2:1"], "what was heard")
            subscriptions.forEach { $0.dispose() }
            await other.close()
        },
        ConformanceCase("a bound below does not end a listener") { world in
            let subject = world.broker.subject("slow-\(world.tag)", of: Int.self)
            let heard = Heard()
            let isSlow = Mutex(true)
            let listening = Task(executorPreference: world.driver.executor) {
                for try await number in subject.asObservable().values(buffering: .pausing(2)) {
                    heard.add("\(number)")
                    while isSlow.withLock({ $0 }) { try await world.driver.sleep(world.units(0.1)) }
                }
            }
            defer { listening.cancel() }
            try await world.eventually("the first") {
                try await subject.send(0)
                return !heard.all.isEmpty
            }
            for number in 1...10 { try await subject.send(number) }
            try await world.driver.sleep(world.unit)
            isSlow.withLock { $0 = false }
            try await world.eventually("what is sent later") {
                try await subject.send(11)
                return heard.all.contains("11")
            }
            listening.cancel()
            _ = await listening.result
        },
        ConformanceCase("sending to a pattern is refused") { world in
            try await expectError("a wildcard", \.isRefused) {
                try await world.broker.subject("live-\(world.tag).*", of: Int.self).send(1)
            }
        },
        ConformanceCase("a cell changes only with its current revision") { world in
            let cell = "cell-\(world.tag)"
            try expect(try await world.driver.load(cell), nil, "what it holds at first")
            let first = try await world.driver.store([1], in: cell, expecting: 0)
            try await expectError("a second first", { $0 == .conflict }) {
                _ = try await world.driver.store([9], in: cell, expecting: 0)
            }
            let second = try await world.driver.store([2], in: cell, expecting: first)
            try expect(second > first, "revisions grow")
            try await expectError("an old revision", { $0 == .conflict }) {
                _ = try await world.driver.store([9], in: cell, expecting: first)
            }
            let third = try await world.driver.store([3], in: cell, expecting: nil)
            try expect(try await world.driver.load(cell), CellValue([3], revision: third), "what it holds")
        },
        ConformanceCase("cell names are compared by their bytes") { world in
            let cells = ["caf\u{e9}", "cafe\u{301}"].map { "cell-\(world.tag)-\($0)" }
            for cell in cells { _ = try await world.driver.store(Array(cell.utf8), in: cell, expecting: 0) }
            for cell in cells {
                try expect(try await world.driver.load(cell)?.payload, Array(cell.utf8), "what it holds")
            }
        },
        ConformanceCase("concurrent updates of a relay are all applied") { world in
            let other = try await world.another()
            let name = "relay-\(world.tag)"
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for broker in [world.broker, other] {
                    tasks.addTask {
                        let relay = broker.relay(name, of: [Int].self)
                        for number in 1...10 { try await relay.update { ($0 ?? []) + [number] } }
                    }
                }
                try await tasks.waitForAll()
            }
            let value = try await world.broker.relay(name, of: [Int].self).value
            try expect(value?.count, 20, "changes")
            await other.close()
        },
        ConformanceCase("an observer of a relay receives the current value and later ones") { world in
            let other = try await world.another()
            let name = "watched-\(world.tag)"
            try await world.broker.relay(name, of: Int.self).accept(1)
            let heard = Heard()
            let subscription = other.relay(name, of: Int.self).asObservable().subscribe(onNext: { heard.add("\($0)") })
            try await world.eventually("the first") { heard.all.contains("1") }
            try await world.broker.relay(name, of: Int.self).accept(2)
            try await world.eventually("the second") { heard.all.contains("2") }
            subscription.dispose()
            await other.close()
        },
        ConformanceCase("a bounded observer of a relay may miss a value, but not the last") { world in
            let relay = world.broker.relay("bounded-\(world.tag)", of: Int.self)
            let seen = Mutex<[Int]>([])
            let isSlow = Mutex(true)
            let watching = Task(executorPreference: world.driver.executor) {
                for try await number in relay.asObservable().values(buffering: .pausing(1)) {
                    seen.withLock { $0.append(number) }
                    while isSlow.withLock({ $0 }) { try await world.driver.sleep(world.units(0.1)) }
                }
            }
            defer { watching.cancel() }
            try await relay.accept(0)
            try await world.eventually("the first") { seen.withLock { $0.first } == 0 }
            for number in 1...5 {
                try await relay.accept(number)
                try await world.driver.sleep(world.unit)
            }
            isSlow.withLock { $0 = false }
            try await world.eventually("the last") { seen.withLock { $0.last } == 5 }
            let all = seen.withLock { $0 }
            try expect(all, Array(Set(all)).sorted(), "the order of what was seen")
            watching.cancel()
            _ = await watching.result
        },
    ]
}

/// The words that a case has noted, protected by a lock.
final class Heard: Sendable {
    private let words = Mutex(Set<String>())

    var all: Set<String> { words.withLock { $0 } }

    func add(_ word: String) {
        words.withLock { _ = $0.insert(word) }
    }
}
