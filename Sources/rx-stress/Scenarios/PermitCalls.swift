import RxSwift

/// A call that needs a permit. One thread ends the call while another disposes of it, or the call ends before its
/// `subscribe` returns.
final class PermitCall: Sendable {
    private let observer = Locked<(observer: AnyObserver<Item>, call: PermitCheck.Call)?>(nil)
    let source: Observable<Item>

    init(_ check: PermitCheck, endsAtOnce: Bool) {
        let observer = observer
        source = Observable.create { next in
            let call = check.begin()
            if endsAtOnce {
                call.end()
                next.onCompleted()
            } else {
                observer.withLock { $0 = (next, call) }
            }
            // Leaves time for a disposal during `subscribe`.
            Clock.burn(nanoseconds: 500)
            return Disposables.create {
                call.end()
                let last = observer.withLock { observer in
                    defer { observer = nil }
                    return observer
                }
                withExtendedLifetime(last) {}
            }
        }
    }

    func end(fails: Bool) {
        let running = observer.withLock { $0 }
        guard let running else { return }
        running.call.end()
        if fails { running.observer.onError(Failure()) } else { running.observer.onCompleted() }
    }
}

extension Pairs {
    func race(_ worker: Worker, _ check: PermitCheck, calls: Int, wrap: (Observable<Item>) -> Observable<Item>) {
        run(worker) { pair, isFirst in
            for number in 0..<calls {
                let (call, subscription) = pair.exchange(isFirst) {
                    let call = PermitCall(check, endsAtOnce: number % 4 == 0)
                    var subscription: (any Disposable)?
                    worker.subscribe { subscription = wrap(call.source).subscribe(onError: { _ in }) }
                    return (call, Subscription(subscription!))
                }
                if isFirst {
                    worker.linger(100)
                    worker.push { call.end(fails: number % 2 == 0) }
                } else {
                    worker.linger(200)
                    worker.operation { subscription.dispose() }
                }
                pair.meet()
            }
        }
    }
}
