import RxSwift

extension ObservableType {
    /// The elements of this sequence and of the sequences that `selector` returns. `selector` is also called for the
    /// elements of the returned sequences.
    ///
    ///     source:                  --1--|
    ///     expand(next), 3 columns: --1--2--3--(4|)
    ///
    /// ![Elements that follow from elements](marble-expand)
    ///
    /// Use it to walk a tree or to load page after page. All sequences run concurrently, and may send on several
    /// threads at once; elements are delivered as they come, one at a time. The stack does not grow with the depth of
    /// the tree. Completes when all sequences have completed. Fails with the first error. The thread that delivers an
    /// element subscribes to the sequence for this element.
    ///
    /// Pausing: the source and all returned sequences pause with the downstream chain. During a pause, the operator
    /// subscribes to no new sequence. On resume, it subscribes to the waiting ones.
    ///
    /// - Parameter selector: called with each element, on the sending thread, before its delivery. If it throws, the
    ///   sequence fails with that error after the delivery.
    @preconcurrency
    public func expand<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Element> where Source.Element == Element {
        let source = asObservable()
        return .coordinated { result in
            let expansion = Expansion(result) { try selector($0).asObservable() }
            result.onResume { [weak expansion] in expansion?.subscribeWaiting() }
            expansion.subscribe(source)
            return Disposables.create()
        }
    }
}

/// Guards: all state is used only by the thread that owns the gate of `result` and, before the source is subscribed to,
/// by the subscribing thread. Deliveries may call back into this object. The selector is called outside the gate.
private final class Expansion<Element> {
    private let result: Coordination<Element>
    private let selector: (Element) throws -> Observable<Element>
    /// Sequences to subscribe to, oldest first.
    private var waiting = Ring<Observable<Element>>()
    /// The number of running sequences, including the source.
    private var running = 0
    private var isSubscribing = false

    init(_ result: Coordination<Element>, _ selector: @escaping (Element) throws -> Observable<Element>) {
        self.result = result
        self.selector = selector
    }

    func subscribe(_ source: Observable<Element>) {
        running += 1
        result.subscribe(outside: source, select, ended: end)
    }

    // MARK: The thread of one of the sequences

    private func select(_ element: Element, _ source: OutsideSource<Element, Element>) throws {
        do {
            source.enter((element, try selector(element)), take)
        } catch {
            // The element must be delivered before the error.
            source.enter(element) { self.result.send(.next($0)) }
            throw error
        }
    }

    // MARK: The thread that owns the gate

    private func take(_ selected: (element: Element, source: Observable<Element>)) {
        // The new sequence is counted first, so that the result does not complete if the observer ends the last running
        // sequence.
        running += 1
        result.send(.next(selected.element))
        running -= 1
        waiting.append(selected.source)
        subscribeWaiting()
    }

    private func end(_ event: Event<Never>) {
        if let error = event.error { return result.send(.error(error)) }
        running -= 1
        endIfFinished()
    }

    func subscribeWaiting() {
        guard !isSubscribing else { return }
        isSubscribing = true
        while !waiting.isEmpty, result.isLive, !result.keepsForResume(self) { subscribe(waiting.removeFirst()) }
        isSubscribing = false
        endIfFinished()
    }

    private func endIfFinished() {
        if running == 0, waiting.isEmpty, !isSubscribing { result.send(.completed) }
    }
}
