import RxSwift
import Testing
import TestSupport

/// One thread's elements of one source arrive in the order of the pushes, whatever other threads do.
@Suite struct OrderTests {
    @Test("keeps the order of each producer", arguments: Table.rows(without: .delegates))
    func order(_ row: Row) throws {
        let (threads, rounds) = (3, 100)
        // `latest` has no lock, so that ThreadSanitizer reports a race if the law is broken.
        let latest = UnsafeMutablePointer<Int>.allocate(capacity: 10)
        latest.initialize(repeating: -1, count: 10)
        defer { latest.deallocate() }
        var swapped = 0
        let trial = Trial(row) { _, probe in
            probe.onElement = { output in
                for value in values(in: output) {
                    let (producer, number) = value.quotientAndRemainder(dividingBy: Rig.producer)
                    if number < latest[producer] { swapped += 1 }
                    latest[producer] = number
                }
            }
        }
        let feeds = trial.rig.feeds
        if feeds.isEmpty { return }
        try runConcurrently(threads: threads) { index in
            for round in 0..<rounds {
                feeds[index % feeds.count].send(.next(trial.rig.make(index * Rig.producer + round)))
                trial.rig.settle(1)
            }
        }
        trial.rig.complete()
        #expect(swapped == 0)
    }
}

/// The tracked values in `output`: an element, or a tuple, an array or an event that contains elements.
private func values(in output: Any) -> [Int] {
    if let element = output as? Tracked { return [element.value] }
    if output is any ObservableConvertibleType { return [] }
    return Mirror(reflecting: output).children.flatMap { values(in: $0.value) }
}
