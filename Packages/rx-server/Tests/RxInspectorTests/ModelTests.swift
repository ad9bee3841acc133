import Testing

@testable import RxInspector

struct ModelTests {
    @Test func equalChainsFormOneGroup() {
        var script = Script([
            .made(1, "PublishSubject", "map", events: 3), .made(2, "PublishSubject", "map", events: 4),
            .made(3, "PublishSubject", "filter"), .made(4, "PublishSubject", "map", at: "orders+0x2"),
        ])
        let groups = script.look().groups
        #expect(groups.map(\.count) == [2, 1, 1])
        #expect(groups.map(\.events) == [7, 0, 0])
        #expect(groups[0].members == [1, 2])
    }

    @Test func groupHasThePlacesOfTheFirstMemberThatHasAny() {
        var script = Script([.made(1, "never", "map"), .made(2, "never", "map"), .made(3, "never", "map")])
        script.input.chains[0].places = [nil, nil]
        script.input.chains[1].places = [nil, "main at Orders.swift:2"]
        script.input.chains[2].places = [nil, "main at Orders.swift:3"]
        let snapshot = script.look()
        #expect(snapshot.groups.map(\.places) == [[nil, "main at Orders.swift:2"]])
        let json = snapshot.json(title: "", documentation: nil).text
        #expect(json.contains(#""places":[null,"main at Orders.swift:2"]"#))
    }

    @Test func innerChainsOfEqualParentsFormOneGroup() {
        var inner = [10, 11].map { InspectorInput.Chain(id: $0, parent: $0 - 9, isInner: true, operators: ["timer"]) }
        inner.append(.init(id: 12, parent: 3, isInner: true, operators: ["timer"]))
        var script = Script([.made(1, "flatMap"), .made(2, "flatMap"), .made(3, "flatMap", "map")] + inner)
        let groups = script.look().groups
        #expect(groups.map(\.count) == [2, 1, 2, 1])
        #expect(groups[2].key.parent == groups[0].id && groups[3].key.parent == groups[1].id)
        #expect(groups[2].events == nil)
    }

    @Test func groupKeepsItsNumberWhileItLives() {
        var script = Script([.made(1, "a"), .made(2, "b")])
        let first = script.look().groups.map(\.id)
        script.input.chains.removeFirst()
        #expect(script.look().groups.map(\.id) == [first[1]])
        script.input.chains.append(.made(3, "a"))
        let third = script.look().groups.map(\.id)
        #expect(third.first == first[1] && third.last != first[0])
    }

    @Test func rateIsOfTheTimeBetweenTwoLooks() {
        var script = Script([.made(1, "a", events: 100), .made(2, "a", events: 50)])
        #expect(script.look().groups[0].rate == 0)
        script.input.chains[0].events = 300
        // The events of a new chain count from 0. Those of an ended chain do not count.
        script.input.chains[1] = .made(3, "a", events: 40)
        #expect(script.look(after: 2).groups[0].rate == 120)
    }

    @Test func errorsOfInnerSequencesAddUpAndHaveARate() {
        var script = Script([.made(1, "retry"), .made(2, "retry"), .made(3, "catch")])
        for (index, failed) in [4, 1, 0].enumerated() { script.input.chains[index].innerFailed = failed }
        #expect(script.look().groups.map(\.innerFailed) == [5, 0])
        script.input.chains[0].innerFailed = 10
        script.input.chains[1] = .made(4, "retry")
        script.input.chains[1].innerFailed = 2
        let groups = script.look(after: 2).groups
        #expect(groups.map(\.innerFailed) == [12, 0] && groups.map(\.failureRate) == [4, 0])
        #expect(script.look().groups.map(\.failureRate) == [0, 0])
    }

    @Test func totalRatesAreThoseOfTheCounters() throws {
        var script = Script()
        script.input.events = 10
        script.look()
        script.input.events = 110
        script.input.errors = 4
        let json = script.look(after: 4).json(title: "", documentation: nil).text
        #expect(json.contains(#""rate":25.0,"errors":4,"errorRate":1.0"#))
    }

    @Test func queuesOfMembersAddUp() {
        let queue = InspectorInput.Queue(scheduler: "q", depth: 3, bound: 8)
        let full = InspectorInput.Queue(scheduler: "q", depth: 8, bound: 8, isPausing: true)
        var script = Script([.made(1, "a", queues: [queue]), .made(2, "a", queues: [full])])
        let group = script.look().groups[0]
        #expect(
            group.queues == [.init(scheduler: "q", depth: 11, deepest: 8, bound: 8, pausing: 1, full: 1)])
        #expect(group.isPausing)
    }

    @Test func queuesOfMembersAreMatchedByTheirNames() {
        let hop = InspectorInput.Queue(scheduler: "q", depth: 3)
        let zips = [1, 2].map { InspectorInput.Queue(boundary: "zip", scheduler: "zip", depth: $0) }
        var script = Script([.made(1, "a", queues: [hop]), .made(2, "a", queues: zips + [hop])])
        #expect(
            script.look().groups[0].queues == [
                .init(scheduler: "q", depth: 6, deepest: 3),
                .init(boundary: "zip", scheduler: "zip", depth: 1, deepest: 1),
                .init(boundary: "zip", scheduler: "zip", depth: 2, deepest: 2),
            ])
    }

    @Test func causesBecomeThoseOfGroups() {
        var script = Script([.made(1, "a"), .made(2, "b"), .made(3, "b")])
        script.input.chains[1].cause = 1
        script.input.chains[2].cause = 99
        let groups = script.look().groups
        #expect(groups[1].causes == [groups[0].id])
    }

    @Test func mostImportantGroupsAreKeptWithTheirParents() {
        var chains = (1...400).map { InspectorInput.Chain.made($0, "a", at: "orders+\($0)") }
        chains.append(.init(id: 401, parent: 7, isInner: true, operators: ["b"]))
        chains[6].events = 0
        chains[400].queues = [.init(scheduler: "q", depth: 9, bound: 4, isPausing: true)]
        var script = Script(chains)
        let snapshot = script.look()
        #expect(snapshot.groups.count == InspectorModel.mostGroups && snapshot.groupCount == 401)
        #expect(snapshot.omitted == (101, 101))
        #expect(snapshot.groups.contains { $0.members == [401] } && snapshot.groups.contains { $0.members == [7] })
    }

    @Test func fiveThousandSubscriptionsMakeASmallSnapshot() {
        var script = Script((1...5_000).map { .made($0, "PublishSubject", "map", at: "orders+\($0 % 20)") })
        let snapshot = script.look()
        #expect(snapshot.groups.count == 20)
        #expect(snapshot.json(title: "", documentation: nil).text.utf8.count < 10_000)
    }

    @Test func textOfJSONIsEscaped() {
        let value = JSONValue.compact([
            ("a", .string("\"\\\n\u{1}</script>\u{2028}é")), ("b", nil), ("c", .number(.infinity)),
            ("d", .number(1.26)), ("e", .array([true, 2, .null])),
        ])
        #expect(
            value.text == #"{"a":"\"\\\u000a\u0001\u003c/script>\u2028é","c":null,"d":1.3,"e":[true,2,null]}"#)
    }
}
