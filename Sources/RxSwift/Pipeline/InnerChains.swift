internal import CRxCore

/// The chains that feed a coordinator, in order of subscription; disposing them disposes each, at once.
///
/// It is apart from the coordinator because the chain below owns it: what is downstream of the coordinator must not be
/// reachable from there.
///
/// Guards: everything is under `lock`, but for the links of a list that `dispose` has taken, which are its own. Once it
/// has been halted the list only grows, and not even that once it has been disposed: the halt, which may come where
/// nothing may be let go, is not who lets one of them go.
@usableFromInline
final class InnerChains: Upstream {
    @exclusivity(unchecked)
    private var lock = crx_lock()
    // Beside the lock, where they take no room.
    @exclusivity(unchecked)
    private var isDisposed = false
    @exclusivity(unchecked)
    private var isHalted = false
    @exclusivity(unchecked)
    private var first: InnerDisposer?
    @exclusivity(unchecked)
    private unowned(unsafe) var last: InnerDisposer?
    /// In a scope of flow control, which of them are held; its state is under the same lock.
    @usableFromInline
    let flow: InnerFlow?

    @usableFromInline
    init() {
        flow = nil
    }

    /// What feeds the chain that is being put together: in a scope it listens to what becomes of that chain's level.
    @usableFromInline
    init(of assembly: inout Assembly) {
        flow = assembly.scope.map { InnerFlow($0) }
        assembly.feed(fromListening: self)
    }

    deinit {
        while let inner = first { first = inner.next.take() }
    }

    /// The scope that inner chains are in.
    @usableFromInline
    var scope: FlowScope? { flow?.scope }

    /// Lists an inner sink; where the chain below is disposed already the inner sink is disposed at once.
    ///
    /// - Parameter passes: whether it is paused with the chain below. One that only says when is not.
    @usableFromInline
    func insert(_ inner: InnerDisposer, passes: Bool = true) {
        crx_lock_acquire(&lock)
        if isDisposed {
            crx_lock_release(&lock)
            inner.dispose()
            return
        }
        inner.previous = last
        if let last { last.next = inner } else { first = inner }
        last = inner
        let gone = passes ? flow?.insert(inner) : nil
        let isHalted = isHalted
        crx_lock_release(&lock)
        withExtendedLifetime(gone) {}
        if isHalted { inner.halt() }
    }

    /// Takes an inner sink off the list and disposes it.
    @usableFromInline
    func dispose(_ inner: InnerDisposer) {
        remove(inner)
        inner.disposeUnlessEnding()
    }

    private func remove(_ inner: InnerDisposer) {
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        guard !isDisposed, !isHalted, first === inner || inner.previous != nil else { return }
        let next = inner.next.take()
        if let next { next.previous = inner.previous } else { last = inner.previous }
        if let previous = inner.previous { previous.next = next } else { first = next }
        inner.previous = nil
    }

    /// Pauses those that are paused with the chain below, or resumes them, one after the other.
    @usableFromInline
    func tell(isPaused: Bool, _ agenda: inout FlowAgenda) {
        guard let flow else { return }
        crx_lock_acquire(&lock)
        let starts = !isDisposed && (isPaused ? flow.pause(&agenda) : flow.resume(&agenda))
        let coordinator = isPaused ? nil : flow.coordinator
        if coordinator != nil { flow.isResumeDue = true }
        let next = isPaused ? nil : flow.next.take()
        crx_lock_release(&lock)
        if starts { agenda.queue(FlowRota(self, flow.scope.home)) }
        if let coordinator { agenda.queue(ResumedJob(coordinator, flow.scope.home)) }
        if let next { agenda.queue(next) }
    }

    /// An event of an inner chain is going to wait in the coordinator's gate. So many pause its source, which would not
    /// hear of a bound below before they have been handled.
    @usableFromInline
    func eventWaits(of inner: InnerDisposer) {
        guard let flow else { return }
        var agenda = FlowAgenda(turnOf: nil)
        agenda.inputWaits(in: inner, limit: flow.crowd)
        agenda.tellAll()
    }

    /// It has been handled; with the last that waited the source goes on.
    @usableFromInline
    func eventHasWaited(of inner: InnerDisposer) {
        if flow == nil { return }
        var agenda = FlowAgenda(turnOf: nil)
        agenda.inputHasWaited(in: inner)
        agenda.tellAll()
    }

