import Dispatch
import RxSwift

struct Schedulers: Sendable {
    private let serial: any Sendable & SchedulerType
    private let concurrent: any Sendable & SchedulerType
    private let thread: any Sendable & SchedulerType
    private let actor: any Sendable & SchedulerType
    /// The actor, retained here because its scheduler does not retain it.
    private let place = Place()

    private actor Place {}

    init() {
        serial = SerialDispatchQueueScheduler(internalSerialQueueName: "rx-stress.serial")
        concurrent = ConcurrentDispatchQueueScheduler(
            queue: DispatchQueue(label: "rx-stress.concurrent", attributes: .concurrent))
        thread = PthreadScheduler(name: "rx-stress")
        actor = ActorScheduler(place)
    }

    func any(_ random: inout SplitMix64) -> any Sendable & SchedulerType {
        switch random.below(4) {
        case 0: serial
        case 1: concurrent
        case 2: thread
        default: actor
        }
    }
}
