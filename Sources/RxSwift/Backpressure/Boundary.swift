public import CRxCore

/// A queue between two threads, with a bound on its elements. When the queue is full, the source pauses.
///
///     source ──► ... ──► BoundarySink ──► BoundaryDrain ──► chain below ──► ChainLifetime ──► BoundarySource
///                        ChainLifetime of the chain above ◄──────────────────────────────────────┘
///
/// | bits of `flag` | meaning | set by | cleared by |
/// |---|---|---|---|
/// | 0 *draining* | a drain is queued, runs, or is parked | the `BoundarySink` | the drain, when the queue is empty |
/// | 1 *full* | the bound has been reached | the `BoundarySink` | the drain, at a quarter of the bound |
/// | 2 *ended* | the terminal event follows the queued elements | the `BoundarySink` | never |
/// | 3 *gone* | no more elements are accepted | the drain, when it drops the queue | never |
/// | 4 and up | the number of elements, including those being delivered | `BoundarySink` adds | the drain subtracts |
///
/// 1. *Count and bits change together*: each atomic update of the count also decides whether the queue is full and
///    whether a drain is needed. So no resume is lost.
/// 2. *The chain above is notified in order*: after changing *full*, a thread takes a lock and copies the current bit
///    to the word of the chain above. The last copy sees all changes. If `add(_:)` sets *full*, it makes the copy
///    before it returns.
/// 3. *One drain*: the thread that sets *draining* queues the drain. After that, the drain is queued only by itself or,
///    if it is parked, by the thread that resumes it.
/// 4. *No element is lost*: the drain clears *draining* with a compare-and-swap that fails if an element was added. A
///    parked drain leaves *draining* set.
///
/// An element is counted until its delivery has returned. The protocol is modelled in Tests/Models/park.pml.
///
/// Guards: only the `BoundarySink` uses `tail`, and only the drain uses `head`. The `BoundarySink` writes `error`
/// before it sets *ended*; the drain reads `error` after it has seen *ended*. The other properties are immutable.
@usableFromInline
final class BoundaryDrain<Element>: FlowJob, @unchecked Sendable {  // see the guards above
    @usableFromInline
    let down: Sink<Element>
    @usableFromInline
    let source: BoundarySource
    @usableFromInline
    let bound: Int
    @usableFromInline
    let low: UInt
    @usableFromInline
    let batch: Int
    @usableFromInline
    var tail: Segment<Element>.Tail
    @usableFromInline
    var head: Segment<Element>.Head
    private var error: (any Error)?

    @inlinable
    init(_ down: Sink<Element>, _ source: BoundarySource, bound: Int) {
        self.down = down
        self.source = source
        self.bound = bound
        low = UInt(bound / 4)
        batch = max(1, bound / 8)
        let segment = Segment<Element>()
        tail = .init(segment)
        head = .init(segment)
        super.init(resumeScheduler: source.resumeScheduler) {
            unsafeDowncast($0, to: BoundaryDrain<Element>.self).drain()
        }
    }

    deinit {
        free()
        down.sourceIsGone()
    }

    // MARK: Called by the BoundarySink

    @inlinable
    @inline(__always)
    func add(_ element: Element) {
        var old = crx_flag_load_relaxed(flag)
        if Int(old >> 4) >= bound && !admits(old) { return }
        tail.write(element)
        while true {
            if old & 12 != 0 { return takeBack() }
            var new = (old | 1) &+ 16
            if Int(new >> 4) >= bound { new |= 2 }
            let seen = crx_flag_compare_and_swap_acq_rel(flag, old, new)
            if seen == old {
                source.counters?.entered()
                if new & ~old & 3 != 0 { added(old, new) }
                return
            }
            old = seen
        }
    }

    @usableFromInline
    func added(_ old: UInt, _ new: UInt) {
        if new & ~old & 2 != 0 {
            source.counters?.paused()
            var worklist = PauseWorklist(turnOf: nil)
            source.copy(of: flag, &worklist)
            worklist.notifyAll()
        }
        if new & ~old & 1 != 0 { resumeScheduler.enqueue(self) }
    }

