import RxSwift

extension ObservableType {
    /// Sequences ("windows") of the elements between an element of `openings` and the first event of the sequence that
    /// `closing` returns for it.
    ///
    ///     source:                                       --1--2--3--4--|
    ///     openings:                                     ---x-----------
    ///     window(openings: openings) { _ in after(5) }: ---w----------|
    ///
    /// ![A window for each opening](marble-window-openings)
    ///
    /// Windows may overlap. A window is hot: an observer misses the elements that were sent before it subscribed. The
    /// end of the source ends the open windows, oldest first, and then the sequence. The completion of `openings` has
    /// no effect. An error of `openings` or of a closing sequence ends all windows and the sequence. The sequences may
    /// send from several threads at once; events are delivered one at a time. The delivering thread also calls
    /// `closing` for elements of other threads. A window with an observer continues after the sequence itself has been
    /// disposed of.
    ///
    /// Pausing: a pause does not reach the source, because windows are subjects, which cannot be paused.
    ///
    /// - Parameters:
    ///   - openings: opens a window with each element; subscribed to before the source.
    ///   - closing: called with each element of `openings`, after the window has been sent. The first element of the
    ///     returned sequence, or its completion, completes the window. An error it throws ends all windows and the
    ///     sequence.
    @preconcurrency
    public func window<Openings: ObservableConvertibleType, Closing: ObservableConvertibleType>(
        openings: Openings, closing: @escaping @Sendable (Openings.Element) throws -> Closing
    ) -> Observable<Observable<Element>> {
        let source = asObservable()
        let openings = openings.asObservable()
        return .coordinated(sendingSequences: { result in
            let windows = Windows(result)
            result.subscribe(openings) { event in
                guard case .next(let opening) = event else { return windows.takeEnd(event) }
                guard result.isLive else { return }
                let window = windows.openOne()
                guard result.isLive else { return }
                do {
                    let trigger = try closing(opening).asObservable().take(1)
                    result.subscribe(trigger) { event in
                        if case .completed = event { windows.close(window) } else { windows.takeEnd(event) }
                    }
                } catch {
                    windows.takeEnd(Event<Element>.error(error))
                }
            }
            result.subscribe(source, windows.take)
        })
    }
}
