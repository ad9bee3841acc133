import RxSwift

extension Observable where Element: ObservableType {
    /// The elements of several sources, each of which takes over for good from those listed before it when it sends its
    /// first element.
    ///
    ///     a:               --1--2-----3------
    ///     b:               --------7-----8--|
    ///     cascade([a, b]): --1--2--7-----8--|
    ///
    /// ![A later source takes over with its first element](marble-cascade)
    ///
    /// All sources are subscribed at once, in order; those before the one that sends are disposed. Completes when all
    /// that are left have. The first error of any that is left ends it. The sources may fire from different threads at
    /// once; results are delivered one at a time.
    ///
    /// For a value that becomes better known as time passes: `cascade([cached, local, remote])`.
    ///
    /// Pausing: all sources pause with what is below, and go on one after the other.
    ///
    /// - Parameter observables: the sources, taken from the sequence at once.
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
    /// The elements of this sequence and of others, each of which takes over for good from those before it when it
    /// sends its first element.
    ///
    /// See `Observable.cascade(_:)`.
    ///
    /// - Parameter next: the sources that come after this one.
    @inlinable
    @inline(never)
    public func cascade<S: Sequence>(_ next: S) -> Observable<Element> where S.Element == Self {
        Observable<Self>.cascade([self] + next)
    }
}

/// One subscription to a cascade.
///
/// Guards:
/// - `current`, `hasCompleted`, `awaited`: the thread that is within `result`. They change before the deliveries within
///   which it may come back to here.
@usableFromInline
final class Cascade<Element> {
    @usableFromInline
    let subscriptions: [SingleAssignmentDisposable]
    @usableFromInline
    let result: Coordination<Element>
    /// The source that has taken over; those before it are disposed.
    @usableFromInline
    var current = 0
    @usableFromInline
    var hasCompleted: [Bool]
    /// How many sources, the current one and those after it, have not completed.
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
        // One that ended while it was being subscribed, and is not disposed of yet.
        guard index >= current else { return }
        switch event {
        case .next:
            takeOver(index)
            // A disposal may have let a later source send, which has taken over by now.
            if index == current { result.send(event) }
        case .error:
            result.send(event)
            // Those that have yet to be subscribed to, too.
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
