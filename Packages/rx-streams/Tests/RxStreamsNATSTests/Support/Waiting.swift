import Dispatch
import Foundation
import Logging
import NIOCore
import NIOPosix
import RxStreams
import RxSwift
import Synchronization
import Testing

@testable import RxStreamsNATS

final class Seen<Item: Sendable>: Sendable {
    private let items = Mutex<[Item]>([])
    private let signal = AsyncSignal()

    var all: [Item] { items.withLock { $0 } }

    func add(_ item: Item) {
        items.withLock { $0.append(item) }
        signal.send()
    }

    @discardableResult
    func wait(
        _ seconds: Int = 20, _ location: SourceLocation = #_sourceLocation, until isWanted: ([Item]) -> Bool
    ) async throws -> [Item] {
        let end = NIODeadline.now() + .seconds(Int64(seconds))
        while true {
            let seen = signal.count
            let all = all
            if isWanted(all) { return all }
            if NIODeadline.now() > end {
                Issue.record("not seen within \(seconds) s; seen \(all.suffix(20))", sourceLocation: location)
                throw CancellationError()
            }
            await signal.wait(
                after: seen, atMost: .milliseconds(200), on: ConcurrentDispatchQueueScheduler(qos: .default))
        }
    }
}

func eventually(
    _ seconds: Int = 20, _ location: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async throws {
    let end = NIODeadline.now() + .seconds(Int64(seconds))
    while try await !isSo() {
        if NIODeadline.now() > end {
            Issue.record("not so within \(seconds) s", sourceLocation: location)
            throw CancellationError()
        }
        try await Task.sleep(nanoseconds: 10_000_000)
    }
}

final class QueueExecutor: TaskExecutor {
    let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension BrokerError {
    var refusal: String? { if case .refused(let why) = self { why } else { nil } }
}

extension NATSClient {
    static func testing(_ urls: [String], _ change: (inout Options) -> Void = { _ in }) throws -> NATSClient {
        var options = Options(addresses: try urls.map { try NATSAddress($0) })
        options.connectTimeout = .seconds(10)
        options.backOff = (.milliseconds(10), .milliseconds(100))
        options.pingInterval = .seconds(60)
        options.requestTimeout = .seconds(5)
        options.heartbeat = .seconds(1)
        change(&options)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return NATSClient(options, on: MultiThreadedEventLoopGroup.singleton.any(), logger: logger)
    }

    func seenStatus() -> (Seen<BrokerStatus>, any Disposable) {
        let seen = Seen<BrokerStatus>()
        return (seen, status.subscribe(onNext: { seen.add($0) }))
    }
}
