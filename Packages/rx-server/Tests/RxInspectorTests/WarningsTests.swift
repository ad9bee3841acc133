import Testing

@testable import RxInspector

struct WarningsTests {
    private func kinds(_ warnings: [InspectorWarning]) -> [InspectorWarning.Kind] { warnings.map(\.kind) }

    @Test func quietProgramHasNoWarning() {
        var script = Script([
            .made(1, "interval", "observe(on:)", queues: [.init(scheduler: "q", depth: 1, bound: 4)]),
            .made(2, "PublishSubject", "map"),
        ])
        script.input.limits = [.init(kind: "bulkhead", name: "b", fills: [.init(label: "running", value: 4, limit: 4)])]
        #expect(script.warnings(30) { input, each in input.chains[0].events = each }.isEmpty)
    }

    @Test func stallIsAWarningForAMinute() {
        var script = Script()
        script.input.now = 1_000_000_000
        script.input.stalls = [.init(at: 1_000_000_000, scheduler: "q", duration: 340_000_000)]
        let first = script.look().warnings
        #expect(
            first == [.init(kind: .blockedScheduler, subject: "q", text: "A job has blocked it for 340 ms, 1 s ago.")])
        #expect(script.look(after: 58).warnings.count == 1)
        #expect(script.look(after: 2).warnings.isEmpty)
    }

    @Test func waitingElementsWithoutADeliveryAreAWarning() {
        var script = Script([.made(1, "observe(on:)", queues: [.init(scheduler: "q", depth: 5)])])
        #expect(script.warnings(3).isEmpty)
        let warnings = script.warnings(1)
        #expect(warnings.map(\.text) == ["5 elements wait, and none was delivered for 3 s."])
        #expect(warnings.map(\.subject) == ["q"] && warnings[0].group == 1)
        #expect(script.warnings(1) { input, _ in input.chains[0].events = 1 }.isEmpty)
    }

    @Test func queueAtItsBoundForThreeSecondsIsAWarning() {
        let queue = InspectorInput.Queue(scheduler: "q", depth: 4, bound: 4, isPausing: true)
        var script = Script([.made(1, "PublishSubject", "observe(on:)", queues: [queue])])
        func deliver(_ input: inout InspectorInput, _ each: Int) {
            input.chains[0].events = (input.chains[0].events ?? 0) + 1
        }
        #expect(script.warnings(3, deliver).isEmpty)
        let warnings = script.warnings(1, deliver)
        #expect(kinds(warnings) == [.queueAtBound])
        #expect(
            warnings.first?.text == "The queue for q has been at its bound of 4 for 3 s. Its source pauses.")
        #expect(
            script.warnings(1) { input, each in
                deliver(&input, each)
                input.chains[0].queues[0] = .init(scheduler: "q", depth: 3, bound: 4)
            }.isEmpty)
    }

    @Test func fullIntakeIsAWarning() {
        var script = Script()
        script.input.limits = [
            .init(kind: "intake", name: "orders", fills: [.init(label: "unhandled", value: 9, limit: 9, isQueue: true)])
        ]
        #expect(script.warnings(3).isEmpty)
        #expect(script.warnings(1).map(\.subject) == ["intake orders"])
        script.input.limits[0].fills[0].value = 8
        #expect(script.warnings(1).isEmpty)
    }

    @Test func equalSubscriptionsThatOnlyGrowAreAWarning() {
        var script = Script()
        let warnings = script.warnings(6) { input, each in input.chains.append(.made(each, "PublishSubject", "map")) }
        #expect(kinds(warnings) == [.growing])
        #expect(warnings.first?.text == "6 equal subscriptions, 5 more in 5 s, and none has ended.")
    }

    @Test func innerSequencesThatOnlyGrowHaveTheirOwnAdvice() {
        var script = Script([.made(1, "flatMap")])
        let warnings = script.warnings(6) { input, each in
            input.chains.append(.init(id: each + 2, parent: 1, isInner: true, operators: ["timer"]))
        }
        #expect(warnings.map(\.text) == ["6 equal inner sequences, 5 more in 5 s, and none has ended."])
        #expect(warnings.first?.advice.contains("merge(maxConcurrent:)") == true)
    }

    @Test func fullQueueThatDropsIsNoWarning() {
        let queue = InspectorInput.Queue(scheduler: "q", depth: 1, bound: 1)
        var script = Script([.made(1, "observe(on:)", queues: [queue])])
        script.input.boundaries = [.init(name: "values", bound: 1, live: 1, depth: 1, drops: 5)]
        #expect(script.warnings(9) { input, each in input.chains[0].events = each }.isEmpty)
        script.input.boundaries[0].pauses = 1
        #expect(
            script.warnings(4) { input, each in input.chains[0].events = 9 + each }.map(\.subject) == [
                "values, bound 1"
            ])
    }

    @Test func elementsThatWaitInAnOperatorAreNoWarning() {
        let queue = InspectorInput.Queue(boundary: "zip", scheduler: "zip", depth: 3, bound: 8)
        var script = Script([.made(1, "zip", queues: [queue])])
        #expect(script.warnings(30) { _, _ in }.isEmpty)
    }

    @Test func waitingElementsOfInnerSequencesAreNoWarning() {
        var inner = InspectorInput.Chain(id: 2, parent: 1, isInner: true, operators: ["observe(on:)"])
        inner.queues = [.init(scheduler: "q", depth: 3)]
        var script = Script([.made(1, "flatMap"), inner])
        #expect(script.warnings(9).isEmpty)
    }

    @Test func subscriptionsThatEndAreNoLeak() {
        var script = Script()
        let warnings = script.warnings(20) { input, each in
            input.chains += [.made(2 * each, "PublishSubject", "map"), .made(2 * each + 1, "PublishSubject", "map")]
            if each % 3 == 2 { input.chains.removeFirst() }
        }
        #expect(warnings.isEmpty)
    }

    @Test func growthThatHasStoppedIsNoLeak() {
        var script = Script()
        let warnings = script.warnings(25) { input, each in
            if each < 6 { input.chains.append(.made(each, "PublishSubject", "map")) }
        }
        #expect(kinds(warnings) == [.growing])
        #expect(script.warnings(1).isEmpty)
    }

    @Test func hotCircleOfCausesIsAWarning() {
        var script = Script([.made(1, "relay", "observe(on:)"), .made(2, "relay", "map"), .made(3, "relay")])
        script.input.chains[0].cause = 2
        script.input.chains[1].cause = 1
        script.input.chains[2].cause = 1
        let warnings = script.warnings(2) { input, each in
            for index in 0..<3 { input.chains[index].events = each * 1_500 }
        }
        #expect(kinds(warnings) == [.loop, .loop])
        #expect(warnings.map(\.group) == [1, 2])
        #expect(warnings.first?.text == "It receives the elements that it has sent: 1500 per second.")
        // Ten events per second are no fault, even in a cycle of queues.
        #expect(script.warnings(1) { input, _ in input.chains[0].events = 1_510 }.isEmpty)
    }

    @Test func fastRetryIsAWarning() {
        var script = Script([.made(1, "retry", "map"), .made(2, "flatMap")])
        let warnings = script.warnings(3) { input, each in
            for index in 0..<2 { input.chains[index].innerMade = each * 60 }
        }
        #expect(warnings.map(\.text) == ["It retries 60 times per second."])
        #expect(kinds(warnings) == [.retryStorm])
    }

    @Test func retriesOfALimitAreAWarning() {
        var script = Script()
        let warnings = script.warnings(3) { input, each in input.retries = ["payments": 80 * each, "slow": 10 * each] }
        #expect(warnings == [.init(kind: .retryStorm, subject: "payments", text: "80 retries per second.")])
    }

    @Test func breakerThatChangesFourTimesInAMinuteIsAWarning() {
        var script = Script()
        script.input.changes = ["payments": 7]
        script.look()
        script.input.changes = ["payments": 10]
        #expect(script.look().warnings.isEmpty)
        script.input.changes = ["payments": 11]
        #expect(script.look().warnings.map(\.text) == ["It has changed its state 4 times in 2 s."])
        #expect(script.look(after: 62).warnings.isEmpty)
    }

    @Test func reportedRunawaysAreWarnings() {
        var script = Script()
        script.input.runaways = [
            .init(at: 0, fault: .retry, subject: "a", text: "x"), .init(at: 0, fault: .loop, subject: "b", text: "y"),
        ]
        #expect(kinds(script.look().warnings) == [.loop, .retryStorm])
        #expect(script.look(after: 61).warnings.isEmpty)
    }

    @Test(arguments: InspectorWarning.Kind.allCases) func warningLinksToItsPage(kind: InspectorWarning.Kind) {
        var snapshot = InspectorSnapshot(input: InspectorInput(now: 0), seconds: 0, before: nil, groups: [])
        snapshot.warnings = [.init(kind: kind, subject: "a", text: "b")]
        let page = kind.page
        let path = "/documentation/\(page.module.lowercased())/\(page.name.lowercased())"
        #expect(snapshot.json(title: "", documentation: "https://d").text.contains(#""link":"https://d\#(path)""#))
        #expect(!snapshot.json(title: "", documentation: nil).text.contains("link"))
        #expect(snapshot.warnings[0].advice.hasSuffix("."))
    }
}
