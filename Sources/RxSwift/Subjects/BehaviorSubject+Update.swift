internal import CRxCore

extension BehaviorSubject {
    /// Changes the value atomically: no push and no other update comes between the value that `body` receives and the
    /// changed value.
    ///
    /// - Returns: the result of `body`; nil if the subject has ended or been disposed of, or if a terminal event waits.
    package func update<Result, Failure: Error>(
        _ body: (inout Element) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try core.update(body)
    }
}

// An update is optimistic. It runs the closure on a copy of the value, without a lock, and enters the gate afterwards.
// So no thread waits for the closure. If the value has not changed since it was copied, the update pushes the changed
// copy. Otherwise the update starts again.
//
// 1. *Atomic.* The current value, `queued ?? value`, is the last value pushed. It changes when the thread that owns the
//    gate applies its own push, and when a push is enqueued. In both cases, the pending updates become outdated before
//    the bag's lock is released. The later delivery of a queued push does not change the current value, because
//    `queued` is already the last queued element.
// 2. *In order.* A changed copy comes directly after the value that was copied. So while pushes are queued, the changed
//    copy is enqueued behind them, even if this thread owns the gate. If a nested call applied the changed copy at
//    once, the delivery of the queued pushes would later overwrite it.
// 3. *Progress.* Only a push makes an update outdated. This may be the push of another update.
// 4. *No self-reference.* If the closure changed the value of the same subject, each attempt would make its own update
//    outdated. So such a change stops the process.
extension BehaviorCore {
    func update<Result, Failure: Error>(_ body: (inout Element) throws(Failure) -> Result) throws(Failure) -> Result? {
        var pending = PendingUpdate(thread: crx_thread_self())
        return try withUnsafeMutablePointer(to: &pending) { pending throws(Failure) in
            while var element = begin(pending) {
                let result: Result
                do throws(Failure) {
                    result = try body(&element)
                } catch {
                    locked { updates.remove(pending) }
                    throw error
                }
                assert(isControlPoint("update"))
                if offer(element, by: pending) { return result }
            }
            return nil
        }
    }

    /// Returns a copy of the value; nil if the subject drops later elements.
    private func begin(_ update: UnsafeMutablePointer<PendingUpdate>) -> Element? {
        locked {
            guard !isOverLocked else { return nil }
            updates.begin(update)
            return presentValueLocked
        }
    }

    /// Pushes `element` and returns true. Returns false without a push if the value has changed since the closure
    /// received it, or if the subject has ended.
    private func offer(_ element: Element, by update: UnsafeMutablePointer<PendingUpdate>) -> Bool {
        let me = update.pointee.thread
        let entry = crx_gate_enter_acquire(gate, me)
        // The memory is allocated before locking, in case the element must be enqueued.
        let input = entry == CRX_ENTERED ? nil : queuedInput(.next(element))
        if entry == CRX_NESTED { Nesting.begin(self) }
        let isAccepted = accept(element, update, entry, input)
        if entry == CRX_ENTERED { exit(me) } else if entry == CRX_NESTED { Nesting.end() }
        return isAccepted
    }

    private func accept(
        _ element: Element, _ update: UnsafeMutablePointer<PendingUpdate>, _ entry: crx_entry,
        _ input: UnsafeMutableRawPointer?
    ) -> Bool {
        lock()
        updates.remove(update)
        let isAccepted = !update.pointee.isOutdated && !isOverLocked
        if !isAccepted {
            unlock()
        } else if let input, entry == CRX_CONTENDED || queuedCount > 0 {
            enqueueUnlocking(.next(element), input, update.pointee.thread)
            return true
        } else {
            updates.outdate()
            deliverUnlocking(element) { exchange(&value, with: element) }
        }
        if let input { discard(input) }
        return isAccepted
    }
}

/// The updates whose closures are running. Protected by the lock of the subject's bag.
@usableFromInline
struct PendingUpdates {
    @usableFromInline
    var first: UnsafeMutablePointer<PendingUpdate>?

    @inlinable
    var isEmpty: Bool { first == nil }

    mutating func begin(_ update: UnsafeMutablePointer<PendingUpdate>) {
        refuse(update.pointee.thread)
        update.pointee.isOutdated = false
        update.pointee.next = first
        first = update
    }

    mutating func remove(_ update: UnsafeMutablePointer<PendingUpdate>) {
        guard first != update else { return first = update.pointee.next }
        var each = first
        while let listed = each, listed.pointee.next != update { each = listed.pointee.next }
        each?.pointee.next = update.pointee.next
    }

    @usableFromInline
    @inline(never)
    func outdate() {
        refuse(crx_thread_self())
        var each = first
        while let update = each {
            update.pointee.isOutdated = true
            each = update.pointee.next
        }
    }

    private func refuse(_ me: UInt) {
        var each = first
        while let update = each {
            if update.pointee.thread == me {
                rxFatalError("The closure of an update must not change the value of the same relay.")
            }
            each = update.pointee.next
        }
    }
}

/// An update, in the stack frame of `update`. Protected by the lock of the subject's bag.
@usableFromInline
struct PendingUpdate {
    let thread: UInt
    /// Whether the value has changed since the closure received it.
    var isOutdated = false
    var next: UnsafeMutablePointer<PendingUpdate>?
}
