internal import CRxCore

/// Whether a source of a coordinator pauses with the chain below.
@usableFromInline
enum SourceRole {
    /// The source pauses, because none of its elements may be lost.
    case primary
    /// The source continues, because only its latest element is used, or its elements may be dropped.
    case sampled
    /// The source continues, because its elements only trigger other work.
    case sideInput
}

/// The primary sources of a coordinator. While the chain below is paused, the *held* bit of their chains pauses them.
///
/// A pause moves the running sources to the end of the queue of held sources, so each resume starts with the source
/// that has waited longest. Modelled in Tests/Models/inner.pml.
///
/// Guards: the lock of the ``InnerChains`` protects everything, except where noted. The lock is also held whenever the
/// *held* bit of a source's chain changes.
@usableFromInline
final class InnerFlow {
    let scope: FlowScope
    /// The policy for elements or inner sources that wait for another source.
    let own: Buffering?
    /// A source pauses when this number of its events wait in the coordinator's gate.
    let crowd: UInt32
    /// The coordinator; nil if it is not notified of resumes.
    weak var coordinator: Coordinator?
    var isResumeDue = false
    /// Retains the coordinator while an action waits for `resumed()`.
    var kept: AnyObject?
    /// The job that starts the next source at the resume, if the sources run in sequence.
    var next: FlowJob?

    /// The bounds of a zip's sources. Used only by the owner of the gate.
    var bounds: [BacklogBound] = []

    private(set) var isHeld = false
    /// Whether a source has been added during the present pause.
    private(set) var hasNewcomer = false
    private var running = Ring<InnerLifetime>()
    private var held = Ring<InnerLifetime>()
    private var isResuming = false
    /// The total length of `running` and `held` at which disposed sources are removed.
    private var limit = 32

    init(_ scope: FlowScope) {
        self.scope = scope.above
        own = scope.own ?? scope.buffering
        crowd = if case .pausing(let bound)? = own { UInt32(clamping: min(bound, 64)) } else { 64 }
    }

    /// Called before the subscription to an inner chain. If its role is `primary`, adds the chain. During a pause, the
    /// chain is held at once.
    ///
    /// Returns disposed chains that have been removed. The caller releases them after unlocking, because they may
    /// retain objects of the user.
    func insert(_ inner: InnerLifetime, as role: SourceRole) -> [InnerLifetime] {
        guard role == .primary else { return [] }
        let gone = running.count + held.count >= limit ? purge() : []
        if isHeld {
            _ = crx_pause_set_held(inner.chain, true)
            held.append(inner)
            hasNewcomer = true
        } else {
            running.append(inner)
        }
        return gone
    }

    func pause(_ worklist: inout PauseWorklist) {
        isHeld = true
        while !running.isEmpty {
            let inner = running.removeFirst()
            if worklist.keepsGone(inner) { continue }
            worklist.setHeld(true, inner)
            held.append(inner)
        }
    }

    /// If one source is held, resumes it. If several sources are held, returns true, and the caller must queue a
    /// ``RoundRobinJob``.
    func resume(_ worklist: inout PauseWorklist) -> Bool {
        isHeld = false
        hasNewcomer = false
        if isResuming || held.isEmpty { return false }
        isResuming = true
        if held.count > 1 { return true }
        return resumeNext(false, &worklist)
    }

    /// Resumes the first held source, unless `isDisposed` is true or a new pause has begun. Returns whether more
    /// sources must be resumed.
    func resumeNext(_ isDisposed: Bool, _ worklist: inout PauseWorklist) -> Bool {
        while !isDisposed, !isHeld, !held.isEmpty {
            let inner = held.removeFirst()
            if worklist.keepsGone(inner) { continue }
            running.append(inner)
            worklist.setHeld(false, inner)
            isResuming = !held.isEmpty
            return isResuming
        }
        isResuming = false
        return false
    }

    func resumeIsDropped() {
        isResuming = false
    }

    /// Called when the coordinator is notified, or when a scheduler that has been shut down drops the notification.
    /// Returns `kept`.
    func resumeIsDelivered() -> AnyObject? {
        isResumeDue = false
        return kept.take()
    }

    private func purge() -> [InnerLifetime] {
        var gone: [InnerLifetime] = []
        for _ in 0..<running.count {
            let inner = running.removeFirst()
            if inner.isDisposed { gone.append(inner) } else { running.append(inner) }
        }
        for _ in 0..<held.count {
            let inner = held.removeFirst()
            if inner.isDisposed { gone.append(inner) } else { held.append(inner) }
        }
        limit = max(32, 2 * (running.count + held.count))
        return gone
    }
}

extension InnerChains {
    fileprivate func withFlow<Result>(_ body: (InnerFlow) -> Result) -> Result? {
        guard let flow else { return nil }
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        return body(flow)
    }

