import RxSwift

extension ObservableType {
    /// A sequence ("group") for each key, with the elements that have this key. A group completes when the sequence
    /// that `duration` returns for it sends or completes. A later element with the same key begins a new group.
    ///
    ///     source:                                                     --1--3--5--7--|
    ///     groupBy(keySelector: { $0 % 2 }, until: { _ in after(5) }): --o-----o-----|
    ///
    /// ![A new group for the same key, when the first one has expired](marble-group-by-until)
    ///
    /// A group is sent with its first element, just before it. It is hot: an observer misses the elements that were
    /// sent before it subscribed. The end of the source, or an error, ends the groups in the order of their creation,
    /// and then the sequence. Only groups that have not completed are retained, with their keys. The source and the
    /// durations may send from several threads at once; events are delivered one at a time. The delivering thread also
    /// calls the closures for elements of other threads. A group with an observer continues after the sequence itself
    /// has been disposed of.
    ///
    /// Pausing: a pause does not reach the source, because groups are subjects, which cannot be paused.
    ///
    /// - Parameters:
    ///   - keySelector: called with each element.
    ///   - duration: called with each group after its delivery, and before its first element. An error of the returned
    ///     sequence ends all groups.
    ///
    /// ## See Also
    ///
    /// - ``window(openings:closing:)``
    @preconcurrency
    public func groupBy<Key: Hashable, Duration: ObservableConvertibleType>(
        keySelector: @escaping @Sendable (Element) throws -> Key,
        until duration: @escaping @Sendable (GroupedObservable<Key, Element>) throws -> Duration
    ) -> Observable<GroupedObservable<Key, Element>> {
        let source = asObservable()
        return .coordinated(sendingSequences: { result in
            let groups = ExpiringGroups(result, keySelector) { try duration($0).asObservable().take(1).map { _ in } }
            result.subscribe(source, groups.take)
        })
    }
}

/// One subscription to a groupBy whose groups expire.
///
/// Guards: all state belongs to the thread that is within `result`. Its deliveries may call back into this object.
private final class ExpiringGroups<Key: Hashable, Element> {
    private final class Group {
        let subject = PublishSubject<Element>()
        let number: Int

        init(_ number: Int) {
            self.number = number
        }
    }

    private let result: Coordination<GroupedObservable<Key, Element>>
    private let keySelector: (Element) throws -> Key
    private let duration: (GroupedObservable<Key, Element>) throws -> Observable<Void>
    private var groups: [Key: Group] = [:]
    /// The number of groups so far.
    private var made = 0

    init(
        _ result: Coordination<GroupedObservable<Key, Element>>, _ keySelector: @escaping (Element) throws -> Key,
        _ duration: @escaping (GroupedObservable<Key, Element>) throws -> Observable<Void>
    ) {
        self.result = result
        self.keySelector = keySelector
        self.duration = duration
    }

    func take(_ event: Event<Element>) {
        guard !result.hasEnded else { return }
        switch event {
        case .next(let element):
            do { try take(element) } catch { end(error) }
        case .error(let error): end(error)
        case .completed: end(nil)
        }
    }

    private func take(_ element: Element) throws {
        let key = try keySelector(element)
        if let group = groups[key] { return group.subject.onNext(element) }
        guard result.isLive else { return }
        let group = Group(made)
        made += 1
        change { $0[key] = group }
        let sent = GroupedObservable(key: key, source: result.counted(group.subject))
        result.send(.next(sent))
        if result.isLive {
            // Without the count: the subscription of the duration must not keep the source subscribed.
            let watched = GroupedObservable(key: key, source: group.subject.asObservable())
            result.subscribe(try duration(watched)) { event in
                switch event {
                case .next: break
                case .error(let error): self.end(error)
                case .completed: self.expire(group, key)
                }
            }
        }
        group.subject.onNext(element)
    }

    private func expire(_ group: Group, _ key: Key) {
        if groups[key] === group { change { $0[key] = nil } }
        group.subject.onCompleted()
    }

    /// Changes the groups outside of this object: hashing and comparing are user code, which may make the source send.
    /// An element that it sends finds no group and begins one.
    private func change(_ body: (inout [Key: Group]) -> Void) {
        var changed = groups
        groups = [:]
        body(&changed)
        while !groups.isEmpty {
            let added = groups
            groups = [:]
            changed.merge(added) { own, _ in own }
        }
        groups = changed
    }

    private func end(_ error: (any Error)?) {
        let ended = groups.values.sorted { $0.number < $1.number }
        groups = [:]
        for group in ended {
            if let error { group.subject.onError(error) } else { group.subject.onCompleted() }
        }
        result.end(error)
    }
}
