// Short names for schedulers and for observers that log where they are called. Blocks are independent, as in
// Helpers.swift.
import Dispatch
import Foundation
import RxSwift

func serial(_ q: DispatchQueue) -> SerialDispatchQueueScheduler {
    SerialDispatchQueueScheduler(queue: q, internalSerialQueueName: "inner")
}
func serial(_ name: String) -> SerialDispatchQueueScheduler { serial(queue(name)) }

extension ObservableType {
    @discardableResult func seeW(_ n: String = "", _ f: ((Element) -> Void)? = nil) -> Disposable {
        subscribe(
            onNext: {
                lw("\(n)\($0)"); f?($0)
            }, onError: { lw("\(n)E(\($0))") }, onCompleted: { lw("\(n)C") }, onDisposed: nil)
    }
    /// As `seeW`, then services the main queue until the end.
    func goW(_ n: String = "") {
        let ended = AtomicFlag()
        _ = subscribe(
            onNext: { lw("\(n)\($0)") }, onError: { lw("\(n)E(\($0))") }, onCompleted: { lw("\(n)C") },
            onDisposed: { ended.set() })
        until { ended.get() }
    }
}

extension ObservableType {
    func sdW(_ n: String) -> Observable<Element> { self.do(onSubscribe: { lw("\(n)+") }, onDispose: { lw("\(n)-") }) }
}
