internal import CRxCore

extension BehaviorSubject {
    /// Changes the value atomically: no push and no other update comes between the value that `body` receives and the
    /// value that `body` sets.
    ///
    /// - Returns: the result of `body`; nil if the subject has ended or been disposed of.
    package func update<Result, Failure: Error>(
        _ body: (inout Element) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try core.update(body)
    }
}

/// An update whose closure is running, stored in the stack frame of `update`. The lock of the subject's bag protects
/// all properties.
@usableFromInline
struct PendingUpdate {
    let thread: UInt
    /// Whether the value has changed since the closure received it.
    var isOutdated = false
    var next: UnsafeMutablePointer<PendingUpdate>?
}

// An update is optimistic. The closure works on a copy of the value, without a lock and without owning the gate, so no
// thread waits for the closure. If the value has not changed by the end of the closure, the result is accepted.
// Otherwise the update starts again.
//
// 1. *Atomic.* The present value is the last one pushed, `latest ?? value`. It changes when the thread that owns the
//    gate applies its own push, and when a push is enqueued. In both cases, the pending updates become outdated before
//    the bag's lock is released. The later delivery of a queued push does not change the present value, because the
//    last queued element is already `latest`.
// 2. *In order.* An accepted result comes directly after the value from which it was computed. So while pushes are
//    queued, the result is enqueued behind them, even if this thread owns the gate. If a nested call applied the result
//    at once, the queued push from which the result was computed would later overwrite the result.
// 3. *Progress.* Only a push, or another accepted update, makes an update outdated.
// 4. *No self-reference.* If the closure of an update changed the value of the same subject, it would make its own
//    update outdated at each attempt. So such a change stops the process.
extension BehaviorCore {
    func update<Result, Failure: Error>(_ body: (inout Element) throws(Failure) -> Result) throws(Failure) -> Result? {
        var pending = PendingUpdate(thread: crx_thread_self())
        return try withUnsafeMutablePointer(to: &pending) { pending throws(Failure) in
            while var element = begin(pending) {
                let result: Result
                do throws(Failure) {
                    result = try body(&element)
                } catch {
                    locked { removeLocked(pending) }
                    throw error
                }
                assert(isControlPoint("update"))
                if offer(element, by: pending) { return result }
            }
            return nil
        }
    }

    /// Returns a copy of the value; nil if the subject has ended or been disposed of.
    private func begin(_ pending: UnsafeMutablePointer<PendingUpdate>) -> Element? {
        locked {
            guard !hasEndedLocked else { return nil }
            refuseLocked(pending.pointee.thread)
            pending.pointee.isOutdated = false
            pending.pointee.next = updates
            updates = pending
            return presentValueLocked
        }
    }

    /// Pushes `element` and returns true. If the value has changed since the closure received it, or if the subject has
    /// ended, does nothing and returns false.
    private func offer(_ element: Element, by pending: UnsafeMutablePointer<PendingUpdate>) -> Bool {
        let me = pending.pointee.thread
        let entry = crx_gate_enter_acquire(gate, me)
        // The input is allocated before locking. If the element need not be enqueued, the memory is freed unused.
        let input = entry == CRX_ENTERED ? nil : queuedInput(.next(element))
        let isOutdated = takeTurn(element, pending, entry, input)
        if entry == CRX_ENTERED { exit(me) }
        return !isOutdated
    }

    private func takeTurn(
        _ element: Element, _ pending: UnsafeMutablePointer<PendingUpdate>, _ entry: crx_entry,
        _ input: UnsafeMutableRawPointer?
    ) -> Bool {
        crx_bag_lock(observers)
        removeLocked(pending)
        let isOutdated = pending.pointee.isOutdated
        let hasEnded = hasEndedLocked
        if isOutdated || hasEnded {
            crx_bag_unlock(observers)
        } else if let input, entry == CRX_CONTENDED || waiting > 0 {
            enqueueUnlocking(.next(element), input, pending.pointee.thread)
            return false
        } else {
            outdateUpdatesLocked()
            deliverUnlocking(element)
        }
        if let input { discard(input) }
        return isOutdated || hasEnded
    }

    private func removeLocked(_ pending: UnsafeMutablePointer<PendingUpdate>) {
        guard updates != pending else { return updates = pending.pointee.next }
        var each = updates
        while let listed = each, listed.pointee.next != pending { each = listed.pointee.next }
        each?.pointee.next = pending.pointee.next
    }

    @usableFromInline
    @inline(never)
    final func outdateUpdatesLocked() {
        refuseLocked(crx_thread_self())
        var each = updates
        while let pending = each {
            pending.pointee.isOutdated = true
            each = pending.pointee.next
        }
    }

    /// Stops the process if this thread is inside the closure of an update.
    private func refuseLocked(_ me: UInt) {
        var each = updates
        while let pending = each {
            if pending.pointee.thread == me {
                rxFatalError("The closure of an update must not change the value of the same relay.")
            }
            each = pending.pointee.next
        }
    }
}
