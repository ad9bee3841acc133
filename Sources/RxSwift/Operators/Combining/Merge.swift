extension ObservableType {
    /// The elements of all sources, as they come. Completes once all have completed; fails with the first that fails.
    ///
    ///     a:           --1-----2--|
    ///     b:           ----9--|
    ///     merge(a, b): --1-9---2--|
    ///
    /// Sources may fire from several threads at once; their events are delivered one at a time.
    ///
    /// - Parameter sources: subscribed in their order, when the result is subscribed.
    @inlinable
    @inline(never)
    public static func merge<Collection: Swift.Collection>(_ sources: Collection) -> Observable<Element>
    where Collection.Element == Observable<Element> {
        Merge(Array(sources))
    }

    /// The elements of all sources, as they come. See ``merge(_:)-(Collection)``.
    @inlinable
    @inline(never)
    public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
        Merge(sources)
    }

    /// The elements of all sources, as they come. See ``merge(_:)-(Collection)``.
    @inlinable
    @inline(never)
    public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
        Merge(sources)
    }
}

@usableFromInline
final class Merge<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let sources: [Observable<Element>]

    @inlinable
    init(_ sources: [Observable<Element>]) {
        self.sources = sources
        super.init { base, assembly in
            let sources = unsafeDowncast(base, to: Merge<Element>.self).sources
            // The array counts as one of them: nothing completes before all have been subscribed.
            let junction = MergeJunction<Element>(&assembly, active: sources.count + 1)
            for source in sources { source.subscribe(child: PassingChild(junction), in: junction.children) }
            junction.subscribedAll()
            return nil
        }
    }
}

/// Merges what its children send.
@usableFromInline
final class MergeJunction<Element>: Junction<Element>, FlatteningJunction, PassingJunction {
    /// How many sources have not completed. The gate's owner's, but before the first source is subscribed.
    @usableFromInline
    @exclusivity(unchecked)
    var active: Int

    @inlinable
    convenience init(_ assembly: inout Assembly, active: Int) {
        self.init(&assembly, counting: active)
    }

    @usableFromInline
    init(_ assembly: inout Assembly, counting active: Int) {
        self.active = active
        super.init(&assembly)
    }

    /// Adds a source. Only the gate's owner calls it.
    @inlinable
    @inline(__always)
    func add(_ source: Observable<Element>, hasPlace: Bool) {
        if let element = Just.element(of: source) {
            deliver(element)
        } else {
            count()
            source.subscribe(child: PassingChild(self), in: children)
        }
    }

    @usableFromInline
    func count() {
        active += 1
    }

    /// Handles the end of a source. Only the gate's owner calls it.
    @usableFromInline
    func ended(_ child: ChildDisposer, _ error: (any Error)?) {
        if let error { return end(error) }
        children.dispose(child)
        completed()
    }

    @usableFromInline
    func outerEnded(_ outer: ChildDisposer, _ error: (any Error)?) {
        ended(outer, error)
    }

    /// Counts out the list of sources.
    @usableFromInline
    func subscribedAll() {
        // What waits is made only where somebody delivers already.
        perform(gate, self) {
            completed()
        } enqueue: { _ in
            enter(completed)
        }
    }

    /// Counts out a source that has completed. Only the gate's owner calls it.
    @usableFromInline
    func completed() {
        active -= 1
        if active == 0 { end(nil) }
    }
}
