// Declarations for all pages. Those for a single page are in the file with its name.
import RxSwift

var bag: DisposeBag { DisposeBag() }
var scheduler: SerialDispatchQueueScheduler { SerialDispatchQueueScheduler(qos: .utility) }
var queue: SerialDispatchQueueScheduler { scheduler }

struct Logger {
    func info(_: String) {}
    func warning(_: String) {}
    func error(_: String) {}
}
var logger: Logger { Logger() }
