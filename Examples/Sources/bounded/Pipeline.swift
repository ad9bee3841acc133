import Foundation
import RxSwift

/// A fast source and a slow consumer on different threads.
enum Pipeline {
    static let rows = 200_000
    private static let readingTakes = 2_000
    private static let storingTakes = 10_000

    static func run(bound: Int?) throws -> Memory {
        let rowsRead = Observable.range(start: 0, count: rows).map { number in
            spend(nanoseconds: readingTakes)
            return [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1_024)
        }
        .subscribe(on: PthreadScheduler(name: "reader"))
        .observe(on: PthreadScheduler(name: "store"))

        let delivered = Count()
        let isDone = DispatchSemaphore(value: 0)
        let watch = Memory.Watch()
        let subscription = (bound.map { rowsRead.bounded($0) } ?? rowsRead).subscribe(
            onNext: { _ in
                spend(nanoseconds: storingTakes)
                delivered.value += 1
            },
            onDisposed: { isDone.signal() })
        while isDone.wait(timeout: .now() + .milliseconds(10)) == .timedOut { watch.look() }
        watch.look()
        subscription.dispose()
        return watch.memory(delivered: delivered.value)
    }

    /// Uses the processor, as parsing or storing would.
    private static func spend(nanoseconds: Int) {
        let end = DispatchTime.now().uptimeNanoseconds + UInt64(nanoseconds)
        while DispatchTime.now().uptimeNanoseconds < end {}
    }

    /// `@unchecked Sendable` because only the consumer writes it, and the main thread reads it after the end.
    private final class Count: @unchecked Sendable {
        var value = 0
    }
}
