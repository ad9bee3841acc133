import RxSwift

extension ObservableType {
    /// Collects elements, and sends them as an array each time `trigger` sends, and at the end.
    ///
    ///     source:                     --1--2------3------|
    ///     trigger:                    --------x-----x-----
    ///     bufferWithTrigger(trigger): --------[1,2]-[3]--([]|)
    ///
    /// ![Arrays of what came between triggers](marble-buffer-with-trigger)
    ///
    /// An array may be empty. An error of the source ends the result, and drops what was collected. `trigger` is
    /// subscribed first. Its completion changes nothing, and neither does its error, which goes to
    /// `Hooks.defaultErrorHandler`; from then on only the end sends. It keeps all elements between two arrays.
    ///
    /// The two may fire from different threads at once; results are delivered one at a time, and each element is in one
    /// array. (In RxSwiftExt an element that comes from within the delivery of an array is lost.)
    @inlinable
    @inline(never)
    public func bufferWithTrigger<Trigger: ObservableType>(_ trigger: Trigger) -> Observable<[Element]> {
        let source = asObservable()
        return Observable<[Element]>.create { observer in
            let collection = TriggeredBuffer(observer)
            // Its gate lets the two sources in one at a time.
            return Observable<Event<Element>?>.create { inputs in
                let triggering = trigger.subscribe(onNext: { _ in inputs.onNext(nil) })
                return Disposables.create(source.subscribe { inputs.onNext($0) }, triggering)
            }
            .subscribe(onNext: { collection.take($0) })
        }
    }
}

/// One subscription to a bufferWithTrigger.
///
/// Guards: `elements`: the gate of the inputs, whose owner comes back to here from within its own deliveries.
@usableFromInline
final class TriggeredBuffer<Element> {
    @usableFromInline
    let observer: AnyObserver<[Element]>
    @usableFromInline
    @exclusivity(unchecked)
    var elements: [Element] = []

    @inlinable
    init(_ observer: AnyObserver<[Element]>) {
        self.observer = observer
    }

    /// Takes an event of the source, or nil from the trigger.
    @inlinable
    func take(_ input: Event<Element>?) {
        switch input {
        case nil:
            send()
        case .next(let element):
            elements.append(element)
        case .completed:
            send()
            observer.onCompleted()
        case .error(let error):
            observer.onError(error)
        }
    }

    @inlinable
    func send() {
        let sent = elements
        elements = []
        observer.onNext(sent)
    }
}
