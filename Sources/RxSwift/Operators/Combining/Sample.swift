extension ObservableType {
    /// The latest element since the last time, each time `sampler` sends.
    ///
    ///     source:          --1--2--3-------|
    ///     sampler:         ---------0--0--0--0
    ///     sample(sampler): ---------3--------|
    ///
    /// The completion of `sampler` samples as well; after it nothing is sent any more, nor does the sequence complete.
    /// When the source has completed, the sequence completes with the next event of `sampler`. It fails with whichever
    /// of the two fails first.
    ///
    /// The two may fire from different threads at once; events are delivered one at a time. It keeps one element.
    ///
    /// - Parameters:
    ///   - sampler: says when; its elements are not looked at.
    ///   - defaultValue: sent where no element has come since the last time; nothing is sent without it.
    @inlinable
    @inline(never)
    public __consuming func sample(
        _ sampler: some ObservableType, defaultValue: Element? = nil
    ) -> Observable<Element> {
        Sample(asObservable(), sampler.asObservable(), defaultValue)
    }
}

@usableFromInline
final class Sample<Element, Tick>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let sampler: Observable<Tick>
    @usableFromInline
    let defaultValue: Element?

    @inlinable
    init(_ source: Observable<Element>, _ sampler: Observable<Tick>, _ defaultValue: Element?) {
        self.source = source
        self.sampler = sampler
        self.defaultValue = defaultValue
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: Sample<Element, Tick>.self)
            let junction = SampleJunction<Element>(&assembly, me.defaultValue)
            me.source.subscribe(child: SampleChild(junction), in: junction.children)
            me.sampler.subscribe(child: SamplerChild<Tick, Element>(junction), in: junction.children)
            return nil
        }
    }
}

@usableFromInline
final class SampleJunction<Element>: Junction<Element> {
    @usableFromInline
    let defaultValue: Element?
    /// What has come since the last sample. The gate's owner's; `hasSourceCompleted` likewise.
    @usableFromInline
    @exclusivity(unchecked)
    var latest: Element?
    @usableFromInline
    @exclusivity(unchecked)
    var hasSourceCompleted = false

    @inlinable
    init(_ assembly: inout Assembly, _ defaultValue: Element?) {
        self.defaultValue = defaultValue
        super.init(&assembly)
    }

    /// Only the gate's owner calls it.
    @inlinable
    func sample() {
        if let element = latest.take() ?? defaultValue { deliver(element) }
        if hasSourceCompleted { end(nil) }
    }
}

/// The source of a sample.
@usableFromInline
final class SampleChild<Element>: Child<Element>, GateTarget {
    @usableFromInline
    let junction: SampleJunction<Element>

    @inlinable
    init(_ junction: SampleJunction<Element>) {
        self.junction = junction
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: SampleChild<Element>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Element) {
        // Released after the change: its `deinit` may come back to here.
        withExtendedLifetime(exchange(&junction.latest, with: element)) {}
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        if let error { return junction.end(error) }
        junction.hasSourceCompleted = true
        junction.children.dispose(disposer)
    }
}

/// The sampler of a sample.
@usableFromInline
final class SamplerChild<Tick, Element>: Child<Tick>, GateTarget {
    @usableFromInline
    let junction: SampleJunction<Element>

    @inlinable
    init(_ junction: SampleJunction<Element>) {
        self.junction = junction
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: SamplerChild<Tick, Element>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_: Tick) {
        junction.sample()
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        if let error { return junction.end(error) }
        junction.sample()
        junction.children.dispose(disposer)
    }
}
