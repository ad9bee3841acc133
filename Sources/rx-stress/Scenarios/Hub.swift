import RxSwift

struct Hub: Sendable {
    let source: Observable<Item>
    let observer: AnyObserver<Item>

    /// `producer` is the producer of a BehaviorSubject's initial item.
    static func random(_ random: inout SplitMix64, producer: Int) -> Hub {
        switch random.below(4) {
        case 0: Hub(BehaviorSubject(value: Item(producer, 0)))
        case 1: Hub(ReplaySubject.create(bufferSize: 1 + random.below(4)))
        default: Hub(PublishSubject())
        }
    }

    init(_ subject: PublishSubject<Item>) {
        source = subject
        observer = AnyObserver(subject)
    }

    init(_ subject: BehaviorSubject<Item>) {
        source = subject
        observer = AnyObserver(subject)
    }

    init(_ subject: ReplaySubject<Item>) {
        source = subject
        observer = AnyObserver(subject)
    }
}

extension Observable<Item> {
    func staged(_ random: inout SplitMix64) -> Observable<Item> {
        switch random.below(4) {
        case 0: map { $0 }.filter { _ in true }
        case 1: scan(Item(0, 0)) { $1 }
        case 2: compactMap { $0 }.map { $0 }
        default: self
        }
    }
}
