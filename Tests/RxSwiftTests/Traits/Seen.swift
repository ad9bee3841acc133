import RxSwift
import TestSupport

/// The handlers' log: `"1 disposed"`, or `"!a disposed"` for the error a.
func seen<Element>(_ single: Single<Element>) -> String {
    let log = Log()
    _ = single.subscribe(onSuccess: { log($0) }, onFailure: { log("!\($0)") }, onDisposed: { log("disposed") })
    return log.text
}

func seen<Element>(_ maybe: Maybe<Element>) -> String {
    let log = Log()
    _ = maybe.subscribe(
        onSuccess: { log($0) }, onError: { log("!\($0)") }, onCompleted: { log("|") }, onDisposed: { log("disposed") })
    return log.text
}

func seen(_ completable: Completable) -> String {
    let log = Log()
    _ = completable.subscribe(onCompleted: { log("|") }, onError: { log("!\($0)") }, onDisposed: { log("disposed") })
    return log.text
}

func seen<Element>(_ infallible: Infallible<Element>) -> String {
    let log = Log()
    _ = infallible.subscribe(onNext: { log($0) }, onCompleted: { log("|") }, onDisposed: { log("disposed") })
    return log.text
}
