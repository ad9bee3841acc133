extension ObservableType {
    /// A sequence with its own resource, which lives as long as the subscription.
    ///
    ///     numbers:                              --1--2--|
    ///     using({ opened() }) { _ in numbers }: --1--2--|
    ///     resource:                             o-------c   opened, closed
    ///
    /// ![The resource is closed when the sequence ends](marble-using)
    ///
    ///     Observable.using({ try Connection(to: host) }, observableFactory: { $0.messages })
    ///
    /// The resource is disposed of after the sequence that uses it has ended or been disposed of.
    ///
    /// [Pausing](doc:BoundedMemory): the sequence that `observableFactory` has made pauses with the downstream chain.
    ///
    /// - Parameters:
    ///   - resourceFactory: called at each subscription, on its thread. An error it throws ends the sequence.
    ///   - observableFactory: an error it throws ends the sequence; the resource is disposed of.
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
                // Adopted after the source's disposables, so that the resource is disposed of after the source.
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
