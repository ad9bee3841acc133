extension ObservableType {
    /// Sends the latest element since the previous sample, each time `sampler` sends an element.
    ///
    ///     source:          --1--2--3-------|
    ///     sampler:         ---------0--0--0--0
    ///     sample(sampler): ---------3--------|
    ///
    /// ![The latest element, each time the sampler fires](marble-sample)
    ///
    /// The two sequences may send on different threads at once.
    ///
    /// When the source has completed, the result completes at the next event of `sampler`. The completion of `sampler`
    /// also takes a sample. If `sampler` completes before the source, the result sends no further elements and
    /// never completes. The result fails with the first error.
    ///
    /// [Pausing](doc:BoundedMemory): both sequences continue. If a sample becomes due during the pause, the latest
    /// element is sent on resume.
    ///
    /// - Parameters:
    ///   - sampler: its elements are ignored.
    ///   - defaultValue: sent if there is no element since the previous sample; nil for no default.
    ///
    /// ## See Also
    ///
    /// - [sample on reactivex.io](https://reactivex.io/documentation/operators/sample.html)
    @inlinable
    @inline(never)
    public __consuming func sample(
        _ sampler: some ObservableType, defaultValue: Element? = nil
    ) -> Observable<Element> {
        let (source, sampler) = (asObservable(), sampler.asObservable())
        return Observable { _, context in
            SampleCoordinator(&context, defaultValue).subscribe(source, sampler)
            return nil
        }
    }
}

/// Guards: only the owner of the gate (see ``Coordinator``) uses the state.
@usableFromInline
final class SampleCoordinator<Output, Tick>: Coordinator, SourceCoordinator, OtherCoordinator {
    @usableFromInline
    let defaultValue: Output?
    @usableFromInline
    struct State {
        @usableFromInline
        var latest: Output?
        @usableFromInline
        var hasSourceCompleted = false

        @inlinable
        init() {}
    }

    @usableFromInline
    @exclusivity(unchecked)
    var state = State()
    /// Whether a sample became due during the pause. The resume then sends the latest element.
    @usableFromInline
    var isDue = false

    @inlinable
    init(_ context: inout SubscribeContext, _ defaultValue: Output?) {
        self.defaultValue = defaultValue
        super.init(&context)
        hearsOfResumes()
    }

    @inlinable
    var sourceRole: SourceRole { .sampled }

    @inlinable
    @inline(__always)
    func next(_ element: Output) {
        // Releases the old element after the assignment, because its `deinit` may send an event that reads `state`.
        withExtendedLifetime(exchange(&state.latest, with: element)) {}
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        if let error { return end(error) }
        state.hasSourceCompleted = true
        innerChains.dispose(source)
    }

    @inlinable
    @inline(__always)
    func next(other _: Tick, _ sampler: InnerLifetime) {
        sample()
    }

    @usableFromInline
    func otherEnded(_ error: (any Error)?, _ sampler: InnerLifetime) {
        if let error { return end(error) }
        sample()
        innerChains.dispose(sampler)
    }

    @usableFromInline
    override func resumed() {
        // A resume does not complete the result; the next event of the sampler does.
        if exchange(&isDue, with: false) && isLive { sendLatest() }
    }

    @inlinable
    func sample() {
        if !state.hasSourceCompleted && keepsForResume() { return isDue = true }
        sendLatest()
        if state.hasSourceCompleted { end(nil) }
    }

    @inlinable
    func sendLatest() {
        if let element = state.latest.take() ?? defaultValue { deliver(element) }
    }
}
