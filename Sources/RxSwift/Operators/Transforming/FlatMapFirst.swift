public import CRxCore

extension ObservableType {
    /// The elements of the sequences that `selector` returns. While one of them runs, elements of the source are
    /// dropped.
    ///
    ///     source:                        --1--2--3-----4---|
    ///     flatMapFirst { $0 ──a──b──| }: ----1a-1b-------4a-4b-|
    ///
    /// ![Elements that arrive while an inner sequence runs are dropped](marble-flat-map-first)
    ///
    /// The source and the inner sequence may send on different threads at once. Completes when both have completed;
    /// fails with the first error.
    ///
    /// [Pausing](doc:BoundedMemory): the inner source pauses with the downstream chain. The outer source continues.
    ///
    /// - Parameter selector: called with each element that is not dropped, on the delivering thread. If it throws, the
    ///   sequence fails.
    ///
    /// ## See Also
    ///
    /// - [flatmap on reactivex.io](https://reactivex.io/documentation/operators/flatmap.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        flatten(selector) { FirstCoordinator(&$0) }
    }
}

/// More than one inner source runs only if the selector makes the outer source send.
///
/// An inner source is numbered by the count of inner sources that had ended before its subscription. While the end of
/// an earlier source waits in the gate, events of the new source wait too. A nested event would overtake that end.
@usableFromInline
final class FirstCoordinator<Output>: Flattener, FlatteningCoordinator {
    /// The number of ended inner sources, incremented by the thread that ends one.
    @usableFromInline
    @exclusivity(unchecked)
    var ended = crx_flag()

    @inlinable
    override init(_ context: inout SubscribeContext) {
        super.init(&context)
    }

    @inlinable
    @inline(__always)
    var outerRole: SourceRole { .sampled }

    /// Drops the element if the inner source has not sent its end. The thread that owns the gate also drops elements
    /// while that end waits in the gate.
    @inlinable
    @inline(__always)
    func admit() -> Admission {
        guard made == crx_flag_load_acquire(&ended) else { return .dropped }
        return crx_gate_is_owned_by_relaxed(gate, crx_thread_self()) && ending.finished != made ? .dropped : .runs
    }

    @inlinable
    @inline(__always)
    func add(_ source: consuming Observable<Output>, _: Admission, _ outer: InnerLifetime) {
        let number = Int(crx_flag_load_acquire(&ended))
        made += 1
        if run(source, number, of: outer) { countEnd() }
    }

    @inlinable
    @inline(__always)
    func mayNest(_ number: Int) -> Bool { number <= ending.finished }

    @usableFromInline
    func countEnd() {
        _ = crx_flag_fetch_add_acq_rel(&ended, 1)
    }

    @inlinable
    @inline(__always)
    func hasSentEnd(_ error: (any Error)?, _: FlattenedSource<FirstCoordinator>, isSubscribing: Bool) {
        if error == nil { countEnd() }
    }
}
