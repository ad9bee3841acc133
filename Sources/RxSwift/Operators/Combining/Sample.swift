extension ObservableType {
    /// The latest element since the last time, each time `sampler` sends.
    ///
    ///     source:          --1--2--3-------|
    ///     sampler:         ---------0--0--0--0
    ///     sample(sampler): ---------3--------|
    ///
    /// ![The latest element, each time the sampler fires](marble-sample)
    ///
    /// The completion of `sampler` samples as well; after it nothing is sent any more, nor does the sequence complete.
    /// When the source has completed, the sequence completes with the next event of `sampler`. It fails with whichever
    /// of the two fails first.
    ///
    /// The two may fire from different threads at once; events are delivered one at a time. It keeps one element.
    ///
    /// [Pausing](doc:BoundedMemory): both sources go on; what is due is kept, the latest of it, and sent with the
    /// resume.
    ///
    /// - Parameters:
    ///   - sampler: says when; its elements are not looked at.
    ///   - defaultValue: sent where no element has come since the last time; nothing is sent without it.
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
        return Observable { _, assembly in
            SampleCoordinator(&assembly, defaultValue).subscribe(source, sampler)
            return nil
        }
    }
}

/// Its state is the gate's owner's.
@usableFromInline
final class SampleCoordinator<Output, Tick>: Coordinator, SourceCoordinator, OtherCoordinator {
    @usableFromInline
    let defaultValue: Output?
    /// What has come since the last sample.
    @usableFromInline
    @exclusivity(unchecked)
    var latest: Output?
    @usableFromInline
    @exclusivity(unchecked)
    var hasSourceCompleted = false
    /// Whether a sample was due while the chain below was paused: it goes with the resume.
    @usableFromInline
    var isDue = false

    @inlinable
    init(_ assembly: inout Assembly, _ defaultValue: Output?) {
        self.defaultValue = defaultValue
        super.init(&assembly)
        hearsOfResumes()
    }

    /// It keeps the latest, paused or not.
    @inlinable
    var passesSource: Bool { false }

    @inlinable
    @inline(__always)
    func next(_ element: Output) {
        // Released after the change: its `deinit` may come back to here.
        withExtendedLifetime(exchange(&latest, with: element)) {}
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerDisposer) {
        if let error { return end(error) }
        hasSourceCompleted = true
        innerChains.dispose(source)
    }

    @inlinable
    @inline(__always)
    func next(other _: Tick, _ sampler: InnerDisposer) {
        sample()
    }

    @usableFromInline
    func otherEnded(_ error: (any Error)?, _ sampler: InnerDisposer) {
        if let error { return end(error) }
        sample()
        innerChains.dispose(sampler)
    }

    @usableFromInline
    override func resumed() {
        // Without the end: when the source has completed since, it takes the sampler's next event.
        if exchange(&isDue, with: false) && isLive { sendLatest() }
    }

    @inlinable
    func sample() {
        if !hasSourceCompleted && keepsForResume() { return isDue = true }
        sendLatest()
        if hasSourceCompleted { end(nil) }
    }

    @inlinable
    func sendLatest() {
        if let element = latest.take() ?? defaultValue { deliver(element) }
    }
}
