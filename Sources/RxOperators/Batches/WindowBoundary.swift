import RxSwift

extension ObservableType {
    /// Sequences ("windows") of successive elements. Each element of `boundary` completes a window and opens the next
    /// one.
    ///
    ///     source:                     --1--2--3--4--|
    ///     boundary:                   ------x--------
    ///     window(boundary: boundary): w-----w-------|
    ///
    /// ![A window from the start, and one from the boundary](marble-window-boundary)
    ///
    /// The first window opens with the subscription. Windows are hot. The terminal event of the source, or an error of
    /// `boundary`, goes to the open window, then to the result; a completion of `boundary` has no effect. The source
    /// and `boundary` may send on several threads at once; events are delivered one at a time. A window with an
    /// observer survives the disposal of the result.
    ///
    /// Pausing: a pause does not reach the source, because windows are subjects.
    ///
    /// - Parameter boundary: each of its elements completes a window; subscribed to before the source.
    ///
    /// ## See Also
    ///
    /// - ``window(openings:closing:)``
    @inlinable
    @inline(never)
    public __consuming func window<Boundary: ObservableConvertibleType>(
        boundary: Boundary
    ) -> Observable<Observable<Element>> {
        let source = asObservable()
        let boundary = boundary.asObservable()
        return .coordinated(sendingSequences: { result in
            let windows = Windows(result)
            windows.openNext()
            result.subscribe(boundary) { event in
                if case .next = event { windows.openNext() } else { windows.takeEnd(event) }
            }
            result.subscribe(source, windows.take)
        })
    }
}
