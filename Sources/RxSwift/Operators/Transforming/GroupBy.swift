extension ObservableType {
    /// A sequence for each key, of the elements that share it.
    ///
    ///     source:              --1--3--2--5--4--|
    ///     groupBy { $0 % 2 }:  --o-----e--------|
    ///                       o: --1--3-----5-----|
    ///                       e: --------2-----4--|
    ///
    /// ![One sequence for the odd numbers, one for the even ones](marble-group-by)
    ///
    /// A group is sent with its first element, just before it. It is hot: what comes before it is subscribed to is
    /// lost. The end of the source, or an error of `keySelector`, ends the groups, in the order of their making, and
    /// then the sequence.
    ///
    /// A group that is subscribed to goes on after the sequence itself has been disposed of. What is kept until the end
    /// is each key; a group that nobody observes nor holds is freed, and what still comes for it is dropped.
    ///
    /// What a key's `hash(into:)` or `==` pushes into the source is sent at once. Until the key that is looked for has
    /// its group, such a push may find none for its own key either, and begin another one.
    ///
    /// [Pausing](doc:BoundedMemory): a pause below is not passed on: groups are subjects, which cannot be paused, and
    /// one slow group would hold all others up.
    ///
    /// - Parameter keySelector: called with each element, on the thread that delivers it.
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

/// Guards: `groups` and `hasEnded` are the gate's owner's.
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
    /// Groups may be observed after the chain below has ended, so its end does not tell.
    @usableFromInline
    @exclusivity(unchecked)
    var hasEnded = false

    @inlinable
    init(_ assembly: inout Assembly, _ upstream: RefCountedUpstream, _ keySelector: @escaping (Element) throws -> Key) {
        self.upstream = upstream
        self.keySelector = keySelector
        super.init(&assembly, innerChains: upstream.innerChains, from: upstream)
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
            // A push from within the key's `==` may have been the last.
            guard !hasEnded else { return groups = GroupTable() }
            deliver(GroupedObservable(key: key, source: upstream.counted(group)))
            group.core.enter(element)
        }
    }

    @inlinable
    func insert(_ group: PublishSubject<Element>, for key: Key) {
        let place = groups.add(group)
        // Moved out, because hashing and comparing are the user's, who may come back to here and insert others.
        var places = exchange(&groups.places, with: [:])
        places[key] = place
        while !groups.places.isEmpty {
            places.merge(exchange(&groups.places, with: [:])) { own, _ in own }
        }
        groups.places = places
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _ source: InnerDisposer) {
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
        // Where the chain below had been disposed before, and something keeps a group's subscription after its end.
        innerChains.dispose(key: nil)
    }
}

/// The groups of a groupBy, by key. A key stays; its group is freed once nobody observes or holds it, at the next
/// sweep.
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
    /// The places of the groups that have not been freed, in the order of their making.
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

    /// Takes a group in; who calls gives the place to its key.
    @inlinable
    mutating func add(_ group: PublishSubject<Element>) -> Int {
        if living.count >= sweepAt { sweep() }
        living.append(groups.count)
        groups.append(group)
        return groups.count - 1
    }

    /// Frees the groups that the table alone holds, at each doubling of those that live.
    @usableFromInline
    mutating func sweep() {
        living.removeAll { place in
            // Only the table's reference is left, so nobody can subscribe any more.
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
