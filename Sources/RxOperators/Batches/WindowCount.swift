import RxSwift

extension ObservableType {
    /// Sequences ("windows") of `count` successive elements. A window opens at each element whose index is a multiple
    /// of `skip`.
    ///
    ///     source:                    --1--2--3--4--|
    ///     window(count: 1, skip: 2): --w-----w-----|
    ///
    /// ![A window for every second element](marble-window-count-skip)
    ///
    /// A window is sent just before its first element. Windows are hot. If `skip` is less than `count`, windows
    /// overlap; if it is greater, elements between windows are dropped. An error or the completion of the source goes
    /// to the open windows, oldest first, then to the result. Events are delivered on the sending thread. A window with
    /// an observer survives the disposal of the result.
    ///
    /// Pausing: a pause does not reach the source, because windows are subjects.
    ///
    /// - Parameters:
    ///   - count: the size of a window; less than 1 stops the process.
    ///   - skip: the distance between the first elements of successive windows; nil for `count`. Less than 1 stops
    ///     the process.
    @inlinable
    @inline(never)
    public __consuming func window(count: Int, skip: Int? = nil) -> Observable<Observable<Element>> {
        if count < 1 { rxFatalError("count must be at least 1", operator: "window", argument: "count", value: count) }
        let skip = skip ?? count
        if skip < 1 { rxFatalError("skip must be at least 1", operator: "window", argument: "skip", value: skip) }
        let source = asObservable()
        return .coordinated(sendingSequences: { result in
            let windows = CountedWindows(result, count: count, skip: skip)
            result.subscribe(source, windows.take)
        })
    }
}

/// Guards: only the thread that owns the gate of `result` uses the state. Deliveries may call back into this object.
@usableFromInline
final class CountedWindows<Element> {
    @usableFromInline
    final class Window {
        @usableFromInline
        let subject = PublishSubject<Element>()
        @usableFromInline
        var assigned = 0
        @usableFromInline
        var sent = 0

        @inlinable
        init() {}
    }

    @usableFromInline
    let result: Coordination<Observable<Element>>
    @usableFromInline
    let count: Int
    @usableFromInline
    let skip: Int
    /// The windows to which fewer than `count` elements have been assigned, oldest first. Only the oldest can become
    /// full with the next element.
    @usableFromInline
    var open: [Window] = []
    /// The next element's index modulo `skip`. A window opens at position 0.
    @usableFromInline
    var position = 0

    @inlinable
    init(_ result: Coordination<Observable<Element>>, count: Int, skip: Int) {
        self.result = result
        self.count = count
        self.skip = skip
    }

    @inlinable
    func take(_ event: Event<Element>) {
        switch event {
        case .next(let element): next(element)
        case .error(let error): end(error)
        case .completed: end(nil)
        }
    }

    @inlinable
    @inline(__always)
    func next(_ element: Element) {
        let opened = position == 0 && result.isLive ? Window() : nil
        position = position + 1 == skip ? 0 : position + 1
        if let opened { open.append(opened) }
        // The element is assigned before anything is sent, because an observer may push the next element.
        let receivers = open
        for window in receivers { window.assigned += 1 }
        if open.first?.assigned == count { open.removeFirst() }
        if let opened { result.send(.next(result.counted(opened.subject))) }
        for window in receivers {
            window.subject.onNext(element)
            window.sent += 1
            if window.sent == count { window.subject.onCompleted() }
        }
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
