import RxSwift
import TestSupport

/// The log of a single's handlers: `"1 disposed"`, `"!a disposed"`.
func seen<Element>(_ single: Single<Element>) -> String {
    let log = Log()
    _ = single.subscribe(onSuccess: { log($0) }, onFailure: { log("!\($0)") }, onDisposed: { log("disposed") })
    return log.text
}

/// The log of a maybe's handlers: `"1 disposed"`, `"| disposed"`, `"!a disposed"`.
func seen<Element>(_ maybe: Maybe<Element>) -> String {
    let log = Log()
    _ = maybe.subscribe(
        onSuccess: { log($0) }, onError: { log("!\($0)") }, onCompleted: { log("|") }, onDisposed: { log("disposed") })
    return log.text
}

/// The log of a completable's handlers: `"| disposed"`, `"!a disposed"`.
func seen(_ completable: Completable) -> String {
    let log = Log()
    _ = completable.subscribe(onCompleted: { log("|") }, onError: { log("!\($0)") }, onDisposed: { log("disposed") })
    return log.text
}

/// The log of an infallible's handlers: `"1 2 | disposed"`.
func seen<Element>(_ infallible: Infallible<Element>) -> String {
    let log = Log()
    _ = infallible.subscribe(onNext: { log($0) }, onCompleted: { log("|") }, onDisposed: { log("disposed") })
    return log.text
}
