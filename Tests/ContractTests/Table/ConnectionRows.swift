import RxOperators

extension Table {
    static let connectionRows: [Row] = [
        Row("share(flow:)", "", [.exact]) { $0.a.share(flow: .slowest) },
        Row("share(flow:)", "bounded", [.exact]) { rig in
            rig.a.share(flow: .slowest).observe(on: rig.scheduler).bounded(100_000)
        },
        Row("UnicastSubject", "", [.shared, .retains], form: { Row.Form(feeding: UnicastSubject(), from: $0.a) }),
        Row(
            "TimedReplaySubject", "", [.shared, .retains],
            form: { rig in
                let subject = TimedReplaySubject<Tracked>(for: .seconds(1000), scheduler: rig.scheduler)
                return Row.Form(feeding: subject, from: rig.a)
            }),
        Row("parallel(_:)", "sequential", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.parallel(2).runOn(rig.scheduler, bound: 100_000).map { element in
                try hook()
                return element
            }
            .sequential()
        },
        Row("parallel(_:)", "ordered", [.throwing, .exact]) { rig in
            let hook = rig.hook()
            return rig.a.parallel(2).runOn(rig.scheduler, bound: 100_000).map { element in
                try hook()
                return element
            }
            .ordered()
        },
        Row("parallel(_:)", "a filter", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.parallel(3).runOn(rig.serial(), bound: 100_000).filter { element in
                try hook()
                return element.value % 2 == 0
            }
            .ordered()
        },
        Row("parallel(_:)", "a compactMap", [.throwing]) { rig in
            let hook = rig.hook()
            return rig.a.parallel(2).runOn(rig.scheduler, bound: 100_000).compactMap { element in
                try hook()
                return element.value % 2 == 0 ? element : nil
            }
            .sequential()
        },
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
