import Dispatch
import ExampleSupport
import LogTailModel
import RxSwift

/// Reads the log into the database, one thread for each step.
struct Tail {
    struct Figures {
        let seconds: Double
        /// The growth of the resident memory, in bytes.
        let growth: Int
    }

    let log: String
    let store: Store
    let lateness: Int
    let bound: Int?

    /// Stores each array of windows in one transaction, then sends it.
    private func stored(until isOver: @escaping @Sendable () -> Bool) -> Observable<[Window]> {
        let stored = Observable.lines(ofLog: log, lookingEvery: .milliseconds(20), until: isOver)
            .observe(on: PthreadScheduler(name: "count"))
            .compactMap(Entry.init(line:))
            .countedBySecond(lateness: lateness)
            .observe(on: PthreadScheduler(name: "store"))
            .do(onNext: store.add)
        return bound.map { stored.bounded($0) } ?? stored
    }

    func run(until isOver: @escaping @Sendable () -> Bool) throws -> Figures {
        let isDone = DispatchSemaphore(value: 0), failure = Failure()
        let begin = DispatchTime.now().uptimeNanoseconds, before = residentBytes()
        let subscription = stored(until: isOver).subscribe(
            onError: { failure.error = $0 }, onDisposed: { isDone.signal() })
        defer { subscription.dispose() }
        var peak = before
        while isDone.wait(timeout: .now() + .milliseconds(10)) == .timedOut { peak = max(peak, residentBytes()) }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
        if let error = failure.error { throw error }
        return Figures(seconds: seconds, growth: max(peak, residentBytes()) - before)
    }

    /// `@unchecked Sendable` because the main thread reads it only after the subscription's end.
    private final class Failure: @unchecked Sendable {
        var error: (any Error)?
    }
}
