import RxSwift

extension ObservableType {
    /// For each key, a sequence (*group*) of its elements. `duration` returns another sequence for each group. When
    /// that sequence sends an element or completes, the group completes. A later element with the same key begins a new
    /// group.
    ///
    ///     source:                                                     --1--3--5--7--|
    ///     groupBy(keySelector: { $0 % 2 }, until: { _ in after(5) }): --o-----o-----|
    ///
    /// ![A new group for the same key, when the first one has expired](marble-group-by-until)
    ///
    /// A group is sent just before its first element. Groups are hot. The terminal event of the source, or an error of
    /// a duration or closure, goes to the groups in the order of their creation, then to the result. Only groups that
    /// have not completed are retained. The source and the durations may send concurrently; events are delivered one at
    /// a time. A group with an observer survives the disposal of the result.
    ///
    /// Pausing: a pause does not reach the source, because groups are subjects.
    ///
    /// - Parameters:
    ///   - keySelector: called with each element, on the sending thread.
    ///   - duration: called with each group, on the thread that sends its first element, after the group has been sent
    ///     or enqueued. The same thread then subscribes to the returned sequence, before the group sends its first
    ///     element. If the returned sequence ends before this element is delivered, the group contains only this
    ///     element.
    ///
    /// ## See Also
    ///
    /// - ``window(openings:closing:)``
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func groupBy<Key: Hashable, Duration: ObservableConvertibleType>(
        keySelector: @escaping @Sendable (Element) throws -> Key,
        until duration: @escaping @Sendable (GroupedObservable<Key, Element>) throws -> Duration
    ) -> Observable<GroupedObservable<Key, Element>> {
        let source = asObservable()
        return .coordinated(sendingSequences: { result in
            let groups = ExpiringGroups(result, keySelector) { try duration($0).asObservable().take(1).map { _ in } }
            result.subscribe(outside: source, groups.take, ended: groups.end)
        })
    }
}

/// All events are delivered inside the gate of `result`. An element that has been assigned to a group is delivered
/// before the group's completion.
///
/// Guards: the lock of `groups` protects `groups` and the variables of each group. No user code is called under the
/// lock: the table is keyed by hash values, and keys are compared without the lock. `made` is used only by the source's
/// thread.
@usableFromInline
final class ExpiringGroups<Key: Hashable, Element> {
    @usableFromInline
    final class Group {
        @usableFromInline
        let subject = PublishSubject<Element>()
        @usableFromInline
        let key: Key
        @usableFromInline
        let hash: Int
        @usableFromInline
        let number: Int
        /// The number of assigned, undelivered elements; 1 for the group's first element.
        @usableFromInline
        var assigned = 1
        /// Whether the duration has ended. If so, the group completes when `assigned` is 0.
        @usableFromInline
        var hasExpired = false

        @inlinable
        init(_ key: Key, _ hash: Int, _ number: Int) {
            self.key = key
            self.hash = hash
            self.number = number
        }
    }

    @usableFromInline
    let result: Coordination<GroupedObservable<Key, Element>>
    @usableFromInline
    let keySelector: (Element) throws -> Key
    @usableFromInline
    let duration: (GroupedObservable<Key, Element>) throws -> Observable<Void>
    /// The groups that have not completed, by hash value.
    @usableFromInline
    let groups = Locked<[Int: [Group]]>([:])
    @usableFromInline
    var made = 0

    @inlinable
    init(
        _ result: Coordination<GroupedObservable<Key, Element>>, _ keySelector: @escaping (Element) throws -> Key,
        _ duration: @escaping (GroupedObservable<Key, Element>) throws -> Observable<Void>
    ) {
        self.result = result
        self.keySelector = keySelector
        self.duration = duration
    }

    // MARK: The source's thread

    @inlinable
    func take(_ element: Element, _ source: OutsideSource<Element, GroupedObservable<Key, Element>>) throws {
        let key = try keySelector(element)
        let hash = key.hashValue
        let present = groups.withLock { $0[hash] ?? [] }
        if let group = present.first(where: { $0.key == key && assign($0) }) {
            return source.enter((self, group, element)) { $0.deliver($2, to: $1) }
        }
        try begin(key, hash, element, source)
    }

    @inlinable
    @inline(never)
    func begin(
        _ key: Key, _ hash: Int, _ element: Element,
        _ source: OutsideSource<Element, GroupedObservable<Key, Element>>
    ) throws {
        guard result.isWanted else { return }
        let group = Group(key, hash, made)
        made += 1
        groups.withLock { $0[hash, default: []].append(group) }
        source.enter(group, send)
        if result.isWanted {
            // The group is not wrapped by `counted`, because a duration's subscription to its group must not keep the
            // source subscribed.
            let watched = GroupedObservable(key: key, source: group.subject.asObservable())
            result.subscribe(try duration(watched)) { event in
                switch event {
                case .next: break
                case .error(let error): self.end(.error(error))
                case .completed: self.expire(group)
                }
            }
        }
        source.enter((self, group, element)) { $0.deliver($2, to: $1) }
    }

    @inlinable
    func assign(_ group: Group) -> Bool {
        groups.withLock { _ in
            if !group.hasExpired { group.assigned += 1 }
            return !group.hasExpired
        }
    }

    // MARK: The thread that owns the gate

    @inlinable
    func send(_ group: Group) {
        result.send(.next(GroupedObservable(key: group.key, source: result.counted(group.subject))))
    }

    @inlinable
    @inline(__always)
    func deliver(_ element: Element, to group: Group) {
        group.subject.onNext(element)
        complete(group) { $0.assigned -= 1 }
    }

    @usableFromInline
    func expire(_ group: Group) {
        complete(group) { $0.hasExpired = true }
    }

    @inlinable
    func complete(_ group: Group, after change: (Group) -> Void) {
        let isOver = groups.withLock { groups in
            change(group)
            guard group.hasExpired && group.assigned == 0 else { return false }
            groups[group.hash]?.removeAll { $0 === group }
            if groups[group.hash]?.isEmpty == true { groups[group.hash] = nil }
            return true
        }
        if isOver { group.subject.onCompleted() }
    }

    @usableFromInline
    func end(_ event: Event<Never>) {
        let ended = groups.withLock { exchange(&$0, with: [:]) }
        for group in ended.values.joined().sorted(by: { $0.number < $1.number }) {
            if let error = event.error { group.subject.onError(error) } else { group.subject.onCompleted() }
        }
        result.end(event.error)
    }
}