    /// Has a coordinator told when the chain below goes on.
    func tellsResumes(to coordinator: Coordinator) {
        guard let flow else { return }
        crx_lock_acquire(&lock)
        flow.coordinator = coordinator
        crx_lock_release(&lock)
    }

    /// Whether the coordinator will be told that the chain below goes on: they have been told that it is paused, or it
    /// goes on, and the coordinator has not heard of it yet, no more than a source has sent. Until it has been told the
    /// coordinator is kept, or what keeps it: always the same of them.
    func keepsForResume(_ kept: AnyObject) -> Bool {
        guard let flow else { return false }
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        let keeps = flow.isHeld || flow.isResumeDue
        // Never the last reference that this replaces: the caller has one to the same.
        if keeps && !isDisposed { flow.kept = kept }
        return keeps
    }

    /// The coordinator hears of it now, or never: its scheduler has been shut down.
    ///
    /// - Returns: what was kept until then.
    fileprivate func resumeIsTold() -> AnyObject? {
        let flow = flow.unsafelyUnwrapped
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        flow.isResumeDue = false
        return flow.kept.take()
    }

    /// Whether a source that has its turn waits for the resume: they are held, and another one has had its turn in this
    /// pause. If so the job is queued then, which goes on with it.
    func keepsForResume(next job: FlowJob) -> Bool {
        guard let flow else { return false }
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        let keeps = flow.isHeld && flow.hasNewcomer && !isDisposed
        if keeps { flow.next = job }
        return keeps
    }

    /// Resumes the next of those that are held; false where none is to be.
    fileprivate func resumeNext(_ agenda: inout FlowAgenda) -> Bool {
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        return flow.unsafelyUnwrapped.resumeNext(isDisposed, &agenda)
    }

    /// The rota will not run: its scheduler has been shut down.
    fileprivate func rotaIsDropped() {
        crx_lock_acquire(&lock)
        flow.unsafelyUnwrapped.resumeIsDropped()
        crx_lock_release(&lock)
    }

    @usableFromInline
    var sourceName: String { "one of the sources" }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        crx_lock_acquire(&lock)
        isDisposed = true
        let isHalted = isHalted
        var inner = isHalted ? first : first.take()
        last = nil
        let kept = flow?.kept.take()
        let next = flow?.next.take()
        crx_lock_release(&lock)
        defer { withExtendedLifetime((kept, next)) {} }
        if inner?.next != nil {
            // First all are told: none of them begins anything, or goes on, because another one has been let go.
            var next = inner
            while let current = next {
                next = current.next
                current.haltUnlessEnding()
            }
        }
        while let current = inner {
            inner = isHalted ? current.next : current.next.take()
            current.disposeUnlessEnding()
        }
    }

    @usableFromInline
    func halt() {
        crx_lock_acquire(&lock)
        // A teller of the chain below may halt its source, too. What comes later is halted as it is listed.
        var inner = exchange(&isHalted, with: true) ? nil : first
        crx_lock_release(&lock)
        while let current = inner {
            current.haltUnlessEnding()
            crx_lock_acquire(&lock)
            inner = current.next
            crx_lock_release(&lock)
        }
    }
}

/// Resumes the inner sources of a list one after the other, each behind what the one before it may send in a turn.
private final class FlowRota: FlowJob, @unchecked Sendable {  // immutable
    private let list: InnerChains

    init(_ list: InnerChains, _ home: FlowHome) {
        self.list = list
        super.init(home: home) { unsafeDowncast($0, to: FlowRota.self).go() }
    }

    override func drop() {
        list.rotaIsDropped()
    }

    private func go() -> Bool {
        var agenda = FlowAgenda(turnOf: home)
        let goesOn = list.resumeNext(&agenda)
        agenda.tellAll()
        agenda.finish()
        return goesOn
    }
}

/// Tells a coordinator that the chain below it goes on.
private final class ResumedJob: FlowJob, @unchecked Sendable {  // immutable
    private let coordinator: Coordinator

    init(_ coordinator: Coordinator, _ home: FlowHome) {
        self.coordinator = coordinator
        super.init(home: home) { job in
            let coordinator = unsafeDowncast(job, to: ResumedJob.self).coordinator
            coordinator.enter {
                withExtendedLifetime(coordinator.innerChains.resumeIsTold()) { coordinator.resumed() }
            }
            return false
        }
    }

    override func drop() {
        _ = coordinator.innerChains.resumeIsTold()
    }
}
