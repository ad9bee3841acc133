import RxSwift

/// One subscription to a `window` operator.
///
/// Guards: `open`, and the variables of a window, are used only by the thread that owns the gate of `result`.
/// Deliveries may call back into this object.
@usableFromInline
final class Windows<Element> {
    @usableFromInline
    final class Window {
        @usableFromInline
        let subject = PublishSubject<Element>()
        @usableFromInline
        var isClosed = false

        @inlinable
        init() {}
    }

    @usableFromInline
    let result: Coordination<Observable<Element>>
    /// The open windows, oldest first.
    @usableFromInline
    var open: [Window] = []

    @inlinable
    init(_ result: Coordination<Observable<Element>>) {
        self.result = result
    }

    @inlinable
    func take(_ event: Event<Element>) {
        switch event {
        case .next(let element): for window in open { window.subject.onNext(element) }
        case .error(let error): end(error)
        case .completed: end(nil)
        }
    }

    @inlinable
    func takeEnd<Other>(_ event: Event<Other>) {
        if case .error(let error) = event { end(error) }
    }

    @inlinable
    func openNext() {
        if let window = open.first { close(window) }
        // An observer of the closed window may have caused a nested call of `openNext`.
        if open.isEmpty { send(Window()) }
    }

    @inlinable
    func send(_ window: Window) {
        guard result.isLive else { return }
        if !window.isClosed { open.append(window) }
        result.send(.next(result.counted(window.subject)))
    }

    @inlinable
    func close(_ window: Window) {
        window.isClosed = true
        open.removeAll { $0 === window }
        window.subject.onCompleted()
    }

    @usableFromInline
    func end(_ error: (any Error)?) {
        let ended = open
        open = []
        for window in ended {
            if let error { window.subject.onError(error) } else { window.subject.onCompleted() }
        }
        result.end(error)
    }
}
