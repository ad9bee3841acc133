import RxSwift

private let doName =
    "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)"

extension Table {
    static let utilityRows: [Row] = [
        Row(doName, "", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.do(onNext: { _ in try hook() })
        },
        Row(doName, "all", [.exact]) { rig in
            let hook = rig.hook()
            return rig.a.do(
                onNext: { _ in hook.quietly() }, afterNext: { _ in hook.quietly() },
                onError: { _ in hook.quietly() }, afterError: { _ in hook.quietly() },
                onCompleted: { hook.quietly() }, afterCompleted: { hook.quietly() },
                onSubscribe: { hook.quietly() }, onSubscribed: { hook.quietly() }, onDispose: { hook.quietly() })
        },
        Row("checkpoint(_:)", "", [.exact]) { $0.a.checkpoint("contract") },
        Row("debug(_:trimOutput:file:line:function:)", "", [.exact]) { $0.a.debug("contract", trimOutput: true) },
        Row("toArray()") { $0.a.toArray().asObservable() },
        Row("reduce(_:accumulator:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.reduce(rig.make()) { _, element in
                try hook()
                return element
            }
        },
        Row("reduce(_:accumulator:mapResult:)", "", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.reduce(
                rig.make(), accumulator: { _, element in element },
                mapResult: { element in
                    try hook()
                    return element
                })
        },
    ]
}
