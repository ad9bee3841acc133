import RxCocoa
import RxSwift

extension Observable where Element: Hashable {
    /// Leaves out each element that has been sent before.
    ///
    ///     source:     --1--2--1--3--2--|
    ///     distinct(): --1--2-----3-----|
    ///
    /// ![No element for a second time](marble-distinct)
    ///
    /// Each subscription remembers on its own, unlike in RxSwiftExt, where what one observer has seen is kept from the
    /// next. It remembers every element sent until it ends.
    ///
    /// Elements are compared on the thread on which they come, and stay there; an error is handed on. What is pushed
    /// into the source while an element is hashed is remembered, but judged without what was sent before it.
    ///
    /// Pausing: the source pauses with what is below.
    ///
    /// ## See Also
    ///
    /// - [distinct on reactivex.io](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    @inline(never)
    public func distinct() -> Observable<Element> {
        let source = self
        let subscribe = unchecked {
            let memory = HashedMemory<Element>()
            return source.filter(unchecked { memory.isNew($0) })
        }
        return Observable<Element>.deferred(subscribe)
    }
}

extension Observable where Element: Equatable {
    /// Leaves out each element that has been sent before.
    ///
    /// As for elements that are `Hashable`, but each one is compared with all that have been sent.
    ///
    /// An error is handed on, and elements stay on the thread on which they come. See `Observable.distinct()` of
    /// elements that are `Hashable`.
    @inlinable
    @inline(never)
    public func distinct() -> Observable<Element> {
        let source = self
        let subscribe = unchecked {
            let memory = Memory<Element>()
            return source.filter(unchecked { element in memory.admit(element, unless: { $0 == element }) })
        }
        return Observable<Element>.deferred(subscribe)
    }
}

extension Observable {
    /// Sends the elements up to the first that satisfies `predicate`, and none after it.
    ///
    ///     source:              --1--2--3--4--|
    ///     distinct { $0 > 1 }: --1--2--------|
    ///
    /// ![Elements up to the first that satisfies the predicate, and it](marble-distinct-predicate)
    ///
    /// This is RxSwiftExt's rule, in spite of the name: an element is left out when one that was sent before satisfies
    /// `predicate`, whatever it is itself. To compare elements by a key, use `distinctUntilChanged(_:)`, or
    /// `distinct()` on the keys.
    ///
    /// Each subscription remembers on its own. It remembers every element sent until it ends.
    ///
    /// Pausing: the source pauses with what is below.
    ///
    /// - Parameter predicate: called for each element with those sent before, on the thread that delivers it. An error
    ///   it throws ends the sequence.
    @inlinable
    @inline(never)
    @preconcurrency
    public func distinct(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        let source = self
        let subscribe = unchecked {
            let memory = Memory<Element>()
            return source.filter(unchecked { try memory.admit($0, unless: predicate) })
        }
        return Observable<Element>.deferred(subscribe)
    }
}

extension SharedSequence where Element: Hashable {
    /// Leaves out each element that has been sent before, since the sequence was last subscribed to its source.
    ///
    /// As `Observable.distinct()`, and shared again.
    @inlinable
    public func distinct() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinct())
    }
}

extension SharedSequence where Element: Equatable {
    /// Leaves out each element that has been sent before, since the sequence was last subscribed to its source.
    ///
    /// As `Observable.distinct()`, and shared again.
    @inlinable
    public func distinct() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().distinct())
    }
}

extension SharedSequence {
    /// Sends the elements up to the first that satisfies `predicate`, and none after it.
    ///
    /// As `Observable.distinct(_:)`, and shared again.
    ///
    /// - Parameter predicate: called for each element with those sent before.
    @inlinable
    @preconcurrency
    public func distinct(_ predicate: @escaping @Sendable (Element) -> Bool) -> SharedSequence<SharingStrategy, Element>
    {
        SharedSequence(asObservable().distinct(predicate))
    }
}

/// The elements that one subscription has sent.
@usableFromInline
final class HashedMemory<Element: Hashable> {
    /// Guarded by the gate above.
    @usableFromInline
    var sent: Set<Element> = []

    @inlinable
    init() {}

    /// Remembers an element; false where it is remembered already.
    @inlinable
    func isNew(_ element: Element) -> Bool {
        // Moved out, because hashing and comparing are the user's, who may come back to here and insert others.
        var sent = exchange(&self.sent, with: [])
        let isNew = sent.insert(element).inserted
        while !self.sent.isEmpty { sent.formUnion(exchange(&self.sent, with: [])) }
        self.sent = sent
        return isNew
    }
}

/// The elements that one subscription has sent.
@usableFromInline
final class Memory<Element> {
    /// Guarded by the gate above.
    @usableFromInline
    var sent: [Element] = []

    @inlinable
    init() {}

    /// Remembers an element, unless one that is remembered satisfies `predicate`.
    @inlinable
    func admit(_ element: Element, unless predicate: (Element) throws -> Bool) rethrows -> Bool {
        var next = 0
        // The predicate may come back to here and add others, which are asked about as well.
        while next < sent.count {
            if try predicate(sent[next]) { return false }
            next += 1
        }
        sent.append(element)
        return true
    }
}
