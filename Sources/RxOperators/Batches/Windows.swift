import RxSwift

/// One subscription to an operator that sends its source's elements into windows.
///
/// Guards: `open` belongs to the thread that is within `result`. Its deliveries may call back into this object.
final class Windows<Element> {
    let result: Coordination<Observable<Element>>
    /// The open windows, oldest first.
    private var open: [PublishSubject<Element>] = []

    init(_ result: Coordination<Observable<Element>>) {
        self.result = result
    }

    /// Handles an event of the source.
    func take(_ event: Event<Element>) {
        switch event {
        case .next(let element): for window in open { window.onNext(element) }
        case .error(let error): end(error)
        case .completed: end(nil)
        }
    }

    /// Handles the end of a sequence that opens or closes windows. Its completion has no effect.
    func takeEnd<Other>(_ event: Event<Other>) {
        if case .error(let error) = event { end(error) }
    }

    /// Opens a window and sends it. Its observer may have closed it by the time of the return.
    func openOne() -> PublishSubject<Element> {
        let window = PublishSubject<Element>()
        open.append(window)
        result.send(.next(result.counted(window)))
        return window
    }

    func close(_ window: PublishSubject<Element>) {
        open.removeAll { $0 === window }
        window.onCompleted()
    }

    /// Ends all windows, oldest first, and then the result.
    private func end(_ error: (any Error)?) {
        let ended = open
        open = []
        for window in ended {
            if let error { window.onError(error) } else { window.onCompleted() }
        }
        result.end(error)
    }
}
