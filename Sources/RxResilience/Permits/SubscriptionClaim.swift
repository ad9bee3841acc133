import RxSwift

extension ObservableType {
    /// This sequence, each subscription of which has a permit: the source is subscribed to when there is one, and the
    /// permit goes back before the end is passed on, so that who follows the end finds it free.
    func holdingPermit(of keeper: any PermitKeeper) -> Observable<Element> {
        let source = asObservable()
        return .coordinated { result in
            let claim = SubscriptionClaim(keeper, ContextSource.capturing(for: source), result)
            keeper.submit(claim)
            return claim
        }
    }
}

extension PrimitiveSequence {
    /// The same; the permit goes back before the element is passed on, too, since that is the end to who waits for it.
    func holdingPermit(of keeper: any PermitKeeper) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: asObservable().holdingPermit(of: keeper).takeLast(1))
    }
}

/// A subscription's claim, which is what the chain below disposes of.
// @unchecked Sendable because what it has of its own never changes, and may be used by any thread.
private final class SubscriptionClaim<Element>: Claim, Disposable, @unchecked Sendable {
    private let source: Observable<Element>
    private let result: Coordination<Element>
    /// The one under which it was made: another call's may be the current one when the permit comes.
    private let deadline = Deadline.current

    init(_ keeper: any PermitKeeper, _ source: Observable<Element>, _ result: Coordination<Element>) {
        self.source = source
        self.result = result
        super.init(keeper)
    }

    override func start() -> Bool {
        guard result.isLive else { return false }
        Deadline.restore(deadline) {
            result.subscribe(source) { event in
                let passOn = { self.result.send(event) }
                switch event {
                case .next: passOn()
                case .error(let error): self.keeper.settle(self, .failed(error), passOn: passOn)
                case .completed: self.keeper.settle(self, .completed, passOn: passOn)
                }
            }
        }
        return true
    }

    override func refuse(_ error: any Error) {
        result.enter { self.result.send(.error(error)) }
    }

    /// After the source: when the permit is back, what it was for is torn down; but where a thread is telling the
    /// source of a pause just now, that thread tears it down when it has done so.
    func dispose() {
        keeper.settle(self, .disposed)
    }
}
