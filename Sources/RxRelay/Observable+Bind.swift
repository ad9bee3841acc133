import RxSwift

extension ObservableType {
    /// Sends each element to `relays`. A completion ends the binding, but not the relays.
    ///
    /// An error stops the process in a debug build. A release build prints the error.
    @inlinable
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bind("publish") { element in relays.forEach { $0.accept(element) } }
    }

    /// Sends each element to `relays`, which take optionals. See ``bind(to:)-(PublishRelay<Self.Element>...)``.
    @inlinable
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bind("publish") { element in relays.forEach { $0.accept(element) } }
    }

    /// Makes each element the value of `relays`. See ``bind(to:)-(PublishRelay<Self.Element>...)``.
    @inlinable
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bind("behavior") { element in relays.forEach { $0.accept(element) } }
    }

    /// Makes each element the value of `relays` of optionals. See ``bind(to:)-(PublishRelay<Self.Element>...)``.
    @inlinable
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bind("behavior") { element in relays.forEach { $0.accept(element) } }
    }

    /// Sends each element to `relays`. See ``bind(to:)-(PublishRelay<Self.Element>...)``.
    @inlinable
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bind("replay") { element in relays.forEach { $0.accept(element) } }
    }

    /// Sends each element to `relays`, which take optionals. See ``bind(to:)-(PublishRelay<Self.Element>...)``.
    @inlinable
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bind("replay") { element in relays.forEach { $0.accept(element) } }
    }

    @inlinable
    func bind(_ kind: StaticString, accept: @escaping (Element) -> Void) -> any Disposable {
        subscribeUnchecked { event in
            switch event {
            case .next(let element): accept(element)
            case .error(let error): rxFatalErrorInDebug("Binding error to \(kind) relay: \(error)")
            case .completed: break
            }
        }
    }
}
