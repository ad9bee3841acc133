public import CRxCore

extension ObservableType {
    /// Distributes the elements among `count` sequences ("rails"), and returns the sequence that `combine` makes from
    /// the rails. Each rail delivers on `scheduler`, and at most `bound` of its elements wait.
    ///
    /// - Parameter inTurn: if true, element `n` goes to rail `n % count`, and the source pauses while any rail is full.
    ///   If false, an element goes to the next rail with room, and the source pauses while all rails are full.
    @inlinable
    package __consuming func split<Output>(
        into count: Int, on scheduler: any ImmediateSchedulerType, bound: Int, inTurn: Bool,
        _ combine: @escaping ([Observable<Element>]) -> Observable<Output>
    ) -> Observable<Output> {
        let source = asObservable()
        return Observable { _, context in
            let distributor = Distributor<Element>(count, scheduler, bound, inTurn, &context)
            let rails = (0..<count).map { number in
                Observable<Element> { _, context in
                    distributor.attach(&context, number)
                    return nil
                }.observe(on: scheduler, buffering: .pausing(bound))
            }
            context.afterwards { distributor.subscribe(to: source) }
            return combine(rails)
        }
    }
}

/// Guards: `rails` is written before the subscription to the source. Afterwards only the source uses `rails` and
/// `turn`, for one event at a time.
@usableFromInline
final class Distributor<Element>: @unchecked Sendable {
    /// The sink of each rail; nil if `combine` has not subscribed to the rail.
    @usableFromInline
    var rails: ContiguousArray<Sink<Element>?>
    @usableFromInline
    var turn = 0
    @usableFromInline
    let inTurn: Bool
    @usableFromInline
    let lifetime = ChainLifetime()
    private let votes: RailVotes
    private let bound: Int
    private let scope: FlowScope?

    @usableFromInline
    init(
        _ count: Int, _ scheduler: any ImmediateSchedulerType, _ bound: Int, _ inTurn: Bool,
        _ context: inout SubscribeContext
    ) {
        rails = ContiguousArray(repeating: nil, count: count)
        self.inTurn = inTurn
        votes = RailVotes(PauseVotes(pausing: lifetime, threshold: inTurn ? 1 : count), count)
        self.bound = bound
        scope = FlowScope(
            context.scope?.buffering,
            resumeScheduler: scheduler.isCurrentThread ? context.resumeScheduler : ResumeScheduler(scheduler))
    }

    deinit {
        for rail in rails { rail?.sourceIsGone() }
    }

    @usableFromInline
    func attach(_ context: inout SubscribeContext, _ number: Int) {
        rails[number] = context.takeTop(for: Element.self)
        context.feed(fromListening: Rail(votes))
    }

    @usableFromInline
    func subscribe(to source: Observable<Element>) {
        source.subscribe(last: DistributorSink(self), lifetime, scope: scope)
    }

    @inlinable
    @inline(__always)
    func next(_ element: Element) {
        var number = turn
        if isFull(number) { number = rail(after: number) }
        turn = number + 1 == rails.count ? 0 : number + 1
        if number < rails.count, let rail = rails[number] { rail.push(rail, element) }
    }

    @inlinable
    @inline(__always)
    func isFull(_ number: Int) -> Bool {
        rails[number].map { crx_pause_is_paused(crx_pause_word($0.chain)) } ?? false
    }

    /// Returns the rail for the next element. Called if rail `number` is next, but is full. If no other rail may take
    /// the element and the source cannot pause, all rails fail.
    @usableFromInline
    func rail(after number: Int) -> Int {
        if !inTurn {
            for offset in 1..<rails.count where !isFull((number + offset) % rails.count) {
                return (number + offset) % rails.count
            }
        }
        if !crx_pause_is_pausable(crx_pause_word(lifetime.chain)),
            let error = lifetime.disposeOverflowing("parallel", limit: bound, nil)
        {
            end(error)
        }
        return number
    }

    @usableFromInline
    func end(_ error: (any Error)?) {
        for rail in rails { rail?.end(error) }
    }
}

@usableFromInline
final class DistributorSink<Element>: TerminalObserver<Element> {
    @usableFromInline
    let distributor: Distributor<Element>

    @inlinable
    init(_ distributor: Distributor<Element>) {
        self.distributor = distributor
        super.init(distributor.lifetime) { base, element in
            unsafeDowncast(base, to: DistributorSink<Element>.self).distributor.next(element)
        }
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        distributor.end(error)
    }
}

/// The state that the rails share. Retains the source's chain and nothing downstream of it.
private final class RailVotes: Sendable {
    let votes: PauseVotes
    private let left: Locked<(undisposed: Int, unhalted: Int)>

    init(_ votes: PauseVotes, _ count: Int) {
        self.votes = votes
        left = Locked((count, count))
    }

    func railIsDisposed() {
        let isLast = left.withLock { left in
            left.undisposed -= 1
            return left.undisposed == 0
        }
        if isLast { votes.source.dispose() }
    }

    func railIsHalted() {
        let isLast = left.withLock { left in
            left.unhalted -= 1
            return left.unhalted == 0
        }
        if isLast { votes.source.halt() }
    }
}

private final class Rail: PauseVote, @unchecked Sendable {  // like its superclass; its property is immutable
    private let rails: RailVotes

    init(_ rails: RailVotes) {
        self.rails = rails
        super.init(rails.votes)
    }

    override func dispose(key: UnsafeMutableRawPointer?) {
        super.dispose(key: key)
        rails.railIsDisposed()
    }

    override func halt() {
        rails.railIsHalted()
    }

    override var sourceName: String { "parallel" }
}
