public import CRxCore

extension ObservableType {
    /// The elements of the latest sequence that `selector` has returned.
    ///
    ///     source:                         --1---2-----|
    ///     flatMapLatest { $0 ──a──b──| }: ----1a--2a-2b-|
    ///
    /// ![An inner sequence ends where the next one begins](marble-flat-map-latest)
    ///
    /// Inner sequences may send on several threads at once.
    ///
    /// The previous inner sequence is disposed of before the next one is subscribed to. Completes when the source and
    /// the latest inner sequence have completed; fails with the first error of either.
    ///
    /// [Pausing](doc:BoundedMemory): the inner source pauses with the downstream chain. The outer source continues.
    ///
    /// - Parameter selector: called on the delivering thread. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - [switch on reactivex.io](https://reactivex.io/documentation/operators/switch.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        flatten(selector) { SwitchCoordinator(&$0) }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// The elements of the latest inner sequence. See ``flatMapLatest(_:)->Observable<Source.Element>``.
    ///
    /// ## See Also
    ///
    /// - [switch on reactivex.io](https://reactivex.io/documentation/operators/switch.html)
    @inlinable
    @inline(never)
    public __consuming func switchLatest() -> Observable<Element.Element> {
        flatten({ $0 }) { SwitchCoordinator(&$0) }
    }
}

/// Inner sources are numbered from 1. The switch to a source passes the gate like an event. Events of an earlier source
/// are delivered if they were enqueued before the switch. Otherwise they are dropped. `finished` is the number of the
/// latest source that completed while it was current.
///
/// Guards:
/// - `current`: used only by the thread that owns the gate.
/// - `inner`: protected by `lock`. `hasInner` changes under the lock; the thread of the outer source reads it without
///   the lock.
@usableFromInline
final class SwitchCoordinator<Output>: Flattener, FlatteningCoordinator {
    @usableFromInline
    @exclusivity(unchecked)
    var current = 0
    @exclusivity(unchecked)
    private var lock = crx_lock()
    @exclusivity(unchecked)
    private var inner: InnerLifetime?
    @usableFromInline
    @exclusivity(unchecked)
    var hasInner = crx_flag()

    @inlinable
    override init(_ context: inout SubscribeContext) {
        super.init(&context)
    }

    @inlinable
    @inline(__always)
    var outerRole: SourceRole { .sampled }

    @inlinable
    @inline(__always)
    func add(_ source: consuming Observable<Output>, _: Admission, _ outer: InnerLifetime) {
        made += 1
        let number = made
        if let element = Scalar.element(of: source) {
            if crx_flag_load_acquire(&hasInner) != 0 {
                turn(to: number)
                replaceInner(by: nil)
            }
            send(scalar: element, number, of: outer)
        } else {
            turn(to: number)
            let sink = FlattenedSource<SwitchCoordinator>(self, number)
            innerChains.insert(sink.lifetime)
            replaceInner(by: sink.lifetime)
            // A teardown of the previous source may have disposed of the chain below.
            if isLive { source.subscribe(last: sink, sink.lifetime, scope: innerChains.scope) }
        }
    }

    /// Makes source `number` current, in the order of the gate's inputs.
    @usableFromInline
    func turn(to number: Int) {
        perform(gate, self, mayNest: mayNest(scalar: number)) {
            current = number
        } enqueue: { me in
            QueuedInput.enqueue(
                QueuedInput(self, number) { waiting, isDropped in
                    let (coordinator, number) = QueuedInput<SwitchCoordinator, Int>.take(waiting)
                    if !isDropped { coordinator.current = number }
                }, gate, me, self)
        }
    }

    @inlinable
    @inline(__always)
    func handle(scalar element: Output, _ number: Int) {
        if number > current { current = number }
        guard number == current else { return }
        deliver(element)
        complete(number)
    }

    /// Whether the switch to source `number` has been handled.
    @inlinable
    @inline(__always)
    func mayNest(_ number: Int) -> Bool { number <= current }

    /// Whether all switches before source `number` have been handled.
    @inlinable
    @inline(__always)
    func mayNest(scalar number: Int) -> Bool { number <= current + 1 }

    @inlinable
    @inline(__always)
    func next(_ element: Output, _ number: Int, _: InnerLifetime) {
        if number == current { deliver(element) }
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ number: Int, _ inner: InnerLifetime) {
        // As in RxSwift, the inner chain is disposed of first. The disposal may make the outer source add a newer
        // source.
        remove(inner)
        guard number == current else { return }
        if let error { fail(error) } else { complete(number) }
    }

    @inlinable
    @inline(__always)
    func complete(_ number: Int) {
        guard number == current else { return }
        ending.finished = number
        if ending.hasAll { endIfFinished() }
    }

    @usableFromInline
    func replaceInner(by lifetime: InnerLifetime?) {
        crx_lock_acquire(&lock)
        let old = inner
        inner = lifetime
        crx_flag_store_release(&hasInner, lifetime == nil ? 0 : 1)
        crx_lock_release(&lock)
        if let old { innerChains.dispose(old) }
    }

    @usableFromInline
    func remove(_ source: InnerLifetime) {
        crx_lock_acquire(&lock)
        let isInner = inner === source
        if isInner {
            inner = nil
            crx_flag_store_release(&hasInner, 0)
        }
        crx_lock_release(&lock)
        innerChains.dispose(source)
    }
}
