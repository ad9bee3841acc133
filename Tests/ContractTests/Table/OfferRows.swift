import RxOperators
import RxRelay

extension Table {
    static let offerRows: [Row] = [
        Row.offering("PublishSubject.offer(_:)", "", [.shared, .endless, .survives]) { _ in
            let subject = PublishSubject<Tracked>()
            return (subject.asObservable(), subject.offer)
        },
        Row.offering("BehaviorSubject.offer(_:)", "", [.shared, .retains, .endless, .survives]) { rig in
            let subject = BehaviorSubject(value: rig.make())
            return (subject.asObservable(), subject.offer)
        },
        Row.offering("ReplaySubject.offer(_:)", "", [.shared, .retains, .endless, .survives]) { _ in
            let subject = ReplaySubject<Tracked>.create(bufferSize: 2)
            return (subject.asObservable(), subject.offer)
        },
        Row.offering("TimedReplaySubject.offer(_:)", "", [.shared, .retains, .endless, .survives]) { rig in
            let subject = TimedReplaySubject<Tracked>(for: .seconds(1000), scheduler: rig.scheduler)
            return (subject.asObservable(), subject.offer)
        },
        Row.offering("UnicastSubject", "offer", [.shared, .retains, .endless, .survives]) { _ in
            let subject = UnicastSubject<Tracked>()
            return (subject.asObservable(), subject.offer)
        },
        Row.offering("PublishRelay.offer(_:)", "", [.shared, .endless, .survives]) { _ in
            let relay = PublishRelay<Tracked>()
            return (relay.asObservable(), relay.offer)
        },
        Row.offering("BehaviorRelay.offer(_:)", "", [.shared, .retains, .endless, .survives]) { rig in
            let relay = BehaviorRelay(value: rig.make())
            return (relay.asObservable(), relay.offer)
        },
        Row.offering("ReplayRelay.offer(_:)", "", [.shared, .retains, .endless, .survives]) { _ in
            let relay = ReplayRelay<Tracked>.create(bufferSize: 2)
            return (relay.asObservable(), relay.offer)
        },
    ]
}

extension Row {
    fileprivate static func offering(
        _ name: String, _ note: String, _ traits: Traits,
        _ make: @escaping @Sendable (Rig) -> (Observable<Tracked>, @Sendable (Tracked) -> OfferResult)
    ) -> Row {
        Row(
            name, note, traits,
            form: { rig in
                let (elements, offer) = make(rig)
                return Form(elements, from: rig.a) { _ = offer($0) }
            })
    }
}
