extension ObservableType {
    /// A sequence with a resource. Each subscription makes a resource and disposes of it.
    ///
    ///     numbers:                              --1--2--|
    ///     using({ opened() }) { _ in numbers }: --1--2--|
    ///     resource:                             o-------c   opened, closed
    ///
    /// ![The resource is closed when the sequence ends](marble-using)
    ///
    ///     Observable.using({ try Connection(to: host) }, observableFactory: { $0.messages })
    ///
    /// The resource is disposed of after the sequence has ended or been disposed of.
    ///
    /// [Pausing](doc:BoundedMemory): the sequence from `observableFactory` pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - resourceFactory: called on the subscribing thread. If it throws, the sequence fails.
    ///   - observableFactory: makes the sequence. If it throws, the sequence fails, and the resource is disposed of.
    ///
    /// ## See Also
    ///
    /// - [using on reactivex.io](https://reactivex.io/documentation/operators/using.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
    ) -> Observable<Element> {
        Using(resourceFactory, observableFactory)
    }
}

@usableFromInline
final class Using<Resource: Disposable, Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let makeResource: () throws -> Resource
    @usableFromInline
    let makeSource: (Resource) throws -> Observable<Element>

    @inlinable
    init(
        _ makeResource: @escaping () throws -> Resource,
        _ makeSource: @escaping (Resource) throws -> Observable<Element>
    ) {
        self.makeResource = makeResource
        self.makeSource = makeSource
        super.init { base, context in
            let me = unsafeDowncast(base, to: Using<Resource, Element>.self)
            do {
                let resource = try me.makeResource()
                // Disposables are disposed of in the order of adoption. The resource is adopted after the source's
                // disposables, so it is disposed of after them.
                context.lifetime.keep()
                context.afterwards { [lifetime = context.lifetime] in lifetime.adopt(resource) }
                return try me.makeSource(resource)
            } catch {
                context.end(error)
                return nil
            }
        }
    }
}
