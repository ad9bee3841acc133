extension ObservableType {
    /// The elements of the latest of the sequences that `selector` makes of the elements.
    ///
    ///     source:                         --1---2-----|
    ///     flatMapLatest { $0 ──a──b──| }: ----1a--2a-2b-|
    ///
    /// ![An inner sequence ends where the next one begins](marble-flat-map-latest)
    ///
    /// A new inner sequence takes the place of the one before, which is disposed first. Completes once the source and
    /// the latest inner sequence have completed; fails with the source or the latest inner sequence. Inner sequences
    /// may fire from several threads at once; their events are delivered one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): the inner source pauses with what is below; the outer one goes on, for it decides
    /// which one that is.
    ///
    /// - Parameter selector: called with each element, on the thread that delivers it. An error it throws ends the
    ///   sequence.
    ///
    /// ## See Also
    ///
    /// - [switch on reactivex.io](https://reactivex.io/documentation/operators/switch.html)
    @inlinable
    @inline(never)
    public __consuming func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping (Element) throws -> Source
    ) -> Observable<Source.Element> {
        flatten(selector) { SwitchCoordinator(&$0) }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// The elements of the latest of the sequences that this one sends.
    ///
    /// It is ``ObservableType/flatMapLatest(_:)->Observable<Source.Element>`` of the elements themselves.
    ///
    /// As ``flatMapLatest(_:)->Observable<Source.Element>``.
    ///
    /// ## See Also
    ///
    /// - ``flatMapLatest(_:)->Observable<Source.Element>``
    /// - [switch on reactivex.io](https://reactivex.io/documentation/operators/switch.html)
    @inlinable
    @inline(never)
    public __consuming func switchLatest() -> Observable<Element.Element> {
        flatten({ $0 }) { SwitchCoordinator(&$0) }
    }
}

/// Delivers what the latest of its inner sources sends. The latest alone counts as active.
@usableFromInline
final class SwitchCoordinator<Output>: Flattener, FlatteningCoordinator {
    /// How many inner sources there have been: the number of the latest.
    @usableFromInline
    @exclusivity(unchecked)
    var latest = 0
    /// The chain of the latest, where it has one and runs.
    @usableFromInline
    @exclusivity(unchecked)
    var inner: InnerDisposer?

    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    /// It must be able to switch.
    @inlinable
    @inline(__always)
    var passesOuter: Bool { false }

    /// Puts a new inner source in the place of the one before.
    @inlinable
    @inline(__always)
    func add(_ source: consuming Observable<Output>, _: Admission) {
        if isPaused { source = source.pausable }
        latest += 1
        active = 1
        if let element = Scalar.element(of: source) {
            let number = latest
            if inner != nil { replaceInner(by: nil) }
            guard number == latest else { return }
            deliver(element)
            if number == latest { innerCompleted() }
        } else {
            let sink = InnerSink<SourcePort<SwitchCoordinator>>(self)
            innerChains.insert(sink.disposer)
            replaceInner(by: sink.disposer)
            // Subscribed even where the disposal of the one before has brought a newer one, and with that disposed this
            // one.
            source.subscribe(last: sink, sink.disposer, scope: innerChains.scope)
        }
    }

    @usableFromInline
    func replaceInner(by disposer: InnerDisposer?) {
        let old = inner
        inner = disposer
        if let old { innerChains.dispose(old) }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?, _ source: InnerDisposer) {
        guard source === inner else { return innerChains.dispose(source) }
        let number = latest
        inner = nil
        innerChains.dispose(source)
        guard number == latest else { return }
        if let error { fail(error) } else { innerCompleted() }
    }
}
