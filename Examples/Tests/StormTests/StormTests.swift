import Foundation
import StormModel
import Testing

@Suite struct StormTests {
    private func figures(_ course: Course) -> [Int?] {
        [course.recovered, course.answered, course.calls.count, course.requests, course.waits.last]
    }

    @Test func underPlainRetriesTheServiceNeverComesBack() {
        #expect(figures(Storm().run(.plain)) == [nil, 80, 800, 2_240, 12_830])
        // In a longer run, no further call is answered, and the queue grows.
        var longer = Storm()
        longer.duration = 20_000
        #expect(figures(longer.run(.plain)) == [nil, 80, 1_600, 4_640, 26_830])
    }

    @Test func underABudgetTheServiceComesBack() {
        #expect(figures(Storm().run(.budget(ratio: 0.1))) == [6_250, 383, 800, 852, 10])
    }

    @Test func withABreakerAsWellTheServiceComesBackSooner() {
        let course = Storm().run(.budgetAndBreaker(ratio: 0.1))
        #expect(figures(course) == [2_212, 703, 800, 730, 10])
        // The queue is empty before the first trial.
        #expect(course.waits[22] == 0)
    }

    @Test func withABreakerTheServiceComesBackWhateverTheBudget() {
        #expect(Storm().run(.budget(ratio: 1)).recovered == nil)
        #expect(figures(Storm().run(.budgetAndBreaker(ratio: 1))) == [2_212, 703, 800, 730, 10])
    }

    @Test func guardIsBetweenRetriesAndAttempts() {
        let shedding = Strategy("everything shed") { _ in
            Strategy.Protection(guarding: { _ in .error(CancellationError()) })
        }
        let course = Storm().run(shedding)
        #expect(course.requests == 0)
        #expect(course.answered == 0)
    }

    @Test func withoutSlownessNoCallFails() {
        var storm = Storm()
        storm.slowFor = 0
        let course = storm.run(.plain)
        #expect(figures(course) == [0, 800, 800, 800, 10])
        #expect(course.verdict(on: storm).hasPrefix("plain retries: never away; 800 of 800"))
    }

    @Test func documentationShowsTheResults() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let catalogue = root.appending(path: "Sources/RxResilience/RxResilience.docc")
        let (storm, courses) = (Storm(), Strategy.all().map(Storm().run))
        let page = try String(contentsOf: catalogue.appending(path: "InWhichOrder.md"), encoding: .utf8)
        for course in courses { #expect(page.contains("\n\(course.verdict(on: storm))\n")) }
        for (name, theme) in Plot.files {
            let shown = try String(contentsOf: catalogue.appending(path: "Resources/\(name)"), encoding: .utf8)
            #expect(shown == Plot(storm, courses).svg(theme), "run Examples/storm.sh")
        }
    }
}
