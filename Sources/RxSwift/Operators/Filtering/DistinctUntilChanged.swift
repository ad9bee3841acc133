extension ObservableType where Element: Equatable {
    /// Leaves out each element that equals the one before it.
    ///
    ///     source:                 --1--1--2--1--|
    ///     distinctUntilChanged(): --1-----2--1--|
    @inlinable
    @inline(never)
    public __consuming func distinctUntilChanged() -> Observable<Element> {
        DistinctProducer(asObservable())
    }
}

extension ObservableType {
    /// Leaves out each element whose value at `keyPath` equals that of the last element let through.
    ///
    /// - Parameter keyPath: what is compared.
    @inlinable
    @inline(never)
    public __consuming func distinctUntilChanged(at keyPath: KeyPath<Element, some Equatable>) -> Observable<Element> {
        DistinctByKeyProducer(asObservable(), { $0[keyPath: keyPath] }, ==)
    }

    /// Leaves out each element whose key equals that of the last element let through.
    ///
    /// - Parameter keySelector: called with each element, on the thread that delivers it. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func distinctUntilChanged(_ keySelector: @escaping (Element) throws -> some Equatable) -> Observable<Element> {
        DistinctByKeyProducer(asObservable(), keySelector, ==)
    }

    /// Leaves out each element that `comparer` finds equal to the last element let through.
    ///
    /// - Parameter comparer: called with the last element let through and each new one, on the thread that delivers it. An error it throws
    ///   ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func distinctUntilChanged(_ comparer: @escaping (Element, Element) throws -> Bool) -> Observable<Element> {
        DistinctByKeyProducer(asObservable(), { $0 }, comparer)
    }

    /// Leaves out each element whose key `comparer` finds equal to that of the last element let through.
    ///
    /// - Parameters:
    ///   - keySelector: called with each element, on the thread that delivers it. An error it throws ends the sequence.
    ///   - comparer: called with the last key let through and each new one. An error it throws ends the sequence.
    @inlinable
    @inline(never)
    public __consuming func distinctUntilChanged<K>(
        _ keySelector: @escaping (Element) throws -> K, comparer: @escaping (K, K) throws -> Bool
    ) -> Observable<Element> {
        DistinctByKeyProducer(asObservable(), keySelector, comparer)
    }
}

@usableFromInline
final class DistinctProducer<Element: Equatable>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>

    @inlinable
    init(_ source: Observable<Element>) {
        self.source = source
        super.init { base, assembly in
            assembly.sink = DistinctSink(assembly.sink(of: Element.self))
            return .passUnretained(unsafeDowncast(base, to: DistinctProducer<Element>.self).source)
        }
    }
}

@usableFromInline
final class DistinctSink<Element: Equatable>: Stage<Element, Element> {
    /// The last element let through. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var last: Element?

    @inlinable
    init(_ down: Sink<Element>) {
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: DistinctSink<Element>.self)
            // The element's `==` is the user's.
            guard me.isLive else { return }
            if let last = me.last, last == element { return }
            // Released after the change: its `deinit` may come back to here.
            withExtendedLifetime(exchange(&me.last, with: element)) {}
            me.deliver(element)
        }
    }
}

@usableFromInline
final class DistinctByKeyProducer<Element, Key>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let keySelector: (Element) throws -> Key
    @usableFromInline
    let comparer: (Key, Key) throws -> Bool

    @inlinable
    init(
        _ source: Observable<Element>, _ keySelector: @escaping (Element) throws -> Key,
        _ comparer: @escaping (Key, Key) throws -> Bool
    ) {
        self.source = source
        self.keySelector = keySelector
        self.comparer = comparer
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: DistinctByKeyProducer<Element, Key>.self)
            assembly.sink = DistinctByKeySink(assembly.sink(of: Element.self), me.keySelector, me.comparer)
            return .passUnretained(me.source)
        }
    }
}

@usableFromInline
final class DistinctByKeySink<Element, Key>: Stage<Element, Element> {
    /// The key of the last element let through. Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var last: Key?
    @usableFromInline
    let keySelector: (Element) throws -> Key
    @usableFromInline
    let comparer: (Key, Key) throws -> Bool

    @inlinable
    init(_ down: Sink<Element>, _ keySelector: @escaping (Element) throws -> Key, _ comparer: @escaping (Key, Key) throws -> Bool) {
        self.keySelector = keySelector
        self.comparer = comparer
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: DistinctByKeySink<Element, Key>.self)
            guard me.isLive else { return }
            do {
                let key = try me.keySelector(element)
                guard me.isLive else { return }
                if let last = me.last, try me.comparer(last, key) { return }
                // Released after the change: its `deinit` may come back to here.
                withExtendedLifetime(exchange(&me.last, with: key)) {}
                me.deliver(element)
            } catch {
                me.end(error)
            }
        }
    }
}
