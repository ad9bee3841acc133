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
    /// - Parameter observables: the sources, taken from the sequence at once.
    @inlinable
    @inline(never)
    public static func cascade<Sequence: Swift.Sequence>(_ observables: Sequence) -> Observable<Element.Element>
    where Sequence.Element == Element {
        let sources = observables.map { $0.asObservable() }
        guard !sources.isEmpty else { return Observable<Element.Element>.empty() }
        return Observable<Element.Element>.create { observer in
            let cascade = Cascade(observer, count: sources.count)
            // Its gate lets the sources in one at a time.
            return Observable<Cascade<Element.Element>.Input>.create { inputs in
                for (index, subscription) in cascade.subscriptions.enumerated() where !subscription.isDisposed {
                    subscription.setDisposable(sources[index].subscribe { inputs.onNext((index, $0)) })
                }
                return Disposables.create(cascade.subscriptions)
            }
            .subscribe(onNext: { cascade.take($0) })
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
/// - `current`, `hasCompleted`, `awaited`: the gate of the inputs. They change before the deliveries within which its
///   owner may come back to here.
@usableFromInline
final class Cascade<Element> {
    @usableFromInline
    typealias Input = (index: Int, event: Event<Element>)

    @usableFromInline
    let subscriptions: [SingleAssignmentDisposable]
    @usableFromInline
    let observer: AnyObserver<Element>
    /// The source that has taken over; those before it are disposed.
    @usableFromInline
    @exclusivity(unchecked)
    var current = 0
    @usableFromInline
    @exclusivity(unchecked)
    var hasCompleted: [Bool]
    /// How many sources, the current one and those after it, have not completed.
    @usableFromInline
    @exclusivity(unchecked)
    var awaited: Int

    @inlinable
    init(_ observer: AnyObserver<Element>, count: Int) {
        self.observer = observer
        subscriptions = (0..<count).map { _ in SingleAssignmentDisposable() }
        hasCompleted = Array(repeating: false, count: count)
        awaited = count
    }

    @inlinable
    func take(_ input: Input) {
        // What a disposed source had left in the gate.
        guard input.index >= current else { return }
        switch input.event {
        case .next(let element):
            takeOver(input.index)
            // A disposal may have let a later source send, which has taken over by now.
            if input.index == current { observer.onNext(element) }
        case .error(let error):
            observer.onError(error)
            subscriptions.forEach { $0.dispose() }
        case .completed:
            hasCompleted[input.index] = true
            awaited -= 1
            if awaited == 0 { observer.onCompleted() }
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
