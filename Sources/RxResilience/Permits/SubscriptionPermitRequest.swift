import RxSwift

extension ObservableType {
    /// Subscribes when `keeper` gives a permit. When this sequence ends, it is torn down, the permit is returned, and
    /// then the end is passed on. If `waitsAnyway` is true, a subscription is enqueued even if the queue is full.
    func holdingPermit(of keeper: any PermitKeeper, waitsAnyway: Bool = false) -> Observable<Element> {
        let source = asObservable()
        return .coordinated { result in
            let request = SubscriptionPermitRequest(keeper, source, result)
            request.waitsAnyway = waitsAnyway
            keeper.submit(request)
            return request
        }
    }
}

extension PrimitiveSequence {
    /// Like the function above, but returns the permit before the element is delivered, because observers of a single
    /// treat the element as the end.
    func holdingPermit(of keeper: any PermitKeeper) -> PrimitiveSequence<Trait, Element> {
        asObservable().holdingPermit(of: keeper).elementAtCompletion()
    }
}

/// If a source ends during `subscribe`, on the same thread, its resources are not free until `subscribe` has returned.
/// So `early` stores the end until then.
///
/// Guards: `subscriber` is written before the source is subscribed to. Only the subscribing thread uses `isSubscribing`
/// and `early`.
// @unchecked Sendable because of these guards; the other properties never change, and any thread may use them.
private final class SubscriptionPermitRequest<Element>: PermitRequest, Disposable, @unchecked Sendable {
    private let source: Observable<Element>
    private let result: Coordination<Element>
    /// The subscriber's deadline. The thread that gives the permit may have another one.
    private let deadline = Deadline.current
    private let context = ContextSource<Element>.captured()
    private var subscriber: UInt = 0
    private var isSubscribing = false
    private var early: Event<Element>?

    init(_ keeper: any PermitKeeper, _ source: Observable<Element>, _ result: Coordination<Element>) {
        self.source = source
        self.result = result
        super.init(keeper)
    }

    override var isWanted: Bool { result.isWanted }

    override func start() -> Bool {
        guard result.isLive else { return false }
        Deadline.restore(deadline) {
            if let context { context { subscribe() } } else { subscribe() }
        }
        return true
    }

    /// Subscribes on a trampoline, so that the loop of a cold source begins only after `subscribeHere` has returned.
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

    /// The source's resources are free when the permit is returned. Exception: if another thread is pausing or resuming
    /// the source, that thread may tear the source down later.
    func dispose() {
        keeper.settle(self, .disposed)
    }
}
