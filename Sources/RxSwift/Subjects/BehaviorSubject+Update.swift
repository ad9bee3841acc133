internal import CRxCore

extension BehaviorSubject {
    /// Has `body` change the value, whole: no push and no other update comes between what it is given and what it
    /// leaves.
    ///
    /// - Returns: what `body` returned; nil if the subject has ended or was disposed.
    package func update<Result, Failure: Error>(
        _ body: (inout Element) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try core.update(body)
    }
}

/// An update whose closure runs. It stands in the frame of `update`; all of it is guarded by the lock L of the bag it
/// is listed at.
@usableFromInline
struct PendingUpdate {
    let thread: UInt
    /// Whether the value has changed since the closure was given it.
    var isOutdated = false
    var next: UnsafeMutablePointer<PendingUpdate>?
}

// An update is optimistic: its closure works on a copy of the value, with no lock held and no gate owned for its sake,
// so nobody waits for it. The result is taken if the value has not changed meanwhile; otherwise the update begins
// again.
//
// 1. *Nothing comes between.* What counts is the value pushed last, `latest ?? value`. It changes where the gate's
//    owner steps a push of its own thread, and where a push is left waiting; both outdate the pending updates under the
//    same hold of L. That what waits is stepped later changes nothing: the last of it is `latest`.
// 2. *Nothing overtakes.* A result that is taken comes right behind the value it was made of. So while pushes wait it
//    waits behind them, on the owner's own thread as well: stepped at once, nested, it would be wiped out by what it
//    was made of.
// 3. *Somebody gets on.* An update is outdated only by a push or by another update that was taken.
// 4. *Not by itself.* A closure that changed this very value would outdate its own update for ever, so that stops the
//    process.
extension BehaviorCore {
    func update<Result, Failure: Error>(_ body: (inout Element) throws(Failure) -> Result) throws(Failure) -> Result? {
        var pending = PendingUpdate(thread: crx_thread_self())
        return try withUnsafeMutablePointer(to: &pending) { pending throws(Failure) in
            while var element = begin(pending) {
                let result: Result
                do throws(Failure) {
                    result = try body(&element)
                } catch {
                    locked { remove_locked(pending) }
                    throw error
                }
                if offer(element, by: pending) { return result }
            }
            return nil
        }
    }

    /// Lists the update and copies the value; nil where there is none to change any more.
    private func begin(_ pending: UnsafeMutablePointer<PendingUpdate>) -> Element? {
        locked {
            guard crx_bag_stop_locked(observers) == 0 else { return nil }
            refuse_locked(pending.pointee.thread)
            pending.pointee.isOutdated = false
            pending.pointee.next = updates
            updates = pending
            return latest ?? value
        }
    }

    /// Pushes `element`, unless the value it was made of has changed.
    private func offer(_ element: Element, by pending: UnsafeMutablePointer<PendingUpdate>) -> Bool {
        let me = pending.pointee.thread
        let entry = crx_gate_enter_acquire(gate, me)
        // Made before L is taken, and for nothing where the element need not wait.
        let input = entry == CRX_ENTERED ? nil : waitingInput(.next(element))
        let isOutdated = takeTurn(element, pending, entry, input)
        if entry == CRX_ENTERED { exit(me) }
        return !isOutdated
    }

    private func takeTurn(
        _ element: Element, _ pending: UnsafeMutablePointer<PendingUpdate>, _ entry: crx_entry,
        _ input: UnsafeMutableRawPointer?
    ) -> Bool {
        crx_bag_lock(observers)
        remove_locked(pending)
        let isOutdated = pending.pointee.isOutdated
        let hasEnded = crx_bag_stop_locked(observers) != 0
        if !isOutdated && !hasEnded { outdateUpdates_locked() }
        if isOutdated || hasEnded {
            crx_bag_unlock(observers)
        } else if let input, entry == CRX_CONTENDED || isAnythingWaiting_locked {
            enqueue_locked(.next(element), input, pending.pointee.thread)
            return false
        } else {
            apply(element)
        }
        if let input { _ = QueuedInput<BehaviorCore<Element>, Event<Element>>.take(input) }
        return isOutdated || hasEnded
    }

    private func remove_locked(_ pending: UnsafeMutablePointer<PendingUpdate>) {
        guard updates != pending else { return updates = pending.pointee.next }
        var each = updates
        while let listed = each, listed.pointee.next != pending { each = listed.pointee.next }
        each?.pointee.next = pending.pointee.next
    }

    /// Has the pending updates begin again: the value changes.
    @usableFromInline
    @inline(never)
    final func outdateUpdates_locked() {
        refuse_locked(crx_thread_self())
        var each = updates
        while let pending = each {
            pending.pointee.isOutdated = true
            each = pending.pointee.next
        }
    }

    /// Stops the process where this thread is within the closure of an update.
    private func refuse_locked(_ me: UInt) {
        var each = updates
        while let pending = each {
            if pending.pointee.thread == me {
                rxFatalError("The closure of an update must not change the value of the same relay.")
            }
            each = pending.pointee.next
        }
    }
}
