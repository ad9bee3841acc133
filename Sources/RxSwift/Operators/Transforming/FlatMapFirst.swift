extension ObservableType {
    /// The elements of the sequence that `selector` makes of an element; elements that come before that sequence has
    /// completed are dropped.
    ///
    ///     source:                        --1--2--3-----4---|
    ///     flatMapFirst { $0 ──a──b──| }: ----1a-1b-------4a-4b-|
    ///
    /// ![What comes while an inner sequence runs is dropped](marble-flat-map-first)
    ///
    /// Completes once the source and the inner sequence have completed; fails with the first that fails.
    /// The two may fire from different threads at once; events are delivered one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): the inner source pauses with what is below; the outer one goes on, and its
    /// elements are dropped as ever.
    ///
    /// - Parameter selector: called with each element that is not dropped, on the thread that delivers it. An error it
    ///   throws ends the sequence.
    ///
    /// ## See Also
    ///
    /// - [flatmap on reactivex.io](https://reactivex.io/documentation/operators/flatmap.html)
    @inlinable
    @inline(never)
    public __consuming func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping (Element) throws -> Source
    ) -> Observable<Source.Element> {
        flatten(selector) { FirstCoordinator(&$0) }
    }
}

/// Delivers what its inner source sends, and takes no other until that has completed.
///
/// More than one runs where the selector has made the source send.
@usableFromInline
final class FirstCoordinator<Output>: Flattener, FlatteningCoordinator {
    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    /// What comes too early is dropped, paused or not.
    @inlinable
    @inline(__always)
    var passesOuter: Bool { false }

    @inlinable
    @inline(__always)
    func admit() -> Admission { active == 0 ? .runs : .dropped }

    @inlinable
    @inline(__always)
    func add(_ source: consuming Observable<Output>, _: Admission) {
        if isPaused { source = source.pausable }
        active += 1
        if let element = Scalar.element(of: source) {
            deliver(element)
            innerCompleted()
        } else {
            subscribe(source)
        }
    }
}
