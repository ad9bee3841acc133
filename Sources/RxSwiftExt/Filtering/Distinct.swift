import RxCocoa
import RxSwift

extension Observable where Element: Hashable {
    /// Drops each element that has been sent before.
    ///
    ///     source:     --1--2--1--3--2--|
    ///     distinct(): --1--2-----3-----|
    ///
    /// ![Each element only once](marble-distinct)
    ///
    /// Each subscription remembers every element until its end. In RxSwiftExt, all subscriptions share one set of
    /// elements.
    ///
    /// Elements are compared and delivered on the sending thread; an error is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// ## See Also
    ///
    /// - [distinct on reactivex.io](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    @inline(never)
    public func distinct() -> Observable<Element> {
        let source = self
        return Observable<Element>.deferredUnchecked {
            let memory = HashedMemory<Element>()
            return source.filterUnchecked { memory.isNew($0) }
        }
    }
}

extension Observable where Element: Equatable {
    /// Like `Observable.distinct()` for `Hashable` elements, but compares each element with all earlier elements.
    @inlinable
    @inline(never)
    public func distinct() -> Observable<Element> {
        let source = self
        return Observable<Element>.deferredUnchecked {
            let memory = Memory<Element>()
            return source.filterUnchecked { element in memory.admit(element, unless: { $0 == element }) }
        }
    }
}

extension Observable {
    /// Sends the elements up to and including the first that satisfies `predicate`.
    ///
    ///     source:              --1--2--3--4--|
    ///     distinct { $0 > 1 }: --1--2--------|
    ///
    /// ![Elements up to the first that satisfies the predicate, and it](marble-distinct-predicate)
    ///
    /// RxSwiftExt behaves in the same way, although the name suggests otherwise. To compare elements by a key, use
    /// `distinctUntilChanged(_:)`, or `distinct()` on the keys.
    ///
    /// Each subscription remembers every element that it has sent, until its end.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter predicate: called on the delivering thread. For each new element, it is called with each element
    ///   sent before, until a call returns `true`. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public func distinct(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        let source = self
        return Observable<Element>.deferredUnchecked {
            let memory = Memory<Element>()
            return source.filterUnchecked { try memory.admit($0, unless: predicate) }
        }
    }
}

extension SharedSequence where Element: Hashable {
    /// Drops each element that the current subscription to the source has sent before. See `Observable.distinct()`.
    @inlinable
    public func distinct() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinct())
    }
}

extension SharedSequence where Element: Equatable {
    /// Like `distinct()` for `Hashable` elements.
    @inlinable
    public func distinct() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinct())
    }
}

extension SharedSequence {
    /// Like `Observable.distinct(_:)`.
    @inlinable
    @preconcurrency
    public func distinct(
        _ predicate: @escaping @Sendable (Element) -> Bool
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinct(predicate))
    }
}

@usableFromInline
final class HashedMemory<Element: Hashable> {
    /// Guards: used only by the delivering thread.
    @usableFromInline
    var sent: Set<Element> = []

    @inlinable
    init() {}

    /// Remembers an element. Returns whether it is new.
    @inlinable
    func isNew(_ element: Element) -> Bool {
        // The set is moved out of the property, because hashing and comparing run user code, which may insert other
        // elements.
        var sent = exchange(&self.sent, with: [])
        let isNew = sent.insert(element).inserted
        while !self.sent.isEmpty { sent.formUnion(exchange(&self.sent, with: [])) }
        self.sent = sent
        return isNew
    }
}

@usableFromInline
final class Memory<Element> {
    /// Guards: used only by the delivering thread.
    @usableFromInline
    var sent: [Element] = []

    @inlinable
    init() {}

    /// Remembers `element` and returns true, unless a remembered element satisfies `predicate`.
    @inlinable
    func admit(_ element: Element, unless predicate: (Element) throws -> Bool) rethrows -> Bool {
        var next = 0
        // `predicate` may cause other elements to be added. The loop tests these elements as well.
        while next < sent.count {
            if try predicate(sent[next]) { return false }
            next += 1
        }
        sent.append(element)
        return true
    }
}
