// What the pages of the documentation may use without declaring it. What one page alone uses is in the file of its
// name.
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
