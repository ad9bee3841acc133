import RxOperators

extension Table {
    /// The operators of RxOperators on connectable sequences.
    static let connectionRows: [Row] = [
        Row("replay(_:for:scheduler:)", "", [.shared, .retains]) {
            Row.Form(connecting: $0.a.replay(for: .seconds(1000), scheduler: $0.scheduler))
        },
        Row("replay(_:for:scheduler:)", "refCount", [.exact, .retains]) {
            $0.a.replay(1, for: .seconds(1000), scheduler: $0.scheduler).refCount()
        },
        Row("refCount(after:)", "", [.exact]) { $0.a.publish().refCount(after: 1) },
        Row("refCount(after:disconnectAfter:scheduler:)", "", [.exact, .shared]) {
            $0.a.publish().refCount(disconnectAfter: .seconds(0), scheduler: $0.scheduler)
        },
        Row(
            "autoConnect(_:connected:)", "", [.exact, .shared],
            form: { rig in
                let source = rig.a
                return Row.Form { probe in
                    let connection = SerialDisposable()
                    let shared = source.publish().autoConnect { connection.disposable = $0 }
                    return Disposables.create(shared.subscribe { probe.on($0) }, connection)
                }
            }),
    ]
}
