internal import CRxCore

extension BehaviorCore {
    @usableFromInline
    func enqueue(_ event: Event<Element>, _ me: UInt) {
        let input = queuedInput(event)
        lock()
        enqueueUnlocking(event, input, me)
    }

    func queuedInput(_ event: Event<Element>) -> UnsafeMutableRawPointer {
        QueuedInput(self, event, from: self) { queued, isDropped in
            let (core, event) = QueuedInput<BehaviorCore, Event<Element>>.take(queued)
            if case .next(let element) = event {
                core.handleQueued(element, isDropped)
            } else if !isDropped {
                core.handle(event)
            }
        }.boxed()
    }

    /// Frees an input that was not enqueued.
    func discard(_ input: UnsafeMutableRawPointer) {
        _ = QueuedInput<BehaviorCore, Event<Element>>.take(input)
    }

    /// The caller holds the bag's lock; this function releases it. The caller may own the gate.
    func enqueueUnlocking(_ event: Event<Element>, _ input: UnsafeMutableRawPointer, _ me: UInt) {
        var dropped: UnsafeMutablePointer<crx_input>?
        let replaced = willEnqueueLocked(event)
        let left = crx_gate_enqueue(gate, me, input.assumingMemoryBound(to: crx_input.self), &dropped)
        unlock()
        withExtendedLifetime(replaced) {}
        afterEnqueuing(left, dropped, gate, me, self)
        if left == CRX_ENQUEUED, !crx_gate_is_owned_by_relaxed(gate, me), crx_gate_make_room(gate, me) {
            drain(gate, me, self)
        }
    }

    /// Called before each event is enqueued, in the order of the queue. Returns the replaced element, which the caller
    /// releases after unlocking.
    private func willEnqueueLocked(_ event: Event<Element>) -> Element? {
        guard case .next(let element) = event else {
            isEnding = true
            return nil
        }
        guard !isOverLocked else { return nil }
        if !updates.isEmpty { updates.outdate() }
        queuedCount += 1
        return exchange(&queued, with: element)
    }

    private func handleQueued(_ element: Element, _ isDropped: Bool) {
        lock()
        var forgotten: Element?
        if isDropped || hasEndedLocked {
            // After a completion, the current value is the last element pushed before the completion.
            forgotten = queued.take()
            if forgotten != nil, value != nil { swap(&forgotten, &value) }
            unlock()
        } else {
            queuedCount -= 1
            if queuedCount == 0 { forgotten = queued.take() }
            deliverUnlocking(element) { exchange(&value, with: element) }
        }
        withExtendedLifetime(forgotten) {}
    }
}
