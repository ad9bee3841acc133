internal import CRxCore

/// The list of chains that feed a coordinator, in order of subscription. Disposing of the list disposes of each chain.
///
/// It is separate from the coordinator because the chain below owns it: nothing downstream of the coordinator may be
/// reachable from the list.
///
/// Guards: everything is protected by `lock`, except the links of a list that `dispose` has detached: only the
/// disposing thread uses those. After a halt nothing is removed from the list, and after the disposal nothing is added
/// either. A halt may run where no object may be released, so it must never hold the last reference to a chain.
@usableFromInline
final class InnerChains: Upstream {
    private struct List {
        var isDisposed = false
        var isHalted = false
        var first: InnerLifetime?
        unowned(unsafe) var last: InnerLifetime?
    }

    // A variable of its own, because several threads may be acquiring it while one accesses the list.
    @exclusivity(unchecked)
    private var lock = crx_lock()
    @exclusivity(unchecked)
    private var list = List()
    /// Which inner chains are held in a scope of flow control; nil outside a scope. Protected by the same lock.
    @usableFromInline
    let flow: InnerFlow?

    @usableFromInline
    init() {
        flow = nil
    }

    /// Makes the list the source of the chain under context. In a scope it is notified when that chain pauses and
    /// resumes.
    @usableFromInline
    init(of context: inout SubscribeContext) {
        flow = context.scope.map { InnerFlow($0) }
        context.feed(fromListening: self)
    }

    deinit {
        while let inner = list.first { list.first = inner.links.next.take() }
    }

    @usableFromInline
    var scope: FlowScope? { flow?.scope }

    /// Adds an inner chain to the list. If the chain below has been disposed of, the inner chain is disposed of at
    /// once.
    ///
    /// - Parameter passes: whether the inner chain is paused with the chain below. False for a source that only
    ///   triggers.
    @usableFromInline
    func insert(_ inner: InnerLifetime, passes: Bool = true) {
        crx_lock_acquire(&lock)
        if list.isDisposed {
            crx_lock_release(&lock)
            inner.dispose()
            return
        }
        inner.links.previous = list.last
        if let last = list.last { last.links.next = inner } else { list.first = inner }
        list.last = inner
        let gone = passes ? flow?.insert(inner) : nil
        let isHalted = list.isHalted
        crx_lock_release(&lock)
        withExtendedLifetime(gone) {}
        if isHalted { inner.halt() }
    }

    /// Removes an inner chain from the list and disposes of it.
    @usableFromInline
    func dispose(_ inner: InnerLifetime) {
        remove(inner)
        inner.disposeUnlessEnding()
    }

    private func remove(_ inner: InnerLifetime) {
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        guard !list.isDisposed, !list.isHalted, list.first === inner || inner.links.previous != nil else { return }
        let next = inner.links.next.take()
        if let next { next.links.previous = inner.links.previous } else { list.last = inner.links.previous }
        if let previous = inner.links.previous { previous.links.next = next } else { list.first = next }
        inner.links.previous = nil
    }

