import RxSwift

extension ObservableType {
    /// Each element selects a *trigger* for the next element. If the trigger fires before that element, the sequence
    /// fails with `RxError.timeout`.
    ///
    ///     source:                                      --3-4-------5--
    ///     timeout(selector: { after($0) }), 4 columns: --3-4---#
    ///
    /// ![An error when the trigger of the last element fires](marble-timeout-selector)
    ///
    /// A trigger fires with its first element or completion. If a trigger fails, the sequence fails with the trigger's
    /// error. A trigger is subscribed to after the delivery of the element that selected it, and disposed of at the
    /// source's next event. Events are delivered one at a time. The timeout error is delivered on the thread on which
    /// the trigger fires, other events on the sending thread.
    ///
    /// Pausing: the source and the trigger pause with the downstream chain. On resume, the operator subscribes to the
    /// trigger again, so the trigger's time starts from zero.
    ///
    /// - Parameters:
    ///   - first: the trigger for the first element, subscribed to before the source; nil for none.
    ///   - selector: called with each element after its delivery, on the delivering thread. If it throws, the sequence
    ///     fails.
    @preconcurrency
    public func timeout<Trigger: ObservableConvertibleType>(
        first: Trigger? = nil, selector: @escaping @Sendable (Element) throws -> Trigger
    ) -> Observable<Element> {
        let source = asObservable()
        return .coordinated { result in
            SelectedTimeout(result) { try selector($0).asObservable() }.start(source, first?.asObservable())
        }
    }
}

/// Guards: `trigger` and `turn` are used only by the thread that owns the gate of `result`.
private final class SelectedTimeout<Element, Token> {
    private let result: Coordination<Element>
    private let selector: (Element) throws -> Observable<Token>
    private let alarm = SerialDisposable()
    private var trigger: Observable<Token>?
    /// The number of elements so far. Events of earlier elements' triggers are ignored.
    private var turn = 0

    init(_ result: Coordination<Element>, _ selector: @escaping (Element) throws -> Observable<Token>) {
        self.result = result
        self.selector = selector
    }

    func start(_ source: Observable<Element>, _ first: Observable<Token>?) -> any Disposable {
        result.onResume { [weak self] in self?.watch() }
        trigger = first
        watch()
        result.subscribe(source, take)
        // No teardown is needed, because disposing of the result disposes of the source and the trigger. A teardown
        // would keep the chain alive after its sources have been released.
        return Disposables.create()
    }

    private func take(_ event: Event<Element>) {
        guard case .next(let element) = event else { return result.send(event) }
        turn += 1
        let turn = turn
        trigger = nil
        alarm.disposable = Disposables.create()
        result.send(event)
        // If the observer has pushed another element, this element needs no trigger.
        guard turn == self.turn, result.isLive else { return }
        do {
            let next = try selector(element)
            guard turn == self.turn, result.isLive else { return }
            trigger = next
            watch()
        } catch {
            result.send(.error(error))
        }
    }

    private func watch() {
        guard let trigger, result.isLive else { return }
        let turn = turn
        alarm.disposable = Disposables.create()
        let subscription = result.subscribe(trigger) { event in
            guard turn == self.turn else { return }
            if case .error(let error) = event { return self.result.send(.error(error)) }
            // A trigger that fires during a pause is ignored. On resume, `watch` subscribes to the trigger again.
            if self.result.keepsForResume(self) { return }
            self.result.send(.error(RxError.timeout))
        }
        // If the source sent an element during `subscribe`, the subscription is outdated.
        if turn == self.turn { alarm.disposable = subscription } else { subscription.dispose() }
    }
}
