internal import CRxCore

extension ConnectableObservableType {
    /// Connects when the first observer subscribes, and disposes of the connection when the last observer unsubscribes.
    ///
    ///     source:                                   --1--2--3--|
    ///     publish().refCount(), the first observer: --1--2--3--|
    ///     publish().refCount(), a later one:        ---^-2--3--|
    ///
    /// ![The first observer connects; a later one receives only later elements](marble-ref-count)
    ///
    /// The thread that subscribes first connects; the thread that unsubscribes last disconnects. Events are delivered
    /// on the sending thread. A terminal event ends all subscriptions.
    ///
    /// [Pausing](doc:BoundedMemory): a pause does not reach the source, as in ``ObservableType/share(replay:scope:)``.
    ///
    /// ## See Also
    ///
    /// - [refcount on reactivex.io](https://reactivex.io/documentation/operators/refcount.html)
    @inlinable
    @inline(never)
    public func refCount() -> Observable<Element> {
        if let source = self as? ConnectableObservable<Element> { CountedConnectable(source) } else { RefCount(self) }
    }
}

/// The result of `refCount` for a ``ConnectableObservable``.
///
/// An observer is counted before its subscription is made. Otherwise a concurrent unsubscription could see a count of
/// zero and end the connection.
@usableFromInline
final class CountedConnectable<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private let source: ConnectableObservable<Element>
    private let minimum: Int
    private let grace: GracePeriod?

    @usableFromInline
    init(_ source: ConnectableObservable<Element>, minimum: Int = 1, grace: GracePeriod? = nil) {
        self.source = source
        self.minimum = minimum
        self.grace = grace
        super.init { base, context in
            let me = unsafeDowncast(base, to: CountedConnectable<Element>.self)
            let (subject, epoch) = me.source.enter()
            context.lifetime.keep()
            context.afterwards { [lifetime = context.lifetime] in
                me.source.connect(in: epoch, for: lifetime, atLeast: me.minimum)
                lifetime.adopt(me.observer(epoch))
            }
            return subject
        }
    }

    private func observer(_ epoch: Int) -> any Disposable {
        let observers = source.observers
        guard let grace else { return CountedObserver(observers, epoch) }
        nonisolated(unsafe) let period = grace  // any thread may use a scheduler
        return Disposables.create { observers.leave(epoch, period) }
    }
}

@usableFromInline
package typealias GracePeriod = (span: RxTimeInterval, scheduler: any SchedulerType)

extension ConnectableObservable {
    /// For `refCount(after:)` and `refCount(after:disconnectAfter:)` of RxOperators. A connection needs `minimum`
    /// observers to begin, and continues without observers for `grace`.
    package func counted(minimum: Int, grace: GracePeriod? = nil) -> Observable<Element> {
        CountedConnectable(self, minimum: minimum, grace: grace)
    }
}

private final class CountedObserver: Disposable {
    private let observers: Epochs
    private let epoch: Int

    init(_ observers: Epochs, _ epoch: Int) {
        self.observers = observers
        self.epoch = epoch
    }

    func dispose() {
        observers.leave(epoch)
    }
}

/// The result of `refCount` for a connectable class that the program defines. The state of such a class is not
/// accessible, so an observer that subscribes while a connection ends may be counted for the wrong connection.
///
/// A *member* is one observer.
///
/// Guards: the lock of `state` protects `state` and the epoch of each member, which shows whether the member's
/// connection is still current.
@usableFromInline
final class RefCount<Source: ConnectableObservableType>: Observable<Source.Element>, @unchecked Sendable {
    private struct State {
        var count = 0
        var epoch = 0
        var isConnected = false
        var connection: (any Disposable)?

        mutating func enter(_ member: RefCountMember<Source>) {
            count += 1
            member.epoch = epoch
        }

        mutating func end() -> (any Disposable)? {
            count = 0
            epoch += 1
            isConnected = false
            return connection.take()
        }
    }

    @usableFromInline
    let source: Source
    private let state = Locked(State())

    @inlinable
    init(_ source: Source) {
        self.source = source
        super.init { base, context in
            let me = unsafeDowncast(base, to: RefCount<Source>.self)
            let member = me.enter()
            context.top = RefCountSink(context.takeTop(for: Source.Element.self), member)
            context.lifetime.keep()
            context.afterwards { [lifetime = context.lifetime] in me.settle(member, lifetime) }
            return me.source.asObservable()
        }
    }

    @usableFromInline
    func enter() -> RefCountMember<Source> {
        let member = RefCountMember(self)
        state.withLock { $0.enter(member) }
        return member
    }

    @usableFromInline
    func settle(_ member: RefCountMember<Source>, _ lifetime: ChainLifetime) {
        if crx_lifetime_is_over(crx_lifetime_word(lifetime.chain)) {
            return member.dispose()
        }
        let epoch: Int? = state.withLock { state in
            // If the member's connection has ended, the member is counted for the next one.
            if member.epoch != state.epoch { state.enter(member) }
            if state.isConnected { return nil }
            state.isConnected = true
            return state.epoch
        }
        if let epoch {
            let connection = source.connect()
            let isStale = state.withLock { state in
                guard state.epoch == epoch else { return true }
                state.connection = connection
                return false
            }
            if isStale { connection.dispose() }
        }
        lifetime.adopt(member)
    }

    fileprivate func leave(_ member: RefCountMember<Source>) {
        let connection = state.withLock { state -> (any Disposable)? in
            guard state.epoch == member.epoch else { return nil }
            if state.count == 1 { return state.end() }
            state.count -= 1
            return nil
        }
        connection?.dispose()
    }

    fileprivate func end(_ member: RefCountMember<Source>) -> (any Disposable)? {
        state.withLock { $0.epoch == member.epoch ? $0.end() : nil }
    }
}

@usableFromInline
final class RefCountMember<Source: ConnectableObservableType>: Disposable {
    fileprivate let parent: RefCount<Source>
    fileprivate var epoch = 0

    fileprivate init(_ parent: RefCount<Source>) {
        self.parent = parent
    }

    @usableFromInline
    func dispose() {
        parent.leave(self)
    }
}

@usableFromInline
final class RefCountSink<Source: ConnectableObservableType>: Stage<Source.Element, Source.Element> {
    private let member: RefCountMember<Source>

    @inlinable
    convenience init(_ down: Sink<Source.Element>, _ member: RefCountMember<Source>) {
        self.init(down, member) { base, element in unsafeDowncast(base, to: RefCountSink<Source>.self).deliver(element)
        }
    }

    @usableFromInline
    init(_ down: Sink<Source.Element>, _ member: RefCountMember<Source>, push: @escaping Push) {
        self.member = member
        super.init(down: down, push: push)
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        let connection = member.parent.end(member)
        super.end(error)
        connection?.dispose()
    }
}
