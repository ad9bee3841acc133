import Foundation
import RxSwift
import TestSupport
import Testing

struct AsyncSequenceAsObservableTests {
    private func stream(_ elements: Int..., error: (any Error)? = nil) -> AsyncThrowingStream<Int, any Error> {
        AsyncThrowingStream { continuation in
            elements.forEach { continuation.yield($0) }
            continuation.finish(throwing: error)
        }
    }

    @Test func elementsAndEndAreSent() async throws {
        #expect(try await stream(1, 2).asObservable().toArray().value == [1, 2])
    }

    @Test func itsErrorEndsTheObservable() async {
        await #expect(throws: TestError.a) { try await stream(1, error: TestError.a).asObservable().toArray().value }
    }

    @Test func itsCancellationCompletesTheObservable() async throws {
        #expect(try await stream(1, error: CancellationError()).asObservable().toArray().value == [1])
    }

    @Test(.notForever) func slowBoundedHopReceivesAllElements() async {
        let (hop, log) = (SerialDispatchQueueScheduler(qos: .default), Log())
        let (numbers, feed) = AsyncStream<Int>.makeStream()
        for number in 0..<100 { feed.yield(number) }
        feed.finish()
        let subscription = numbers.asObservable().observe(on: hop).bounded(4).subscribe {
            usleep(1_000)
            log($0.element.map(String.init) ?? "\($0)")
        }
        await until { log.entries.last.map { Int($0) == nil } ?? false }
        #expect(log.entries == (0..<100).texts + ["completed"])
        subscription.dispose()
    }

    @Test(.notForever) func disposalCancelsTheIteration() async {
        let (ended, end) = AsyncStream<Void>.makeStream()
        let (endless, feed) = AsyncStream<Int>.makeStream()
        feed.onTermination = { _ in end.yield() }
        endless.asObservable().subscribe().dispose()
        for await _ in ended { break }
    }
}
