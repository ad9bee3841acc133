import RxCocoa
import RxRelay
import RxSwift

extension Table {
    static let subscribingRows: [Row] = [
        Row("subscribe(_:)", "closure", [.exact]) { rig in
            let source = rig.a
            return Row.Form { probe in source.subscribe { probe.on($0) } }
        },
        Row("subscribe(_:)", "observer", [.exact]) { rig in
            let source = rig.a
            return Row.Form { probe in source.subscribe(AnyObserver { probe.on($0) }) }
        },
        Row("subscribe(onNext:onError:onCompleted:onDisposed:)", "", [.exact]) { rig in
            let (source, hook) = (rig.a, rig.hook())
            return Row.Form { probe in
                source.subscribe(
                    onNext: probe.next, onError: probe.fail, onCompleted: probe.complete, onDisposed: hook.quietly)
            }
        },
        Row("subscribe(with:onNext:onError:onCompleted:onDisposed:)", "", [.exact]) { rig in
            let (source, hook) = (rig.a, rig.hook())
            return Row.Form { probe in
                source.subscribe(
                    with: probe, onNext: { $0.next($1) }, onError: { $0.fail($1) }, onCompleted: { $0.complete() },
                    onDisposed: { _ in hook.quietly() })
            }
        },
        Row("bind(to:)", "publish", [.shared, .endless, .survives]) { rig in
            let (relay, source) = (PublishRelay<Tracked>(), rig.infallible().asObservable())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("bind(to:)", "publish, optional", [.shared, .endless, .survives]) { rig in
            let (relay, source) = (PublishRelay<Tracked?>(), rig.infallible().asObservable())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("bind(to:)", "behavior", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, source) = (BehaviorRelay(value: rig.make()), rig.infallible().asObservable())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("bind(to:)", "behavior, optional", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, source) = (BehaviorRelay<Tracked?>(value: nil), rig.infallible().asObservable())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("bind(to:)", "replay", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, source) = (ReplayRelay<Tracked>.create(bufferSize: 2), rig.infallible().asObservable())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("bind(to:)", "replay, optional", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, source) = (ReplayRelay<Tracked?>.create(bufferSize: 2), rig.infallible().asObservable())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("bind(to:)", "observer", [.exact, .survives]) { rig in
            let source = rig.infallible().asObservable()
            return Row.Form { probe in source.bind(to: AnyObserver<Tracked> { probe.on($0) }) }
        },
        Row("bind(to:)", "observer, optional", [.exact, .survives]) { rig in
            let source = rig.infallible().asObservable()
            return Row.Form { probe in source.bind(to: AnyObserver<Tracked?> { probe.on($0) }) }
        },
        Row("bind(to:)", "transformation", [.delegates, .exact, .survives]) { rig in
            let source = rig.infallible().asObservable()
            return Row.Form { probe in source.bind(to: { $0.asObservable().subscribe { probe.on($0) } }) }
        },
        Row("bind(to:curriedArgument:)", "", [.delegates, .exact, .survives]) { rig in
            let source = rig.infallible().asObservable()
            return Row.Form { probe in
                source.bind(
                    to: { source in { (probe: Probe) in source.asObservable().subscribe { probe.on($0) } } },
                    curriedArgument: probe)
            }
        },
        Row("bind(onNext:)", "", [.exact, .endless, .survives]) { rig in
            let source = rig.infallible().asObservable()
            return Row.Form { probe in source.bind(onNext: probe.next) }
        },
        Row("bind(with:onNext:)", "", [.exact, .endless, .survives]) { rig in
            let source = rig.infallible().asObservable()
            return Row.Form { probe in source.bind(with: probe) { $0.next($1) } }
        },
        Row("Infallible.bind(to:)", "observer", [.exact, .survives]) { rig in
            let source = rig.infallible()
            return Row.Form { probe in source.bind(to: AnyObserver<Tracked> { probe.on($0) }) }
        },
        Row("Infallible.bind(to:)", "observer, optional", [.exact, .survives]) { rig in
            let source = rig.infallible()
            return Row.Form { probe in source.bind(to: AnyObserver<Tracked?> { probe.on($0) }) }
        },
        Row("Infallible.bind(to:)", "transformation", [.delegates, .exact, .survives]) { rig in
            let source = rig.infallible()
            return Row.Form { probe in source.bind(to: { $0.asObservable().subscribe { probe.on($0) } }) }
        },
        Row("Infallible.bind(to:curriedArgument:)", "", [.delegates, .exact, .survives]) { rig in
            let source = rig.infallible()
            return Row.Form { probe in
                source.bind(
                    to: { source in { (probe: Probe) in source.asObservable().subscribe { probe.on($0) } } },
                    curriedArgument: probe)
            }
        },
        Row("Infallible.bind(onNext:)", "", [.exact, .endless, .survives]) { rig in
            let source = rig.infallible()
            return Row.Form { probe in source.bind(onNext: probe.next) }
        },
        Row("Infallible.bind(to:)", "publish", [.shared, .endless, .survives]) { rig in
            let (relay, source) = (PublishRelay<Tracked>(), rig.infallible())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("Infallible.bind(to:)", "publish, optional", [.shared, .endless, .survives]) { rig in
            let (relay, source) = (PublishRelay<Tracked?>(), rig.infallible())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("Infallible.bind(to:)", "behavior", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, source) = (BehaviorRelay<Tracked>(value: rig.make()), rig.infallible())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("Infallible.bind(to:)", "behavior, optional", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, source) = (BehaviorRelay<Tracked?>(value: nil), rig.infallible())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("Infallible.bind(to:)", "replay", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, source) = (ReplayRelay<Tracked>.create(bufferSize: 2), rig.infallible())
            return Row.Form(relay) { source.bind(to: relay) }
        },
        Row("Infallible.bind(to:)", "replay, optional", [.shared, .retains, .endless, .survives]) { rig in
            let (relay, source) = (ReplayRelay<Tracked?>.create(bufferSize: 2), rig.infallible())
            return Row.Form(relay) { source.bind(to: relay) }
        },
    ]
}