    /// Returns whether the full queue accepts an element. A paused source may still send some elements. If the queue
    /// overflows, fails the chain below.
    @usableFromInline
    func admits(_ old: UInt) -> Bool {
        if old & 12 == 0 {
            if source.bound.mayStillSend(Int(old >> 4)) { return true }
            if let error = source.bound.overflow() { end(error) }
        }
        BoundaryStage.counts(above: down)?.skip()
        return false
    }

    @usableFromInline
    func takeBack() {
        withExtendedLifetime(tail.takeBack()) {}
        BoundaryStage.counts(above: down)?.skip()
    }

    @usableFromInline
    func end(_ error: (any Error)?) {
        self.error = error
        if crx_flag_fetch_or_acq_rel(flag, 5) & 1 == 0 { resumeScheduler.enqueue(self) }
    }

    // MARK: The drain

    @inlinable
    func drain() -> Bool {
        var worklist = PauseWorklist(turnOf: resumeScheduler)
        let goesOn = deliver(&worklist)
        worklist.finish()
        return goesOn
    }

    @inlinable
    @inline(__always)
    func deliver(_ worklist: inout PauseWorklist) -> Bool {
        var left = resumeScheduler.budget(bound)
        // The count in `flag` still includes the `delivered` elements. `known` is the last count that was read.
        var delivered = 0
        var known = Int(crx_flag_load_acquire(flag) >> 4)
        while true {
            let below = crx_pause_word(down.chain)
            if crx_lifetime_is_over(below) {
                close(after: delivered)
                return false
            }
            if delivered == known {
                let word = giveBack(delivered, leaves: true, &worklist)
                delivered = 0
                known = Int(word >> 4)
                if word & 1 == 0 { return false }
                if known == 0 {
                    if left == 0 { return true }
                    return deliverEnd()
                }
            }
            if crx_pause_is_paused(below) {
                known = Int(giveBack(delivered, leaves: false, &worklist) >> 4)
                delivered = 0
                switch source.park(self) {
                case .parked: return false
                case .goesOn: break
                case .over: continue
                }
            }
            if left == 0 {
                _ = giveBack(delivered, leaves: false, &worklist)
                return true
            }
            let element = head.take()
            down.push(down, element)
            delivered &+= 1
            left &-= 1
            if delivered == batch && delivered < known {
                known = Int(giveBack(delivered, leaves: false, &worklist) >> 4)
                delivered = 0
            }
        }
    }

    /// Subtracts `delivered` from the count and returns the new word. If `leaves` is true, also clears *draining*,
    /// unless elements wait or the end has come. A drain that has cleared *draining* must return.
    @usableFromInline
    func giveBack(_ delivered: Int, leaves: Bool, _ worklist: inout PauseWorklist) -> UInt {
        // Acquire order: the drain takes the elements that this word counts, even if no compare-and-swap follows.
        var old = crx_flag_load_acquire(flag)
        while true {
            var new = old &- UInt(delivered) << 4
            if new >> 4 <= low { new &= ~2 }
            if leaves && new >> 4 == 0 && new & 12 == 0 { new &= ~1 }
            let seen = old == new ? old : crx_flag_compare_and_swap_acq_rel(flag, old, new)
            if seen == old {
                source.counters?.left(delivered)
                if (old ^ new) & 2 != 0 {
                    source.copy(of: flag, &worklist)
                    worklist.notifyAll()
                }
                return new
            }
            old = seen
        }
    }

    @usableFromInline
    func deliverEnd() -> Bool {
        // *draining* stays set, so that no other drain is queued.
        down.end(error)
        return false
    }

    /// Drops the waiting elements and accepts no more. Called when the chain below has ended or been disposed of, or
    /// the scheduler has been shut down.
    @usableFromInline
    func close(after delivered: Int) {
        var worklist = PauseWorklist(turnOf: nil)
        _ = giveBack(delivered, leaves: false, &worklist)
        _ = crx_flag_fetch_or_acq_rel(flag, 9)
        free()
    }

