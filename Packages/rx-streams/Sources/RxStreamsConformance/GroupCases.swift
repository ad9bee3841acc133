import RxStreams
import RxSwift

extension ConformanceCase {
    static let groups = [
        ConformanceCase("a group receives all messages, in order, each once") { world in
            let stream = try await world.stream()
            try await world.append(1...20, to: stream)
            let member = try await world.driver.join(world.group { $0.deadline = world.units(100) }, of: stream.name)
            try expect(try await world.finish(20, from: member), Array(1...20), "what was pulled")
            let more = try await member.pull(upTo: 5, within: world.unit)
            try expect(more.map { world.number($0.stored) }, [], "more")
            await member.leave()
        },
        ConformanceCase("a group that starts at the end receives later messages") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let member = try await world.driver.join(world.group { $0.start = .end }, of: stream.name)
            try await world.append([2], to: stream)
            try expect(try await world.finish(1, from: member), [2], "what was pulled")
            await member.leave()
        },
        ConformanceCase("each group receives all messages") { world in
            let stream = try await world.stream()
            try await world.append(1...5, to: stream)
            for name in ["g1", "g2"] {
                let member = try await world.driver.join(world.group(name), of: stream.name)
                try expect(try await world.finish(5, from: member), Array(1...5), "what \(name) pulled")
                await member.leave()
            }
        },
        ConformanceCase("members of a group share its messages without overlap") { world in
            let stream = try await world.stream()
            let other = try await world.another()
            let group = world.group { $0.deadline = world.units(200) }
            let first = try await world.driver.join(group, of: stream.name)
            let second = try await other.driver.join(group, of: stream.name)
            try await world.append(1...30, to: stream)
            var all: [Int] = []
            try await world.eventually("thirty are pulled") {
                for member in [first, second] {
                    let pulled = try await member.pull(upTo: 5, within: world.units(0.5))
                    try await member.settle(pulled.map { Verdict($0.token, .done) })
                    all += pulled.map { world.number($0.stored) }
                }
                return all.count >= 30
            }
            try expect(all.sorted(), Array(1...30), "what both pulled")
            await first.leave()
            await second.leave()
            await other.close()
        },
        ConformanceCase("a pull returns at most the requested count") { world in
            let stream = try await world.stream()
            try await world.append(1...20, to: stream)
            let member = try await world.driver.join(world.group { $0.deadline = world.units(100) }, of: stream.name)
            let first = try await member.pull(upTo: 3, within: world.unit)
            try expect((1...3).contains(first.count), "\(first.count) of at most 3")
            try await world.eventually("not more than 3 are out") {
                try await world.driver.summary(of: "g", in: stream.name).unsettled <= 3
            }
            let second = try await world.pull(4, from: member)
            try expect(
                (first + second).map { world.number($0.stored) }, Array(1...(first.count + 4)), "both together")
            await member.leave()
        },
        ConformanceCase("a pull does not wait for more once there is one") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let member = try await world.driver.join(world.group(), of: stream.name)
            let begun = world.driver.scheduler.now
            let pulled = try await member.pull(upTo: 100, within: world.units(100))
            try expect(pulled.count, 1, "messages")
            let took = world.driver.scheduler.now.timeIntervalSince(begun)
            try expect(took < world.units(50).inSeconds, "it waited \(took) s")
            await member.leave()
        },
        ConformanceCase("a pull returns nothing when its span has passed") { world in
            let stream = try await world.stream()
            let member = try await world.driver.join(world.group(), of: stream.name)
            try expect(try await member.pull(upTo: 5, within: world.unit).count, 0, "messages")
            await member.leave()
        },
        ConformanceCase("a waiting pull receives a new message") { world in
            let stream = try await world.stream()
            let member = try await world.driver.join(world.group { $0.deadline = world.units(50) }, of: stream.name)
            let pull = Task(executorPreference: world.driver.executor) {
                try await member.pull(upTo: 5, within: world.units(100))
            }
            try await world.driver.sleep(world.unit)
            try await world.append([7], to: stream)
            try expect(try await pull.value.map { world.number($0.stored) }, [7], "messages")
            await member.leave()
        },
        ConformanceCase("a group receives only the subjects of its filter") { world in
            let stream = try await world.stream(subjects: ["a", "b.>"])
            let (a, b) = (stream.subjects[0], stream.subjects[1].replacing(">", with: "x.y"))
            try await world.append([1], to: stream, subject: a)
            try await world.append([2], to: stream, subject: b)
            try await world.append([3], to: stream, subject: a)
            let member = try await world.driver.join(
                world.group {
                    $0.filter = stream.subjects[1]
                    $0.deadline = world.units(100)
                }, of: stream.name)
            let pulled = try await world.pull(1, from: member)
            try expect(pulled.map { world.number($0.stored) }, [2], "what was pulled")
            try expect(pulled.first?.stored.message.subject, b, "its subject")
            try expect(try await member.pull(upTo: 1, within: world.unit).count, 0, "more")
            await member.leave()
        },
        ConformanceCase("a member with another filter is refused, and the group continues") { world in
            let stream = try await world.stream(subjects: ["a", "b"])
            func group(_ filter: String?) -> GroupSettings {
                world.group {
                    $0.filter = filter
                    $0.deadline = world.units(100)
                }
            }
            let (a, b) = (stream.subjects[0], stream.subjects[1])
            let member = try await world.driver.join(group(a), of: stream.name)
            for filter in [b, nil] {
                try await expectError("filtered by \(filter ?? "nothing")", \.isRefused) {
                    _ = try await world.driver.join(group(filter), of: stream.name)
                }
            }
            try await world.append([1], to: stream, subject: b)
            try await world.append([2], to: stream, subject: a)
            try expect(try await world.finish(1, from: member), [2], "what was pulled")
            try await world.driver.join(group(a), of: stream.name).leave()
            await member.leave()
            try await world.driver.remove(group: "g", of: stream.name)
            let other = try await world.driver.join(group(b), of: stream.name)
            try expect(try await world.finish(1, from: other), [1], "what the group pulled that was made again")
            await other.leave()
        },
        ConformanceCase("a filter may equal the stream's only subject") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let group = world.group {
                $0.filter = stream.subjects[0]
                $0.deadline = world.units(100)
            }
            let first = try await world.driver.join(group, of: stream.name)
            let second = try await world.driver.join(group, of: stream.name)
            try expect(try await world.finish(1, from: second), [1], "what was pulled")
            await first.leave()
            await second.leave()
        },
        ConformanceCase("a new group begins at its start, and continues later") { world in
            let stream = try await world.stream()
            try await world.append(1...10, to: stream)
            let group = world.group { $0.start = .position(Position(4)) }
            let member = try await world.driver.join(group, of: stream.name)
            try expect(try await world.finish(3, from: member), [4, 5, 6], "from the fourth")
            await member.leave()
            let again = try await world.driver.join(group, of: stream.name)
            try expect(try await world.finish(4, from: again), [7, 8, 9, 10], "later")
            await again.leave()
        },
        ConformanceCase("a group may begin at a future position") { world in
            let stream = try await world.stream()
            try await world.append(1...3, to: stream)
            let group = world.group { $0.start = .position(Position(6)) }
            let member = try await world.driver.join(group, of: stream.name)
            try await world.append(4...8, to: stream)
            try expect(try await world.finish(3, from: member), [6, 7, 8], "from the sixth")
            await member.leave()
        },
        ConformanceCase("a group has at most maxUnsettled unsettled messages") { world in
            let stream = try await world.stream()
            try await world.append(1...10, to: stream)
            let group = world.group {
                $0.maxUnsettled = 3
                $0.deadline = world.units(200)
            }
            let member = try await world.driver.join(group, of: stream.name)
            let pulled = try await world.pull(3, from: member)
            try expect(pulled.count, 3, "pulled at first")
            try expect(try await member.pull(upTo: 5, within: world.unit).count, 0, "pulled above the bound")
            try await member.settle([Verdict(pulled[0].token, .done)])
            try expect(try await world.pull(1, from: member).map { world.number($0.stored) }, [4], "after one ack")
            await member.leave()
        },
        ConformanceCase("the summary counts waiting and unsettled messages") { world in
            let stream = try await world.stream()
            try await world.append(1...10, to: stream)
            let member = try await world.driver.join(world.group { $0.deadline = world.units(200) }, of: stream.name)
            let pulled = try await world.pull(4, from: member)
            try await member.settle([Verdict(pulled[0].token, .done)])
            try await world.eventually("6 wait, 3 are out") {
                try await world.driver.summary(of: "g", in: stream.name) == GroupSummary(waiting: 6, unsettled: 3)
            }
            await member.leave()
        },
        ConformanceCase("a group that is created again begins at its start") { world in
            let stream = try await world.stream()
            try await world.append(1...2, to: stream)
            let member = try await world.driver.join(world.group(), of: stream.name)
            _ = try await world.finish(2, from: member)
            await member.leave()
            try await world.driver.remove(group: "g", of: stream.name)
            let again = try await world.driver.join(world.group(), of: stream.name)
            try expect(try await world.finish(2, from: again), [1, 2], "what was pulled")
            await again.leave()
        },
    ]

    static let settling = [
        ConformanceCase("a message settled as done does not come again") { world in
            let stream = try await world.stream()
            try await world.append(1...5, to: stream)
            let member = try await world.driver.join(world.group(), of: stream.name)
            _ = try await world.finish(5, from: member)
            let end = world.driver.scheduler.now.addingTimeInterval(3 * world.unit.inSeconds)
            while world.driver.scheduler.now < end {
                let pulled = try await member.pull(upTo: 5, within: world.unit)
                try expect(pulled.map { world.number($0.stored) }, [], "what came again")
            }
            await member.leave()
        },
        ConformanceCase("an unsettled message comes again after the deadline, with the next attempt") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let member = try await world.driver.join(world.group(), of: stream.name)
            for attempt in 1...3 {
                let pulled = try await world.pull(1, from: member)
                try expect(pulled.map { world.number($0.stored) }, [1], "attempt \(attempt)")
                try expect(pulled.first?.attempt, attempt, "the attempt's number")
            }
            await member.leave()
        },
        ConformanceCase("messages of a closed broker come to another one at once") { world in
            let stream = try await world.stream()
            try await world.append(1...3, to: stream)
            let lost = try await world.another()
            let group = world.group { $0.deadline = world.units(500) }
            let theirs = try await lost.driver.join(group, of: stream.name)
            let taken = try await world.pull(3, from: theirs)
            try expect(taken.count, 3, "taken")
            await lost.close()
            let mine = try await world.driver.join(group, of: stream.name)
            try expect(try await world.finish(3, from: mine).sorted(), [1, 2, 3], "what came to the other")
            await mine.leave()
        },
        ConformanceCase("a message to retry comes after its pause, not before") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let member = try await world.driver.join(world.group { $0.deadline = world.units(100) }, of: stream.name)
            let pulled = try await world.pull(1, from: member)
            let begun = world.driver.scheduler.now
            try await member.settle([Verdict(pulled[0].token, .again(after: world.units(3)))])
            let again = try await world.pull(1, from: member)
            try expect(again.map(\.attempt), [2], "attempts")
            let took = world.driver.scheduler.now.timeIntervalSince(begun) / world.unit.inSeconds
            try expect(took > 2.9, "it came after \(took) units instead of 3")
            await member.leave()
        },
        ConformanceCase("a returned message comes again at once") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let member = try await world.driver.join(world.group { $0.deadline = world.units(500) }, of: stream.name)
            let pulled = try await world.pull(1, from: member)
            try await member.settle([Verdict(pulled[0].token, .again(after: .nanoseconds(0)))])
            try expect(try await world.finish(1, from: member), [1], "what came again")
            await member.leave()
        },
        ConformanceCase("messages returned after stopPulling come to another member at once") { world in
            let stream = try await world.stream()
            try await world.append(1...3, to: stream)
            let group = world.group { $0.deadline = world.units(600) }
            let first = try await world.driver.join(group, of: stream.name)
            let pulled = try await world.pull(3, from: first)
            // Requests more messages than there are, so the engine may keep this pull open after its cancellation.
            let pull = Task(executorPreference: world.driver.executor) {
                try? await first.pull(upTo: 13, within: world.units(100))
            }
            try await world.driver.sleep(world.unit)
            pull.cancel()
            _ = await pull.value
            await first.stopPulling()
            try await first.settle(pulled.map { Verdict($0.token, .again(after: .nanoseconds(0))) })
            await first.leave()
            let second = try await world.driver.join(group, of: stream.name)
            let again = try await world.pull(3, from: second)
            try expect(again.map { world.number($0.stored) }.sorted(), [1, 2, 3], "what the other got")
            try expect(again.map(\.attempt), [2, 2, 2], "attempts")
            try await second.settle(again.map { Verdict($0.token, .done) })
            try expect(try await second.pull(upTo: 3, within: world.unit).count, 0, "what came besides")
            await second.leave()
        },
        ConformanceCase("a message settled as given up does not come again") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let member = try await world.driver.join(world.group(), of: stream.name)
            let pulled = try await world.pull(1, from: member)
            try await member.settle([Verdict(pulled[0].token, .givenUp)])
            try await world.driver.sleep(world.units(2))
            try expect(try await member.pull(upTo: 1, within: world.unit).count, 0, "what came again")
            await member.leave()
        },
        ConformanceCase("an extended message does not come again before its new deadline") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let member = try await world.driver.join(world.group { $0.deadline = world.units(20) }, of: stream.name)
            let pulled = try await world.pull(1, from: member)
            for _ in 1...5 {
                try await world.driver.sleep(world.units(5))
                try await member.settle([Verdict(pulled[0].token, .extended)])
            }
            try expect(try await member.pull(upTo: 1, within: world.unit).count, 0, "what came within 25 units")
            let again = try await world.pull(1, from: member, units: 60)
            try expect(again.map(\.attempt), [2], "what came after the deadline")
            await member.leave()
        },
        ConformanceCase("a member keeps its deadline when another joins with a shorter one and leaves") { world in
            let stream = try await world.stream()
            try await world.append(1...2, to: stream)
            let other = try await world.another()
            let mine = try await world.driver.join(world.group { $0.deadline = world.units(100) }, of: stream.name)
            let before = try await world.pull(1, from: mine)
            let theirs = try await other.driver.join(world.group(), of: stream.name)
            let after = try await world.pull(1, from: mine)
            try expect((before + after).map { world.number($0.stored) }, [1, 2], "what was pulled")
            try await mine.settle(before.map { Verdict($0.token, .extended) })
            try expect(try await theirs.pull(upTo: 2, within: world.units(4)).count, 0, "what the other one got")
            await theirs.leave()
            try expect(try await mine.pull(upTo: 2, within: world.units(4)).count, 0, "what came again")
            try await mine.settle((before + after).map { Verdict($0.token, .done) })
            await mine.leave()
            await other.close()
        },
        ConformanceCase("a late verdict is not an error") { world in
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let member = try await world.driver.join(world.group(), of: stream.name)
            let first = try await world.pull(1, from: member)
            let second = try await world.pull(1, from: member)
            try expect(second.map(\.attempt), [2], "the second attempt")
            try await member.settle([Verdict(second[0].token, .done)])
            for late: Settlement in [.done, .again(after: .nanoseconds(0)), .givenUp, .extended] {
                try await member.settle([Verdict(first[0].token, late)])
            }
            try expect(try await member.pull(upTo: 1, within: world.units(2)).count, 0, "what came again")
            await member.leave()
        },
        ConformanceCase("several verdicts in one call each apply to their message") { world in
            let stream = try await world.stream()
            try await world.append(1...4, to: stream)
            let member = try await world.driver.join(world.group { $0.deadline = world.units(100) }, of: stream.name)
            let pulled = try await world.pull(4, from: member)
            try await member.settle([
                Verdict(pulled[0].token, .done), Verdict(pulled[1].token, .again(after: .nanoseconds(0))),
                Verdict(pulled[2].token, .givenUp), Verdict(pulled[3].token, .again(after: .nanoseconds(0))),
            ])
            try expect(try await world.finish(2, from: member).sorted(), [2, 4], "what came again")
            await member.leave()
        },
        ConformanceCase("a member that leaves retains no messages") { world in
            let stream = try await world.stream()
            let group = world.group { $0.deadline = world.units(500) }
            let first = try await world.driver.join(group, of: stream.name)
            let pull = Task(executorPreference: world.driver.executor) {
                try? await first.pull(upTo: 10, within: world.units(2))
            }
            _ = await pull.value
            await first.leave()
            try await world.append(1...10, to: stream)
            let second = try await world.driver.join(group, of: stream.name)
            try expect(try await world.finish(10, from: second).sorted(), Array(1...10), "what the other got")
            await second.leave()
        },
        ConformanceCase("a cancelled pull loses no message") { world in
            let stream = try await world.stream()
            let group = world.group { $0.deadline = world.units(3) }
            let member = try await world.driver.join(group, of: stream.name)
            let pull = Task(executorPreference: world.driver.executor) {
                try await member.pull(upTo: 3, within: world.units(100))
            }
            try await world.driver.sleep(world.unit)
            pull.cancel()
            _ = try? await pull.value
            try await world.append(1...3, to: stream)
            try expect(try await world.finish(3, from: member).sorted(), [1, 2, 3], "what came later")
            await member.leave()
        },
    ]
}

extension RxTimeInterval {
    var asSeconds: Double { Double(nanosecondsClamped) / 1e9 }
}