    @usableFromInline
    func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        guard let resumeScheduler = flow?.scope.resumeScheduler else { return }
        let (starts, coordinator, next) =
            withFlow { flow -> (Bool, Coordinator?, FlowJob?) in
                if isPaused {
                    if !list.isDisposed { flow.pause(&worklist) }
                    return (false, nil, nil)
                }
                let starts = !list.isDisposed && flow.resume(&worklist)
                let coordinator = flow.coordinator
                if coordinator != nil { flow.isResumeDue = true }
                return (starts, coordinator, flow.next.take())
            } ?? (false, nil, nil)
        if starts { worklist.queue(RoundRobinJob(self, resumeScheduler)) }
        if let coordinator { worklist.queue(ResumedJob(coordinator, resumeScheduler)) }
        if let next { worklist.queue(next) }
    }

    /// The bound on waiting inner sources; nil without a policy that pauses.
    func bound(on outer: InnerLifetime, named name: StaticString) -> QueueBound? {
        guard let own = flow?.own, own.pauses else { return nil }
        return QueueBound(name, own, filledBy: outer)
    }

    /// Called before an event waits in the coordinator's gate. At `flow.crowd` events, the inner chain pauses, because
    /// no boundary below counts them.
    @usableFromInline
    func eventWaits(of inner: InnerLifetime) {
        guard let flow else { return }
        var worklist = PauseWorklist(turnOf: nil)
        worklist.inputWaits(in: inner, limit: flow.crowd)
        worklist.notifyAll()
    }

    @usableFromInline
    func eventHasWaited(of inner: InnerLifetime) {
        if flow == nil { return }
        var worklist = PauseWorklist(turnOf: nil)
        worklist.inputHasWaited(in: inner)
        worklist.notifyAll()
    }

    fileprivate func resumeNext(_ worklist: inout PauseWorklist) -> Bool {
        withFlow { $0.resumeNext(list.isDisposed, &worklist) } ?? false
    }
}

/// Resumes one held chain per turn, so that each chain can send before the next one resumes.
private final class RoundRobinJob: FlowJob, @unchecked Sendable {  // immutable
    private let list: InnerChains

    init(_ list: InnerChains, _ resumeScheduler: ResumeScheduler) {
        self.list = list
        super.init(resumeScheduler: resumeScheduler) { unsafeDowncast($0, to: RoundRobinJob.self).go() }
    }

    override func drop() {
        list.withFlow { $0.resumeIsDropped() }
    }

    private func go() -> Bool {
        var worklist = PauseWorklist(turnOf: resumeScheduler)
        let goesOn = list.resumeNext(&worklist)
        worklist.notifyAll()
        worklist.finish()
        return goesOn
    }
}

private final class ResumedJob: FlowJob, @unchecked Sendable {  // immutable
    private let coordinator: Coordinator

    init(_ coordinator: Coordinator, _ resumeScheduler: ResumeScheduler) {
        self.coordinator = coordinator
        super.init(resumeScheduler: resumeScheduler) { job in
            let coordinator = unsafeDowncast(job, to: ResumedJob.self).coordinator
            coordinator.enter {
                let kept = coordinator.innerChains.withFlow { $0.resumeIsDelivered() }
                withExtendedLifetime(kept) { coordinator.resumed() }
            }
            return false
        }
    }

    override func drop() {
        _ = coordinator.innerChains.withFlow { $0.resumeIsDelivered() }
    }
}

extension Coordinator {
    @inlinable
    @inline(__always)
    final func startable<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.startable(for: below.chain)
    }

    /// Returns true if the chain below is paused, or ``resumed()`` has not been called yet after the latest resume. If
    /// so, the caller must postpone its action until ``resumed()`` is called. Until that call has returned, the
    /// coordinator is retained, because its sources and timers may release it. After a disposal of the chain below,
    /// ``resumed()`` is not called.
    ///
    /// Called only by the owner of the gate. ``resumed()`` runs inside the gate too, so it finds the postponed action.
    ///
    /// - Parameter state: the object to retain; nil for the coordinator itself. The object must retain the coordinator.
    ///   Each call must pass the same object.
    @usableFromInline
    final func keepsForResume(_ state: AnyObject? = nil) -> Bool {
        innerChains.withFlow { flow in
            let keeps = flow.isHeld || flow.isResumeDue
            // `flow.kept` is nil or already refers to this object. The caller retains the object, so nothing is freed
            // under the lock.
            if keeps && !innerChains.list.isDisposed { flow.kept = state ?? self }
            return keeps
        } ?? false
    }

    /// From now on, ``resumed()`` is called each time the chain below resumes.
    @usableFromInline
    final func hearsOfResumes() {
        innerChains.withFlow { $0.coordinator = self }
    }

    /// If `isFull` is true, pauses a primary source, because its queue in the coordinator is full. Otherwise resumes
    /// the source. Called only by the owner of the gate, so the *full* bit matches the queue.
    final func setFull(_ isFull: Bool, _ lifetime: InnerLifetime) {
        var worklist = PauseWorklist(turnOf: nil)
        worklist.setFull(isFull, lifetime)
        worklist.notifyAll()
    }
}

extension SequentialCoordinator {
    /// If another source was already added during the present pause, postpones `source` and returns true. After the
    /// pause, the job `flow.next` subscribes to `source`.
    final func keepsForResume(_ source: Observable<Element>) -> Bool {
        guard let scope = innerChains.scope, crx_pause_is_paused(crx_pause_word(down.chain))
        else { return false }
        let job = NextSourceJob(self, source, scope.resumeScheduler)
        return innerChains.withFlow { flow in
            let keeps = flow.isHeld && flow.hasNewcomer && !innerChains.list.isDisposed
            if keeps { flow.next = job }
            return keeps
        } ?? false
    }
}

private final class NextSourceJob<Element>: FlowJob, @unchecked Sendable {  // immutable
    private let coordinator: SequentialCoordinator<Element>
    private let source: Observable<Element>
    private let context = CapturedContext.capture()

    init(
        _ coordinator: SequentialCoordinator<Element>, _ source: Observable<Element>, _ resumeScheduler: ResumeScheduler
    ) {
        self.coordinator = coordinator
        self.source = source
        super.init(resumeScheduler: resumeScheduler) {
            unsafeDowncast($0, to: NextSourceJob<Element>.self).go()
            return false
        }
    }

    private func go() {
        if let context { context.run { coordinator.answer(with: source) } } else { coordinator.answer(with: source) }
    }

    override func drop() {
        coordinator.retained.disposeChain()
    }
}
