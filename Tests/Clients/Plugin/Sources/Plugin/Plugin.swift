import Foundation
import RxSwift

@_cdecl("plugin_subscribe")
public func subscribe() {
    _ = Observable.from([1, 2]).flatMap { Observable.just($0) }.subscribe(onNext: { _ in })
}

@_cdecl("plugin_schedule")
public func schedule(_ wait: @escaping @convention(c) () -> Void, _ ran: @escaping @convention(c) () -> Void) {
    _ = SerialDispatchQueueScheduler(qos: .default).schedule(()) { _ in
        wait()
        ran()
        return Disposables.create()
    }
}

@_cdecl("plugin_schedule_operation")
public func scheduleOperation(
    _ wait: @escaping @convention(c) () -> Void, _ ran: @escaping @convention(c) () -> Void
) {
    _ = OperationQueueScheduler(operationQueue: OperationQueue()).schedule(()) { _ in
        wait()
        ran()
        return Disposables.create()
    }
}

@_cdecl("plugin_start_timer")
public func startTimer(_ fired: @escaping @convention(c) () -> Void) {
    _ = Observable<Int>.timer(.milliseconds(300), scheduler: PthreadScheduler()).subscribe(onNext: { _ in fired() })
}
