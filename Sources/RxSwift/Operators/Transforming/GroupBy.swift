extension ObservableType {
    /// Sends a sequence (a *group*) for each key. A group sends the elements with its key.
    ///
    ///     source:              --1--3--2--5--4--|
    ///     groupBy { $0 % 2 }:  --o-----e--------|
    ///                       o: --1--3-----5-----|
    ///                       e: --------2-----4--|
    ///
    /// ![One sequence for the odd numbers, one for the even ones](marble-group-by)
    ///
    /// A group is sent just before its first element. A group is hot: an observer misses earlier elements. The terminal
    /// event of the source goes to the groups, in the order of their creation, and then to the result.
    ///
    /// A group with an observer continues after the result has been disposed of. Keys are retained until the end. A
    /// group that has no observer, and that the program does not retain, may be freed. Elements with its key are then
    /// dropped.
    ///
    /// [Pausing](doc:BoundedMemory): the source is not paused, because one slow group would stop all groups.
    ///
    /// - Parameter keySelector: called on the delivering thread. If it throws, the groups and the result fail.
    ///
    /// ## See Also
    ///
    /// - ``window(timeSpan:count:scheduler:)``
    /// - [groupby on reactivex.io](https://reactivex.io/documentation/operators/groupby.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func groupBy<Key: Hashable>(
        keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<GroupedObservable<Key, Element>> {
        joined { GroupByCoordinator(&$0, RefCountedUpstream(), keySelector) }
    }
}

/// Guards: only the thread that owns the gate uses `groups` and `hasEnded`.
@usableFromInline
final class GroupByCoordinator<Key: Hashable, Element>: Coordinator, SourceCoordinator {
    @usableFromInline
    typealias Output = GroupedObservable<Key, Element>

    @usableFromInline
    let upstream: RefCountedUpstream
    @usableFromInline
    let keySelector: (Element) throws -> Key
    @usableFromInline
    @exclusivity(unchecked)
    var groups = GroupTable<Key, Element>()
    /// Whether the operator has ended. Does not depend on the downstream chain, because groups may have observers after
    /// the chain's disposal.
    @usableFromInline
    @exclusivity(unchecked)
    var hasEnded = false

    @inlinable
    init(
        _ context: inout SubscribeContext, _ upstream: RefCountedUpstream,
        _ keySelector: @escaping (Element) throws -> Key
    ) {
        self.upstream = upstream
        self.keySelector = keySelector
        super.init(&context, innerChains: upstream.innerChains, from: upstream)
    }

    @inlinable
    func next(_ element: Element) {
        guard !hasEnded else { return }
        do {
            send(element, to: try keySelector(element))
        } catch {
            endAll(error)
        }
    }

    @inlinable
    func send(_ element: Element, to key: Key) {
        switch groups.find(key) {
        case .live(let group): group.core.enter(element)
        case .freed: break
        case .new:
            let group = PublishSubject<Element>()
            insert(group, for: key)
            // The key's `==` may have pushed an element that caused the end.
            guard !hasEnded else { return groups = GroupTable() }
            deliver(GroupedObservable(key: key, source: upstream.counted(group)))
            group.core.enter(element)
        }
    }

    @inlinable
    func insert(_ group: PublishSubject<Element>, for key: Key) {
        let place = groups.add(group)
        // The dictionary is moved out of the property, because `hash(into:)` and `==` may insert other groups.
        var places = exchange(&groups.places, with: [:])
        places[key] = place
        while !groups.places.isEmpty {
            places.merge(exchange(&groups.places, with: [:])) { own, _ in own }
        }
        groups.places = places
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerLifetime) {
        endAll(error)
    }

    @usableFromInline
    func endAll(_ error: (any Error)?) {
        guard !hasEnded else { return }
        hasEnded = true
        let ended = groups
        groups = GroupTable()
        ended.forEachLiving { $0._end(error) }
        end(error)
        // Needed only if the downstream chain has been disposed of, and the program retains the subscription to an
        // ended group.
        innerChains.dispose(key: nil)
    }
}

/// The groups of a `groupBy`, by key. Keys are not removed.
@usableFromInline
struct GroupTable<Key: Hashable, Element> {
    @usableFromInline
    enum Group {
        case live(PublishSubject<Element>)
        case freed
        case new
    }

    @usableFromInline
    var places: [Key: Int] = [:]
    @usableFromInline
    var groups: ContiguousArray<PublishSubject<Element>?> = []
    /// The indices in `groups` of the groups that have not been freed, in the order of their creation.
    @usableFromInline
    var living: ContiguousArray<Int> = []
    @usableFromInline
    var sweepAt = 64

    @inlinable
    init() {}

    @inlinable
    func find(_ key: Key) -> Group {
        guard let place = places[key] else { return .new }
        return groups[place].map { .live($0) } ?? .freed
    }

    /// Adds a group. Returns its index in `groups`. The caller stores the index in `places`.
    @inlinable
    mutating func add(_ group: PublishSubject<Element>) -> Int {
        if living.count >= sweepAt { sweep() }
        living.append(groups.count)
        groups.append(group)
        return groups.count - 1
    }

    /// Frees the groups that have no observers and that only the table references. Called each time the number of live
    /// groups has doubled.
    @usableFromInline
    mutating func sweep() {
        living.removeAll { place in
            // If only the table references a group, no observer can subscribe any more.
            guard isKnownUniquelyReferenced(&groups[place]), groups[place]?.hasObservers == false else { return false }
            groups[place] = nil
            return true
        }
        sweepAt = Swift.max(64, 2 * living.count)
    }

    func forEachLiving(_ body: (PublishSubject<Element>) -> Void) {
        for place in living {
            if let group = groups[place] { body(group) }
        }
    }
}
