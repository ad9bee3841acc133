import RxSwift

protocol Observed: Sendable {
    func subscribe(_ probe: Probe) -> any Disposable
    /// Subscribes through the operator `nesting`. Nil if this type cannot be nested.
    func nested(_ probe: Probe, _ nesting: Row.Nesting) -> (any Disposable)?
}

extension Observed {
    func nested(_ probe: Probe, _ nesting: Row.Nesting) -> (any Disposable)? { nil }
}

extension Observable: Observed {
    func nested(_ probe: Probe, _ nesting: Row.Nesting) -> (any Disposable)? {
        let source = self.do(onError: { _ in probe.sourceEnded() }, onCompleted: probe.sourceEnded)
        return switch nesting {
        case .merge: Observable<Element>.merge(source, .never()).subscribe { probe.on($0) }
        case .flatMap:
            Observable<Int>.just(0).concat(Observable<Int>.never()).flatMap { _ in source }.subscribe { probe.on($0) }
        case .concat: source.concat(Observable<Element>.never()).subscribe { probe.on($0) }
        case .catch: source.catch { _ in Observable<Element>.never() }.subscribe { probe.on($0) }
        }
    }

    func subscribe(_ probe: Probe) -> any Disposable {
        subscribe { probe.on($0) }
    }
}

extension Infallible: Observed {
    func nested(_ probe: Probe, _ nesting: Row.Nesting) -> (any Disposable)? {
        asObservable().nested(probe, nesting)
    }

    func subscribe(_ probe: Probe) -> any Disposable {
        subscribe { probe.on($0.event) }
    }
}

extension PrimitiveSequence: Observed {
    func nested(_ probe: Probe, _ nesting: Row.Nesting) -> (any Disposable)? {
        asObservable().nested(probe, nesting)
    }

    func subscribe(_ probe: Probe) -> any Disposable {
        switch self {
        case let single as Single<Element>:
            single.subscribe(onSuccess: probe.succeed, onFailure: probe.fail)
        case let maybe as Maybe<Element>:
            maybe.subscribe(onSuccess: probe.succeed, onError: probe.fail, onCompleted: probe.complete)
        case let completable as Completable:
            completable.subscribe(onCompleted: probe.complete, onError: probe.fail)
        default:
            fatalError("no trait of RxSwift's: \(Self.self)")
        }
    }
}

extension Probe {
    func next<Element>(_ element: Element) {
        on(.next(element))
    }

    func fail(_ error: any Error) {
        on(Event<Never>.error(error))
    }

    func complete() {
        on(Event<Never>.completed)
    }

    func succeed<Element>(_ element: Element) {
        next(element)
        complete()
    }
}
