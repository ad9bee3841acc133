import RxSwift

extension ObservableType {
    /// Sends the collected elements as an array each time `trigger` sends an element, and at the end.
    ///
    ///     source:                     --1--2------3------|
    ///     trigger:                    --------x-----x-----
    ///     bufferWithTrigger(trigger): --------[1,2]-[3]--([]|)
    ///
    /// ![Arrays of the elements between triggers](marble-buffer-with-trigger)
    ///
    /// If the source fails, the collected elements are dropped. An error of `trigger` goes to
    /// `Hooks.defaultErrorHandler`. After the end of `trigger`, one more array is sent, when the source completes.
    /// `trigger` is subscribed to first. Arrays have no maximum size.
    ///
    /// The source and `trigger` may send from different threads at once; results are delivered one at a time, and each
    /// element is in one array. (RxSwiftExt loses an element that comes during the delivery of an array.) In a bounded
    /// subscription, the source pauses with the result, and an array that is due during a pause is sent at the resume.
    @inlinable
    @inline(never)
    public func bufferWithTrigger<Trigger: ObservableType>(_ trigger: Trigger) -> Observable<[Element]> {
        let source = asObservable()
        return .coordinated { result in
            let collection = TriggeredBuffer(result)
            result.onResume { [weak collection] in collection?.resumed() }
            let triggering = trigger.asObservable().subscribe(
                { _ in result.enter { collection.trigger() } }, nil, nil, nil)
            result.subscribe(source) { collection.take($0) }
            return triggering
        }
    }
}

/// Guards: `elements` and `isDue` are used only by the thread that owns the gate of `result`. Deliveries may call back
/// into this object.
@usableFromInline
final class TriggeredBuffer<Element> {
    @usableFromInline
    let result: Coordination<[Element]>
    @usableFromInline
    var elements: [Element] = []
    /// Whether the trigger has sent an element during a pause.
    @usableFromInline
    var isDue = false

    @inlinable
    init(_ result: Coordination<[Element]>) {
        self.result = result
    }

    @inlinable
    func take(_ event: Event<Element>) {
        switch event {
        case .next(let element):
            elements.append(element)
        case .completed:
            send()
            result.send(.completed)
        case .error(let error):
            result.send(.error(error))
        }
    }

    @inlinable
    func trigger() {
        if result.keepsForResume(self) { isDue = true } else { send() }
    }

    @inlinable
    func resumed() {
        if isDue { send() }
    }

    @inlinable
    func send() {
        isDue = false
        let sent = elements
        elements = []
        result.send(.next(sent))
    }
}
