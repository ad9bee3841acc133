import RxSwift

extension ObservableType {
    /// Sequences ("windows") of elements. A window begins at an element of `openings`, and ends at the first event of
    /// the sequence that `closing` returns for this element.
    ///
    ///     source:                                       --1--2--3--4--|
    ///     openings:                                     ---x-----------
    ///     window(openings: openings) { _ in after(5) }: ---w----------|
    ///
    /// ![A window for each opening](marble-window-openings)
    ///
    /// Windows are hot, and may overlap. The terminal event of the source, or an error of `openings` or a closing
    /// sequence, goes to the open windows, oldest first, then to the result. The completion of `openings` has no
    /// effect. The sequences may send concurrently; events are delivered one at a time. A window with an observer
    /// survives the disposal of the result.
    ///
    /// Pausing: a pause does not reach the source, because windows are subjects.
    ///
    /// - Parameters:
    ///   - openings: each of its elements opens a window; subscribed to before the source.
    ///   - closing: called with each element of `openings`, on the sending thread, after the window has been sent or
    ///     enqueued. The same thread then subscribes to the returned sequence. If `closing` throws, all windows and the
    ///     result fail.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func window<Openings: ObservableConvertibleType, Closing: ObservableConvertibleType>(
        openings: Openings, closing: @escaping @Sendable (Openings.Element) throws -> Closing
    ) -> Observable<Observable<Element>> {
        let source = asObservable()
        let openings = openings.asObservable()
        return .coordinated(sendingSequences: { result in
            let windows = Windows(result)
            result.subscribe(
                outside: openings,
                { opening, openings in
                    guard result.isWanted else { return }
                    let window = Windows<Element>.Window()
                    openings.enter(window, windows.send)
                    guard result.isWanted else { return }
                    result.subscribe(try closing(opening).asObservable().take(1)) { event in
                        if case .completed = event { windows.close(window) } else { windows.takeEnd(event) }
                    }
                }, ended: windows.takeEnd)
            result.subscribe(source, windows.take)
        })
    }
}
