import RxSwift

/// The events that a sequence sends during `subscribe`, such as `"1 2 completed"`.
package func seen<Element>(_ source: Observable<Element>) -> String {
    let log = Log()
    source.note(in: log).dispose()
    return log.text
}

extension ObservableType {
    package func note(in log: Log, as name: String = "") -> any Disposable {
        subscribe(
            onNext: { log("\(name)\($0)") }, onError: { log("\(name)error(\($0))") },
            onCompleted: { log("\(name)completed") })
    }

    /// Logs subscription as `+` and teardown as `-`.
    package func noteLifetime(in log: Log, as name: String) -> Observable<Element> {
        self.do(onSubscribe: { log("\(name)+") }, onDispose: { log("\(name)-") })
    }
}
