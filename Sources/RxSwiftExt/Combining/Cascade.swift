import RxSwift

extension Observable where Element: ObservableType {
    /// Merges several sources. When a source sends its first element, all sources before it are disposed of.
    ///
    ///     a:               --1--2-----3------
    ///     b:               --------7-----8--|
    ///     cascade([a, b]): --1--2--7-----8--|
    ///
    /// ![A later source takes over with its first element](marble-cascade)
    ///
    /// All `observables` are subscribed to immediately, in order. Completes when all remaining sources have completed;
    /// fails with their first error. The sources may send from several threads at once; results are delivered one at a
    /// time.
    ///
    /// For a value that improves over time: `cascade([cached, local, remote])`.
    ///
    /// Pausing: all sources pause with the downstream chain, and resume one after the other.
    @inlinable
    @inline(never)
    public static func cascade<Sequence: Swift.Sequence>(_ observables: Sequence) -> Observable<Element.Element>
    where Sequence.Element == Element {
        let sources = observables.map { $0.asObservable() }
        guard !sources.isEmpty else { return Observable<Element.Element>.empty() }
        return .coordinated { result in
            let cascade = Cascade(result, count: sources.count)
            for (index, subscription) in cascade.subscriptions.enumerated() where !subscription.isDisposed {
                subscription.setDisposable(result.subscribe(sources[index]) { cascade.take($0, of: index) })
            }
            return Disposables.create(cascade.subscriptions)
        }
    }
}

extension ObservableType {
    /// Like `Observable.cascade(_:)`, with this sequence before the sequences of `next`.
    @inlinable
    @inline(never)
    public func cascade<S: Sequence>(_ next: S) -> Observable<Element> where S.Element == Self {
        Observable<Self>.cascade([self] + next)
    }
}

/// Guards: `current`, `hasCompleted` and `awaited` are used only by the thread that owns the gate of `result`. They
/// change before a delivery that may call back into this object.
@usableFromInline
final class Cascade<Element> {
    @usableFromInline
    let subscriptions: [SingleAssignmentDisposable]
    @usableFromInline
    let result: Coordination<Element>
    /// The index of the current source; earlier sources are disposed of.
    @usableFromInline
    var current = 0
    @usableFromInline
    var hasCompleted: [Bool]
    /// The number of sources from `current` on that have not completed.
    @usableFromInline
    var awaited: Int

    @inlinable
    init(_ result: Coordination<Element>, count: Int) {
        self.result = result
        subscriptions = (0..<count).map { _ in SingleAssignmentDisposable() }
        hasCompleted = Array(repeating: false, count: count)
        awaited = count
    }

    @inlinable
    func take(_ event: Event<Element>, of index: Int) {
        // A source that is replaced before its `subscribe` has returned may still send.
        guard index >= current else { return }
        switch event {
        case .next:
            takeOver(index)
            // While `takeOver` disposed of a source, a later source may have sent an element and become current.
            if index == current { result.send(event) }
        case .error:
            result.send(event)
            // The disposal also prevents subscriptions to further sources.
            subscriptions.forEach { $0.dispose() }
        case .completed:
            hasCompleted[index] = true
            awaited -= 1
            if awaited == 0 { result.send(event) }
        }
    }

    @inlinable
    func takeOver(_ index: Int) {
        guard index > current else { return }
        let overtaken = current..<index
        current = index
        for overtaken in overtaken where !hasCompleted[overtaken] { awaited -= 1 }
        subscriptions[overtaken].forEach { $0.dispose() }
    }
}
