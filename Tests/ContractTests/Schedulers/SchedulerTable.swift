import Dispatch
import RxSwift
import RxTest
import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if Foundation
    import Foundation
#endif

extension SchedulerRow {
    static let all: [SchedulerRow] = immediateRows + mainRows + queueRows + threadRows + actorRows + virtualRows

    private static let serialQueue: Promises = [.fifo, .serial, .trampolined, .timed]

    private static let virtual: Promises = [.fifo, .serial, .trampolined, .timed, .virtual]

    private static let immediateRows = [
        SchedulerRow("CurrentThreadScheduler", "instance", [.fifo, .trampolined]) { CurrentThreadScheduler.instance }
    ]

    private static let mainRows = [
        SchedulerRow("MainScheduler", "instance", serialQueue) { MainScheduler.instance },
        SchedulerRow("MainScheduler", "init()", serialQueue) { MainScheduler() },
        SchedulerRow("MainScheduler", "asyncInstance", serialQueue) { MainScheduler.asyncInstance },
        SchedulerRow("ConcurrentMainScheduler", "instance", [.fifo, .serial, .timed]) {
            ConcurrentMainScheduler.instance
        },
    ]

    private static let queueRows = [
        SchedulerRow(
            "SerialDispatchQueueScheduler", "init(internalSerialQueueName:serialQueueConfiguration:leeway:)",
            serialQueue
        ) {
            SerialDispatchQueueScheduler(internalSerialQueueName: "named")
        },
        SchedulerRow(
            "SerialDispatchQueueScheduler", "init(queue:internalSerialQueueName:leeway:)", serialQueue,
            note: "on a serial queue"
        ) {
            SerialDispatchQueueScheduler(queue: DispatchQueue(label: "target"), internalSerialQueueName: "inner")
        },
        SchedulerRow(
            "SerialDispatchQueueScheduler", "init(queue:internalSerialQueueName:leeway:)", serialQueue,
            note: "on a concurrent queue"
        ) {
            SerialDispatchQueueScheduler(
                queue: DispatchQueue(label: "target", attributes: .concurrent), internalSerialQueueName: "inner",
                leeway: .milliseconds(1))
        },
        SchedulerRow("SerialDispatchQueueScheduler", "init(qos:internalSerialQueueName:leeway:)", serialQueue) {
            SerialDispatchQueueScheduler(qos: .userInitiated)
        },
        SchedulerRow("ConcurrentDispatchQueueScheduler", "init(queue:leeway:)", serialQueue, note: "on a serial queue")
        {
            ConcurrentDispatchQueueScheduler(queue: DispatchQueue(label: "serial"))
        },
        SchedulerRow("ConcurrentDispatchQueueScheduler", "init(queue:leeway:)", .timed, note: "on a concurrent queue") {
            ConcurrentDispatchQueueScheduler(queue: DispatchQueue(label: "concurrent", attributes: .concurrent))
        },
        SchedulerRow("ConcurrentDispatchQueueScheduler", "init(qos:leeway:)", .timed) {
            ConcurrentDispatchQueueScheduler(qos: .userInitiated)
        },
    ]

    private static var threadRows: [SchedulerRow] {
        var rows = [
            SchedulerRow("PthreadScheduler", "init(name:stackSize:)", serialQueue.union(.threads)) {
                PthreadScheduler(name: "rx.trial")
            },
            SchedulerRow(
                "PthreadScheduler", "init(name:stackSize:)", serialQueue.union(.threads), note: "with a small stack"
            ) {
                PthreadScheduler(name: "rx.small", stackSize: 256 << 10)
            },
            SchedulerRow("PthreadPoolScheduler", "init(name:maxThreads:idleTime:stackSize:)", [.timed, .threads]) {
                PthreadPoolScheduler(name: "rx.trial", maxThreads: 4, idleTime: .milliseconds(1))
            },
        ]
        #if Foundation
            rows += [
                SchedulerRow(
                    "OperationQueueScheduler", "init(operationQueue:queuePriority:)", [.fifo, .serial, .trampolined],
                    note: "one at a time",
                    steps: 50_000
                ) {
                    let queue = OperationQueue()
                    queue.maxConcurrentOperationCount = 1
                    return OperationQueueScheduler(operationQueue: queue)
                },
                SchedulerRow(
                    "OperationQueueScheduler", "init(operationQueue:queuePriority:)", [], note: "concurrent",
                    steps: 50_000
                ) {
                    OperationQueueScheduler(operationQueue: OperationQueue(), queuePriority: .high)
                },
            ]
        #endif
        return rows
    }

    /// The actor has its own executor, because other tests block the threads of Swift's pool.
    private static let actorRows = [
        SchedulerRow("ActorScheduler", "init(_:)", serialQueue) { ActorScheduler(QueueActor.make()) },
        SchedulerRow("ActorScheduler", "main", serialQueue) { ActorScheduler.main },
    ]

    private static let virtualRows = [
        SchedulerRow("VirtualTimeScheduler", "init(initialClock:converter:)", virtual) {
            VirtualTimeScheduler(initialClock: 0, converter: Seconds())
        },
        SchedulerRow("HistoricalScheduler", "init(initialClock:)", virtual) { HistoricalScheduler() },
        SchedulerRow("TestScheduler", "init(initialClock:resolution:simulateProcessingDelay:)", virtual) {
            TestScheduler(initialClock: 0, resolution: 0.001)
        },
        SchedulerRow(
            "TestScheduler", "init(initialClock:resolution:simulateProcessingDelay:)", virtual, note: "without a delay"
        ) {
            TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        },
    ]
}

private struct Seconds: VirtualTimeConverterType {
    func convertFromVirtualTime(_ time: Double) -> RxTime { Date(timeIntervalSince1970: time) }
    func convertToVirtualTime(_ time: RxTime) -> Double { time.timeIntervalSince1970 }
    func convertFromVirtualTimeInterval(_ span: Double) -> TimeInterval { span }
    func convertToVirtualTimeInterval(_ span: TimeInterval) -> Double { span }
    func offsetVirtualTime(_ time: Double, offset: Double) -> Double { time + offset }

    func compareVirtualTime(_ one: Double, _ other: Double) -> VirtualTimeComparison {
        if one < other { .lessThan } else if one > other { .greaterThan } else { .equal }
    }
}