    /// Releases the waiting elements. Called when no element can be added any more.
    private func free() {
        let word = crx_flag_load_acquire(flag)
        source.counters?.left(Int(word >> 4))
        if word >> 4 != 0 { BoundaryStage.counts(above: down)?.skip(Int(word >> 4)) }
        for _ in 0..<(word >> 4) { withExtendedLifetime(head.take()) {} }
        crx_flag_store_release(flag, word & 15)
    }

    override func drop() {
        close(after: 0)
        source.above.dispose()
    }
}

extension ObserveOn {
    @inlinable
    func subscribe(
        _ upper: ChainLifetime, _ down: Sink<Element>, _ buffering: Buffering, _ context: inout SubscribeContext
    ) {
        let boundary = BoundarySource("observe(on:)", buffering, upper, on: scheduler, &context)
        let sink: SinkBase
        if case .pausing(let bound) = buffering {
            sink = BoundarySink(BoundaryDrain(down, boundary, bound: bound))
        } else {
            sink = LossySink<Element>.make(down, boundary)
        }
        source.subscribe(last: sink, upper, scope: boundary.scope)
    }
}

@usableFromInline
final class BoundarySink<Element>: TerminalObserver<Element> {
    @usableFromInline
    let drain: BoundaryDrain<Element>

    @inlinable
    init(_ drain: BoundaryDrain<Element>) {
        self.drain = drain
        super.init(drain.source.above) { base, element in
            unsafeDowncast(base, to: BoundarySink<Element>.self).drain.add(element)
        }
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        drain.end(error)
    }
}

/// The source of the chain below a boundary. Retains the chain above.
@usableFromInline
final class BoundarySource: PausableSource {
    /// The number of elements that a boundary accepts beyond its bound. A paused source may still send elements that
    /// wait in gates. One gate queues slightly more than 1 024 elements, and nested merges have several gates.
    static let onTheirWay = 16_384

    @usableFromInline
    let bound: QueueBound

    @usableFromInline
    var above: ChainLifetime { bound.source }

    @usableFromInline
    var counters: BoundaryCounters? { bound.counters }

    @usableFromInline
    let scope: FlowScope?
    @usableFromInline
    let resumeScheduler: ResumeScheduler
    /// The bound in the list of subscriptions; nil if it is not listed.
    private let listed: ListedBound?

    /// After a pause, the chain above resumes on `scheduler`. If `scheduler` is a ``CurrentThreadScheduler``, the chain
    /// above resumes on `below.resumeScheduler`.
    @usableFromInline
    init(
        _ boundary: StaticString, _ buffering: Buffering, _ above: ChainLifetime,
        on scheduler: any ImmediateSchedulerType, _ below: inout SubscribeContext
    ) {
        bound = QueueBound(boundary, buffering, filledBy: above)
        resumeScheduler = ResumeScheduler(scheduler)
        let home = scheduler.isCurrentThread ? below.resumeScheduler : resumeScheduler
        scope = buffering.pauses ? FlowScope(below.scope?.buffering, resumeScheduler: home) : below.scope
        listed = crx_watch_any(CRX_WATCH_LISTING) ? .list(boundary, buffering.bound) : nil
        super.init(below.lifetime)
        below.feed(from: self)
    }

    /// Copies the *full* bit of `flag` to the word of the chain above.
    @usableFromInline
    func copy(of flag: UnsafeMutablePointer<crx_flag>, _ worklist: inout PauseWorklist) {
        let lock = crx_state_lock(above.chain)
        crx_lock_acquire(lock)
        let isFull = crx_flag_load_acquire(flag) & 2 != 0
        listed?.isPausing = isFull
        worklist.setFull(isFull, above)
        crx_lock_release(lock)
    }

    override func dispose(key: UnsafeMutableRawPointer?) {
        above.dispose()
        super.dispose(key: key)
    }

    override func halt() {
        above.halt()
    }

    override var sourceName: String { bound.name }
}
