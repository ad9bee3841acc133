/// A group: the elements of a sequence that have the same key. See ``ObservableType/groupBy(keySelector:)``.
public struct GroupedObservable<Key, Element>: ObservableType {
    /// The key of all elements.
    public let key: Key

    @usableFromInline
    let source: Observable<Element>

    /// Creates a group for `key` with the elements of `source`.
    @inlinable
    public init(key: Key, source: Observable<Element>) {
        self.key = key
        self.source = source
    }

    @inlinable
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Element == Observer.Element {
        source.subscribe(observer)
    }

    @inlinable
    public func asObservable() -> Observable<Element> {
        source
    }
}

extension GroupedObservable: Sendable where Key: Sendable {}
