import RxSwift

extension Table {
    static let sharingRows: [Row] = [
        Row("share(replay:scope:)", "0, while connected", [.exact]) { $0.a.share() },
        Row("share(replay:scope:)", "1, while connected", [.exact]) { $0.a.share(replay: 1) },
        Row("share(replay:scope:)", "2, while connected", [.exact]) { $0.a.share(replay: 2) },
        Row("share(replay:scope:)", "0, forever", [.exact, .retains]) { $0.a.share(replay: 0, scope: .forever) },
        Row("share(replay:scope:)", "1, forever", [.exact, .retains]) { $0.a.share(replay: 1, scope: .forever) },
        Row("refCount()", "publish", [.exact]) { $0.a.publish().refCount() },
        Row("refCount()", "replay", [.exact, .retains]) { $0.a.replay(1).refCount() },
        Row("publish()", "", [.shared]) { Row.Form(connecting: $0.a.publish()) },
        Row("replay(_:)", "", [.shared, .retains]) { Row.Form(connecting: $0.a.replay(1)) },
        Row("replayAll()", "", [.shared, .retains]) { Row.Form(connecting: $0.a.replayAll()) },
        Row("connect()", "", [.shared]) { Row.Form(connecting: $0.a.publish()) },
        Row("multicast(_:)", "", [.shared]) { Row.Form(connecting: $0.a.multicast(PublishSubject<Tracked>())) },
        Row("multicast(makeSubject:)", "", [.shared]) { rig in
            let hook = rig.hook()
            return Row.Form(
                connecting: rig.a.multicast {
                    hook.quietly()
                    return PublishSubject<Tracked>()
                })
        },
        Row("multicast(_:selector:)", "", [.throwing, .exact, .prepares]) { rig in
            let hook = rig.hook()
            return rig.a.multicast({ PublishSubject<Tracked>() }) { shared in
                try hook()
                return shared
            }
        },
    ]
}
