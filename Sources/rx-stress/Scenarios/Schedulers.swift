import Dispatch
import RxSwift

/// One scheduler of each kind, for as long as a scenario lives.
struct Schedulers: Sendable {
    private let serial: any Sendable & SchedulerType
    private let concurrent: any Sendable & SchedulerType
    private let thread: any Sendable & SchedulerType

    init() {
        serial = SerialDispatchQueueScheduler(internalSerialQueueName: "rx-stress.serial")
        concurrent = ConcurrentDispatchQueueScheduler(
            queue: DispatchQueue(label: "rx-stress.concurrent", attributes: .concurrent))
        thread = PthreadScheduler(name: "rx-stress")
    }

    func any(_ random: inout SplitMix64) -> any Sendable & SchedulerType {
        switch random.below(3) {
        case 0: serial
        case 1: concurrent
        default: thread
        }
    }
}
