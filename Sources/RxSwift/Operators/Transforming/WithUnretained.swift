extension ObservableType {
    /// Combines each element with `obj`, without retaining `obj`. Completes at the first element after the deallocation
    /// of `obj`.
    ///
    ///     source:                    --1--2--3--4--|
    ///     me:                        ------|   lives so long
    ///     withUnretained(me) { $1 }: --1--2--|
    ///
    /// ![Completes at the first element after the object has been freed](marble-with-unretained)
    ///
    ///     orders.withUnretained(self) { me, order in me.total += order.price }
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - obj: not retained.
    ///   - resultSelector: called on the delivering thread.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func withUnretained<Object: AnyObject, Out>(
        _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Observable<Out> {
        lift(WithUnretained(WeakReference(obj), resultSelector))
    }

    /// Combines each element with `obj` into a pair.
    ///
    ///     orders.withUnretained(self).subscribe(onNext: { me, order in me.show(order) })
    ///
    /// Events are delivered on the sending thread. An error is passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func withUnretained<Object: AnyObject>(_ obj: Object) -> Observable<(Object, Element)> {
        withUnretained(obj) { ($0, $1) }
    }
}

@usableFromInline
// @unchecked Sendable because the reference is written once. After that, only the Swift runtime sets it to nil.
final class WeakReference<Object: AnyObject>: @unchecked Sendable {
    @usableFromInline
    weak var object: Object?

    @inlinable
    init(_ object: Object) {
        self.object = object
    }
}

@usableFromInline
struct WithUnretained<Input, Object: AnyObject, Output>: LinearOperator {
    @usableFromInline
    let reference: WeakReference<Object>
    @usableFromInline
    let resultSelector: (Object, Input) -> Output

    @inlinable
    init(_ reference: WeakReference<Object>, _ resultSelector: @escaping (Object, Input) -> Output) {
        self.reference = reference
        self.resultSelector = resultSelector
    }

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Output? {
        guard let object = reference.object else { return stage.end() }
        return resultSelector(object, element)
    }
}