    /// Pauses the inner chains with the chain below, or resumes them one after the other.
    @usableFromInline
    func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        guard let flow else { return }
        crx_lock_acquire(&lock)
        let starts = !list.isDisposed && (isPaused ? flow.pause(&worklist) : flow.resume(&worklist))
        let coordinator = isPaused ? nil : flow.coordinator
        if coordinator != nil { flow.isResumeDue = true }
        let next = isPaused ? nil : flow.next.take()
        crx_lock_release(&lock)
        if starts { worklist.queue(RoundRobinJob(self, flow.scope.resumeScheduler)) }
        if let coordinator { worklist.queue(ResumedJob(coordinator, flow.scope.resumeScheduler)) }
        if let next { worklist.queue(next) }
    }

    /// The bound on the inner sources that wait for a place; nil if their outer source cannot be paused.
    func bound(on outer: InnerLifetime, named name: StaticString) -> QueueBound? {
        guard let own = flow?.own, own.pauses else { return nil }
        return QueueBound(name, own, filledBy: outer)
    }

    /// Called before an event of an inner chain is enqueued in the coordinator's gate. If `flow.crowd` of its events
    /// wait, its source is paused: a bound below notices these events only after they have been handled.
    @usableFromInline
    func eventWaits(of inner: InnerLifetime) {
        guard let flow else { return }
        var worklist = PauseWorklist(turnOf: nil)
        worklist.inputWaits(in: inner, limit: flow.crowd)
        worklist.notifyAll()
    }

    /// Called when a queued event has been handled or dropped. After the last one the source resumes.
    @usableFromInline
    func eventHasWaited(of inner: InnerLifetime) {
        if flow == nil { return }
        var worklist = PauseWorklist(turnOf: nil)
        worklist.inputHasWaited(in: inner)
        worklist.notifyAll()
    }

    /// Requests that the coordinator is notified when the chain below resumes.
    func notifiesOfResumes(to coordinator: Coordinator) {
        guard let flow else { return }
        crx_lock_acquire(&lock)
        flow.coordinator = coordinator
        crx_lock_release(&lock)
    }

    /// Whether the coordinator will be notified of a resume: the inner chains are held, or they are resuming and the
    /// coordinator has not been notified yet. If so, `kept` is retained until the notification. It is the coordinator,
    /// or an object that retains it, and always the same object for one coordinator.
    func keepsForResume(_ kept: AnyObject) -> Bool {
        guard let flow else { return false }
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        let keeps = flow.isHeld || flow.isResumeDue
        // This never releases the last reference to the old value: the caller retains the same object.
        if keeps && !list.isDisposed { flow.kept = kept }
        return keeps
    }

    /// Records that the coordinator is being notified, or never will be because its scheduler has been shut down.
    ///
    /// - Returns: the object that was retained until the notification.
    fileprivate func resumeIsDelivered() -> AnyObject? {
        let flow = flow.unsafelyUnwrapped
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        flow.isResumeDue = false
        return flow.kept.take()
    }

    /// Whether the next source has to wait for the resume: the inner chains are held, and another source has already
    /// started during this pause. If so, the job that starts the next source is queued at the resume.
    func keepsForResume(next job: FlowJob) -> Bool {
        guard let flow else { return false }
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        let keeps = flow.isHeld && flow.hasNewcomer && !list.isDisposed
        if keeps { flow.next = job }
        return keeps
    }

    /// Resumes the next held chain. Returns whether another one is held.
    fileprivate func resumeNext(_ worklist: inout PauseWorklist) -> Bool {
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        return flow.unsafelyUnwrapped.resumeNext(list.isDisposed, &worklist)
    }

    /// Records that the job that resumes held chains will not run, because its scheduler has been shut down.
    fileprivate func roundRobinIsDropped() {
        crx_lock_acquire(&lock)
        flow.unsafelyUnwrapped.resumeIsDropped()
        crx_lock_release(&lock)
    }

    @usableFromInline
    var sourceName: String { "one of the sources" }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        crx_lock_acquire(&lock)
        list.isDisposed = true
        let isHalted = list.isHalted
        var inner = isHalted ? list.first : list.first.take()
        list.last = nil
        let kept = flow?.kept.take()
        let next = flow?.next.take()
        crx_lock_release(&lock)
        defer { withExtendedLifetime((kept, next)) {} }
        if inner?.links.next != nil {
            // All chains are halted first, so that the disposal of one makes no other one start or resume work.
            var next = inner
            while let current = next {
                next = current.links.next
                current.haltUnlessEnding()
            }
        }
        while let current = inner {
            inner = isHalted ? current.links.next : current.links.next.take()
            current.disposeUnlessEnding()
        }
    }

    @usableFromInline
    func halt() {
        crx_lock_acquire(&lock)
        // The thread that notifies the source of the chain below may call this as well. Chains added later are halted
        // by `insert`.
        var inner = exchange(&list.isHalted, with: true) ? nil : list.first
        crx_lock_release(&lock)
        while let current = inner {
            current.haltUnlessEnding()
            crx_lock_acquire(&lock)
            inner = current.links.next
            crx_lock_release(&lock)
        }
    }
}

/// Resumes the held chains of a list one after the other, one per turn, so that each can send before the next resumes.
private final class RoundRobinJob: FlowJob, @unchecked Sendable {  // immutable
    private let list: InnerChains

    init(_ list: InnerChains, _ resumeScheduler: ResumeScheduler) {
        self.list = list
        super.init(resumeScheduler: resumeScheduler) { unsafeDowncast($0, to: RoundRobinJob.self).go() }
    }

    override func drop() {
        list.roundRobinIsDropped()
    }

    private func go() -> Bool {
        var worklist = PauseWorklist(turnOf: resumeScheduler)
        let goesOn = list.resumeNext(&worklist)
        worklist.notifyAll()
        worklist.finish()
        return goesOn
    }
}

/// Notifies a coordinator that the chain below it has resumed.
private final class ResumedJob: FlowJob, @unchecked Sendable {  // immutable
    private let coordinator: Coordinator

    init(_ coordinator: Coordinator, _ resumeScheduler: ResumeScheduler) {
        self.coordinator = coordinator
        super.init(resumeScheduler: resumeScheduler) { job in
            let coordinator = unsafeDowncast(job, to: ResumedJob.self).coordinator
            coordinator.enter {
                withExtendedLifetime(coordinator.innerChains.resumeIsDelivered()) { coordinator.resumed() }
            }
            return false
        }
    }

    override func drop() {
        _ = coordinator.innerChains.resumeIsDelivered()
    }
}
