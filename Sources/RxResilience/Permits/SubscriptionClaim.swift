import RxSwift

extension ObservableType {
    /// This sequence, each subscription of which has a permit: the source is subscribed to when there is one, and at
    /// its end it is torn down, the permit goes back, and then the end is passed on, so that who follows it finds the
    /// permit free, and who has that finds free what it was for.
    ///
    /// - Parameter waitsAnyway: whether a subscription may wait even if the line is as long as it may be.
    func holdingPermit(of keeper: any PermitKeeper, waitsAnyway: Bool = false) -> Observable<Element> {
        let source = asObservable()
        return .coordinated { result in
            let claim = SubscriptionClaim(keeper, source, result)
            claim.waitsAnyway = waitsAnyway
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
///
/// A source that ends on the thread that is subscribing to it has yet to hand over what it has in use, as the resource
/// of a `using`: so that end is taken once it has been subscribed to.
///
/// Guards: `subscriber` is written before the source is subscribed to; `isSubscribing` and `early` belong to that
/// thread.
// @unchecked Sendable because of the guards, and the rest of its own never changes, and may be used by any thread.
private final class SubscriptionClaim<Element>: Claim, Disposable, @unchecked Sendable {
    private let source: Observable<Element>
    private let result: Coordination<Element>
    /// The one under which it was made: another call's may be the current one when the permit comes.
    private let deadline = Deadline.current
    /// And its context.
    private let context = ContextSource<Element>.captured()
    private var subscriber: UInt = 0
    private var isSubscribing = false
    /// The end that has come meanwhile.
    private var early: Event<Element>?

    init(_ keeper: any PermitKeeper, _ source: Observable<Element>, _ result: Coordination<Element>) {
        self.source = source
        self.result = result
        super.init(keeper)
    }

    override func start() -> Bool {
        guard result.isLive else { return false }
        Deadline.restore(deadline) {
            if let context { context { subscribe() } } else { subscribe() }
        }
        return true
    }

    /// On a trampoline: what loops has been subscribed to when its loop begins, and the end waits for no other loop.
    private func subscribe() {
        guard CurrentThreadScheduler.isScheduleRequired else { return subscribeHere() }
        _ = CurrentThreadScheduler.instance.schedule(()) { [self] in
            subscribeHere()
            return Disposables.create()
        }
    }

    private func subscribeHere() {
        subscriber = ThreadIdentity.current
        isSubscribing = true
        result.subscribe(freeing: source) { self.take($0) }
        isSubscribing = false
        if let end = early.take() { result.enter { self.end(end) } }
    }

    private func take(_ event: Event<Element>) {
        if case .next = event { return result.send(event) }
        guard ThreadIdentity.current == subscriber else { return end(event) }
        if isSubscribing { early = event } else { end(event) }
    }

    private func end(_ event: Event<Element>) {
        let ending = event.error.map { Ending.failed($0) } ?? .completed
        keeper.settle(self, ending) { self.result.send(event) }
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
