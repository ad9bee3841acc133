public import CRxCore

/// The part of a subject's core that does not depend on the type of its elements: a gate, and the bag of observers.
///
/// The program's subject is a *handle* of the core. Subscriptions retain only the core. When the handle is freed, the
/// core releases all observers, except those of chains with a teardown.
///
/// Guards:
/// - `word`: as documented in `crx_gate.h` and `crx_bag.h`.
/// - `error`, `lateEnd` and the state that subclasses store for new observers: protected by the bag's lock. An old
///   value is released after unlocking.
/// - Only the thread that owns the gate delivers events, except to a new observer whose snapshot is still being
///   delivered (claim 6 of `crx_bag.h`).
@usableFromInline
class SubjectBase: GateGuarded, Upstream {
    // The first stored property, because `subject` is computed from the object's address.
    @usableFromInline
    var word = crx_subject()

    /// The error that ended the subject; nil if the subject completed. Valid if the bag's `stop` is
    /// `CRX_STOP_TERMINAL` and `gone` is false.
    fileprivate final var error: (any Error)?

    /// The first terminal event after the disposal, if any. `PublishSubject` sends it to later observers.
    fileprivate final var lateEnd: Event<Never>?

    private final let isCounted = Resources.checkIn()

    /// Whether a new observer receives a snapshot even before the end. If false, ``snapshotLocked(hasEnded:)`` is
    /// called only after the end.
    fileprivate final let owesSnapshot: Bool

    @usableFromInline
    init(owesSnapshot: Bool = false) {
        self.owesSnapshot = owesSnapshot
        crx_subject_init(subject) { sink in
            SinkBase.release(.fromOpaque(sink))
        }
    }

    deinit {
        if !crx_gate_is_closed_acquire(gate) { crx_subject_free_unshared(subject) }
        Resources.checkOut(isCounted)
    }

    @inlinable
    final var subject: UnsafeMutablePointer<crx_subject> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_subject.self)
    }

    @inlinable
    final var gate: UnsafeMutablePointer<crx_gate> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_gate.self)
    }

    @inlinable
    final var guarded: any GateGuarded { self }

    @inlinable
    @inline(__always)
    final var observers: UnsafeMutablePointer<crx_bag> { crx_subject_bag(subject) }

    fileprivate func attachReplaying(_ sink: SinkBase, _ place: NodePlace, _ handle: AnyObject, _ feed: Feed) {
        abstractMethod()
    }

    // MARK: Observers, from any thread

    /// Memory for one node, in an object that the node's sink retains.
    typealias NodePlace = UnsafeMutablePointer<crx_node>

    /// A function that makes the subject the source of a chain. Its argument is the node of the chain in the bag.
    typealias Feed = (UnsafeMutablePointer<crx_node>) -> Void

    /// The function that every subject stores in ``ObservableBase/join``.
    @usableFromInline
    static func join(_ subject: ObservableBase, _ context: inout SubscribeContext) -> ObservableBase? {
        subject.subjectCore?.use { $0.attach(&context, handle: subject) }
        return nil
    }

    /// Makes the subject the source of the chain in `context`. A disposal of the chain calls `upstream`, by default
    /// this core. If the subject sends ``RxError/disposed(object:)``, the object is `handle`.
    @usableFromInline
    final func attach(_ context: inout SubscribeContext, handle: AnyObject, via upstream: (any Upstream)? = nil) {
        let (sink, lifetime) = (context.takeTop(), context.unretainedLifetime)
        attach(sink, lifetime._withUnsafeGuaranteedRef { $0.nodePlace }, handle) { node in
            lifetime._withUnsafeGuaranteedRef { $0.feed(from: upstream ?? self, key: node) }
        }
    }

    /// Inserts a node for `sink` and calls `feed` with the node. If the subject has ended or been disposed of, sends
    /// the end to the sink instead.
    @inline(__always)
    final func attach(_ sink: consuming SinkBase, _ place: NodePlace, _ handle: AnyObject, feed: Feed) {
        let sink = Unmanaged.passRetained(consume sink)
        crx_bag_lock_with_room(subject)
        if owesSnapshot || crx_bag_is_gone_locked(observers) || crx_bag_stop_locked(observers) != 0 {
            unlock()
            attachReplaying(sink.takeRetainedValue(), place, handle, feed)
        } else {
            feed(insertLocked(sink, place, 0, false))
        }
    }

    /// Whether ``place(_:_:)`` may be called: no snapshot is needed, and no resources are counted.
    @inline(__always)
    final var placesObservers: Bool { !owesSnapshot && !Resources.isTracing }

    /// Makes `place` the node of `sink`, and retains the sink for the node. The sink must retain the memory of `place`,
    /// and no other thread may have a reference to the sink. If the subject has ended or been disposed of, returns
    /// false and retains nothing.
    @inline(__always)
    final func place(_ sink: SinkBase, _ place: NodePlace) -> Bool {
        let sink = Unmanaged.passRetained(sink)
        if crx_bag_place(subject, place, sink.toOpaque()) { return true }
        sink.release()
        return false
    }

    /// Inserts a node for `sink`, which retains `place`; the node takes over the reference to the sink. The caller
    /// holds the bag's lock; this function releases it.
    @inline(__always)
    fileprivate final func insertLocked(
        _ sink: Unmanaged<SinkBase>, _ place: NodePlace, _ opener: UInt, _ isOpening: Bool
    ) -> UnsafeMutablePointer<crx_node> {
        let node = crx_bag_insert_locked(subject, place, sink.toOpaque(), opener, isOpening)
        unlock()
        return node
    }

    @usableFromInline
    final func dispose(key: UnsafeMutableRawPointer?) {
        if let key { crx_bag_remove(subject, key.assumingMemoryBound(to: crx_node.self)) }
    }

    @usableFromInline
    final func release() {
        crx_subject_tear_down(subject)
    }

    /// Moves the retired nodes to `debris`. If nothing waits at the gate, leaves the gate. Otherwise frees some of the
    /// nodes. The owner of the gate may be reading the bag. So while there is an owner, the removal of an observer does
    /// not free its node.
    @usableFromInline
    final func tidyUp(_ me: UInt, _ debris: inout crx_debris) -> Bool {
        crx_subject_tidy_owner(subject, me, &debris)
    }

    @usableFromInline
    final func free(_ debris: crx_debris) {
        crx_bag_free(observers, debris)
    }

    // MARK: The handle

    /// Acquires the bag's lock, under which no user code may be called.
    @inlinable
    @inline(__always)
    final func lock() { crx_bag_lock(observers) }

    @inlinable
    @inline(__always)
    final func unlock() { crx_bag_unlock(observers) }

    @inlinable
    @inline(__always)
    final func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    @usableFromInline
    final var isDisposed: Bool { locked { crx_bag_is_gone_locked(observers) } }

    @usableFromInline
    final var hasObservers: Bool {
        locked { crx_bag_stop_locked(observers) == CRX_STOP_NONE && crx_bag_living_locked(observers) > 0 }
    }

    @inlinable
    final var hasEndedLocked: Bool { crx_bag_stop_locked(observers) != CRX_STOP_NONE }

    final var errorLocked: (any Error)? { crx_bag_stop_locked(observers) == CRX_STOP_TERMINAL ? error : nil }

    /// Returns the result of `body`, which runs under the bag's lock.
    ///
    /// - Throws: the error that ended the subject, or ``RxError/disposed(object:)`` with `handle`.
    final func read<Result>(of handle: AnyObject, _ body: () -> Result) throws -> Result {
        assert(isControlPoint("value"))
        return try locked {
            if crx_bag_is_gone_locked(observers) { throw RxError.disposed(object: handle) }
            if let error = errorLocked { throw error }
            return body()
        }
    }

    /// Returns whether the subject has ended or been disposed of. After a disposal, also stores the first terminal
    /// event.
    @usableFromInline
    final func noteLateEnd(_ error: (any Error)?) -> Bool {
        guard crx_gate_is_closed_acquire(gate) else { return false }
        locked {
            if crx_bag_is_gone_locked(observers), lateEnd == nil { lateEnd = Event(end: error) }
        }
        return true
    }

    /// The subject's type: `PublishSubject<Int>` for a `PublishCore<Int>`.
    @usableFromInline
    final var sourceName: String {
        let parts = "\(type(of: self))".split(separator: "Core", maxSplits: 1)
        return parts.joined(separator: "Subject")
    }

    /// Closes the gate, and tears down the core if the gate has no owner.
    fileprivate final func close() {
        if crx_gate_close(gate) { release() }
    }

    /// Called while a handle is freed. If there are other references to the core, closes the core. Otherwise the core
    /// is freed as well.
    @usableFromInline
    static func handleIsGone(_ core: Unmanaged<SubjectBase>) {
        // The check needs an owned reference. So `its` takes over the handle's reference, and the last line gives the
        // reference back.
        var its: SubjectBase? = core.takeRetainedValue()
        if !isKnownUniquelyReferenced(&its) { its.unsafelyUnwrapped.close() }
        if let its { _ = Unmanaged.passRetained(its) }
    }
}

extension GateTarget where Self: SubjectBase {
    @inlinable
    @inline(__always)
    func enter(event: Event<Element>) {
        assert(isControlPoint("push"))
        switch event {
        case .next(let element): enter(element)
        case .error(let error): enterEnd(error)
        case .completed: enterEnd(nil)
        }
    }

    @inlinable
    static var holdsGate: Bool { true }
}

package enum SubjectReadiness {
    case open
    case unobserved
    /// An observer has no room, or many events wait at the gate.
    case full
    case ended
}

extension SubjectBase {
    /// Whether the subject has room for a push. Reading this property marks the observers' chains as pausable. A
    /// boundary downstream then accepts some elements beyond its bound, because several threads may send after they
    /// have read `open`.
    final var readiness: SubjectReadiness {
        locked {
            if crx_bag_is_gone_locked(observers) || hasEndedLocked { return .ended }
            if crx_bag_living_locked(observers) == 0 { return .unobserved }
            let walk = crx_bag_walk_locked(observers)
            var isFull = crx_gate_is_crowded_relaxed(gate)
            for index in 0..<walk.count {
                guard let chunk = walk.chunk, let node = crx_chunk_slot_acquire(chunk, index) else { continue }
                // The node retains its sink until the node is cut. A cut requires the lock, which this thread holds.
                Unmanaged<SinkBase>.fromOpaque(crx_node_sink(node))._withUnsafeGuaranteedRef {
                    if !$0.hasRoomForPush() { isFull = true }
                }
            }
            return isFull ? .full : .open
        }
    }
}

/// The part of a subject's core that depends on the type of its elements.
@usableFromInline
class SubjectCore<Element>: SubjectBase {
    // MARK: Overridden by subclasses

    /// Returns copies of the elements for a new observer. Called under the bag's lock, so it must not call user code.
    @usableFromInline
    func snapshotLocked(hasEnded: Bool) -> Snapshot<Element> { .none }

    /// Called when the subject ends. After a completion, returns the element to send before the end, or nil. After an
    /// error, removes and returns the stored element. The caller releases the element after unlocking.
    ///
    /// - Parameter error: nil after a completion.
    @usableFromInline
    func endLocked(_ error: (any Error)?) -> Element? { nil }

    // MARK: Events, by the owner

    @inlinable
    @inline(__always)
    final func deliver(_ element: Element) {
        deliver(element, to: crx_bag_walk_acquire(observers))
    }

    /// Runs `change` under the bag's lock, then delivers `element` to the observers that the bag held at that time. The
    /// element that `change` returns is released after unlocking. Does nothing after the end.
    @inlinable
    @inline(__always)
    final func deliver(_ element: Element, storing change: () -> Element?) {
        lock()
        guard !hasEndedLocked else { return unlock() }
        deliverUnlocking(element, storing: change)
    }

    /// Like `deliver(_:storing:)`. The caller holds the bag's lock; this function releases it. The subject must not
    /// have ended.
    @inlinable
    @inline(__always)
    final func deliverUnlocking(_ element: Element, storing change: () -> Element?) {
        let replaced = change()
        let walk = crx_bag_walk_locked(observers)
        unlock()
        withExtendedLifetime(replaced) {}
        deliver(element, to: walk)
    }

    /// Runs `change` under the bag's lock. The element that `change` returns is released after unlocking. Does nothing
    /// after the end.
    final func store(_ change: () -> Element?) {
        withExtendedLifetime(locked { hasEndedLocked ? nil : change() }) {}
    }

    /// Delivers an element to the observers of `walk`, in order of subscription.
    @inlinable
    @inline(__always)
    final func deliver(_ element: Element, to walk: crx_walk) {
        guard let chunk = walk.chunk else { return }
        var index = 0
        while index < walk.count {
            if let node = crx_chunk_slot_acquire(chunk, index) {
                if index > 0, crx_gate_is_closed_acquire(gate) { return }
                let state = crx_node_state_acquire(node)
                if state == 0 {
                    Unmanaged<Sink<Element>>.fromOpaque(crx_node_sink(node))._withUnsafeGuaranteedRef {
                        $0.push($0, element)
                    }
                } else {
                    meet(node, next: element)
                }
            }
            index += 1
        }
    }

    // If this function were inlined, unspecialised code would look up the event's type on each entry to `deliver`.
    @inlinable
    @inline(never)
    final func meet(_ node: UnsafeMutablePointer<crx_node>, next element: Element) {
        meet(node, .next(element))
    }

    @usableFromInline
    final func ended(_ error: (any Error)?) {
        var walk = crx_walk()
        lock()
        guard crx_bag_end_locked(observers, &walk) else {
            unlock()
            return
        }
        self.error = error
        let last = endLocked(error)
        unlock()
        _ = crx_gate_close(gate)
        if error == nil, let last {
            deliverLast(to: walk, { $0.push($0, last) }, asEvent: { .next(last) })
        }
        withExtendedLifetime(last) {}
        deliverLast(to: walk, { $0.end(error) }, asEvent: { Event(end: error) })
    }

    /// Releases all observers without a terminal event.
    ///
    /// - Parameter forget: removes and returns the stored elements. Runs under the bag's lock. The elements are
    ///   released after unlocking.
    final func dispose<Forgotten>(_ forget: () -> Forgotten = {}) {
        lock()
        crx_bag_dispose_locked(observers)
        let forgotten = (forget(), error.take())
        unlock()
        withExtendedLifetime(forgotten) {}
        close()
    }

    /// Delivers the terminal event, or the last element before it, to the observers of `walk`, even though the gate is
    /// closing.
    private final func deliverLast(
        to walk: crx_walk, _ deliver: (Sink<Element>) -> Void, asEvent event: () -> Event<Element>
    ) {
        guard let chunk = walk.chunk else { return }
        for index in 0..<walk.count {
            guard let node = crx_chunk_slot_acquire(chunk, index) else { continue }
            if crx_node_state_acquire(node) == 0 {
                Unmanaged<Sink<Element>>.fromOpaque(crx_node_sink(node))._withUnsafeGuaranteedRef(deliver)
            } else {
                meet(node, event())
            }
        }
    }

    /// Handles an event for a node that is dead, or whose snapshot or queued events are still being delivered. Skips a
    /// dead node; otherwise queues the event at the node. Exception: if this thread is already delivering a queued
    /// event or a one-element snapshot to the node, and no other event is queued there, this thread delivers the new
    /// event at once.
    @usableFromInline
    final func meet(_ node: UnsafeMutablePointer<crx_node>, _ event: Event<Element>) {
        let me = crx_thread_self()
        switch crx_opening_meet_owner(subject, node, me, nil) {
        case CRX_MEET_DELIVER: Self.deliver(event, to: node)
        case CRX_MEET_BRING_ITEM:
            let item = QueuedEvent.make(event)
            switch crx_opening_meet_owner(subject, node, me, item) {
            case CRX_MEET_DELIVER:
                _ = QueuedEvent<Element>.take(item)
                Self.deliver(event, to: node)
            case CRX_MEET_SKIP: _ = QueuedEvent<Element>.take(item)
            default: break
            }
        default: break
        }
    }

    private static func deliver(_ event: Event<Element>, to node: UnsafeMutablePointer<crx_node>) {
        Unmanaged<Sink<Element>>.fromOpaque(crx_node_sink(node))._withUnsafeGuaranteedRef { sink in
            switch event {
            case .next(let element): sink.push(sink, element)
            case .error(let error): sink.end(error)
            case .completed: sink.end(nil)
            }
        }
    }

    // MARK: Observers, from any thread

    /// Attaches an observer that receives the end, a snapshot, or both.
    fileprivate final override func attachReplaying(
        _ base: SinkBase, _ place: NodePlace, _ handle: AnyObject, _ feed: Feed
    ) {
        let sink = unsafeDowncast(base, to: Sink<Element>.self)
        crx_bag_lock_with_room(subject)
        if crx_bag_is_gone_locked(observers) {
            let end = lateEnd
            unlock()
            sink.end(end.map(\.error) ?? RxError.disposed(object: handle))
        } else if crx_bag_stop_locked(observers) != 0 {
            let (snapshot, error) = (snapshotLocked(hasEnded: true), error)
            unlock()
            snapshot.deliver(to: sink)
            sink.end(error)
        } else {
            let snapshot = snapshotLocked(hasEnded: false)
            let (isOpening, opener) = (!snapshot.isEmpty, snapshot.isAtMostOne ? crx_thread_self() : 0)
            let node = insertLocked(.passRetained(sink), place, opener, isOpening)
            feed(node)
            if isOpening { open(node, snapshot, sink) }
        }
    }

    /// Delivers the snapshot, then the events that were queued at the node. If the gate is contended, the owner of the
    /// gate delivers the queued events.
    private func open(_ node: UnsafeMutablePointer<crx_node>, _ snapshot: Snapshot<Element>, _ sink: Sink<Element>) {
        snapshot.forEach { element in
            guard crx_opening_goes_on(subject, node) else { return false }
            sink.push(sink, element)
            return true
        }
        var dropped: UnsafeMutablePointer<crx_input>?
        switch crx_opening_finish(subject, node, &dropped) {
        case CRX_FINISH_SUBMIT:
            let me = crx_thread_self()
            let entry = crx_gate_enter_acquire(gate, me)
            if entry == CRX_CONTENDED {
                leaveOpen(node, me)
            } else {
                open(node)
                if entry == CRX_ENTERED, !crx_gate_exit_release_owner(gate, me) { drain(gate, me, self) }
            }
        default: if dropped != nil { QueuedEvent<Element>.drop(dropped) }
        }
    }

    /// Asks the owner of the gate to deliver the events that are queued at the node. If the gate closes, the thread
    /// that drops the gate's queue delivers them. The request does not retain the subject: while the request waits, a
    /// thread owns the gate, and that thread's call retains the subject.
    private func leaveOpen(_ node: UnsafeMutablePointer<crx_node>, _ me: UInt) {
        QueuedInput.enqueue(
            QueuedInput(Unmanaged.passUnretained(self), node) { waiting, _ in
                let (core, node) = QueuedInput<Unmanaged<SubjectCore<Element>>, UnsafeMutablePointer<crx_node>>.take(
                    waiting)
                core._withUnsafeGuaranteedRef { $0.open(node) }
            }, gate, me, self)
    }

    /// Delivers the events that are queued at the node.
    private func open(_ node: UnsafeMutablePointer<crx_node>) {
        let me = crx_thread_self()
        while true {
            var item: UnsafeMutablePointer<crx_input>?
            switch crx_opening_next_owner(subject, node, me, &item) {
            case CRX_OPENING_ITEM: Self.deliver(QueuedEvent<Element>.take(item!), to: node)
            default: return QueuedEvent<Element>.drop(item)
            }
        }
    }
}

/// The core of a subject that only broadcasts, and of a share without replay.
@usableFromInline
final class PublishCore<Element>: SubjectCore<Element>, GateTarget {
    @inlinable
    @inline(__always)
    func step(_ element: Element) {
        deliver(element)
    }

    @usableFromInline
    func enterEndOrNote(_ error: (any Error)?) {
        if !noteLateEnd(error) { enterEnd(error) }
    }
}

/// The core of a subject that sends a snapshot to new observers.
@usableFromInline
class ReplayingCore<Element>: SubjectCore<Element> {
    @usableFromInline
    init() {
        super.init(owesSnapshot: true)
    }
}

/// The elements that a new observer receives first.
@usableFromInline
enum Snapshot<Element> {
    case none
    case one(Element)
    case many([Element])

    var isEmpty: Bool {
        switch self {
        case .none: true
        case .one: false
        case .many(let elements): elements.isEmpty
        }
    }

    var isAtMostOne: Bool {
        if case .many(let elements) = self { elements.count <= 1 } else { true }
    }

    /// Sends the elements to `sink`, to which no other thread may deliver during the call.
    func deliver(to sink: Sink<Element>) {
        forEach { element in
            guard sink.isLive else { return false }
            sink.push(sink, element)
            return true
        }
    }

    func forEach(_ body: (Element) -> Bool) {
        switch self {
        case .none: break
        case .one(let element): _ = body(element)
        case .many(let elements): for element in elements where !body(element) { return }
        }
    }
}

/// An event that waits at a node until the node's snapshot and earlier events have been delivered.
private struct QueuedEvent<Element> {
    // The first stored property, because the node links events by the addresses of their `link`.
    var link = crx_input()
    let event: Event<Element>

    static func make(_ event: Event<Element>) -> UnsafeMutablePointer<crx_input> {
        let memory = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        memory.initialize(to: Self(event: event))
        return UnsafeMutableRawPointer(memory).assumingMemoryBound(to: crx_input.self)
    }

    static func take(_ item: UnsafeMutablePointer<crx_input>) -> Event<Element> {
        let memory = UnsafeMutableRawPointer(item).assumingMemoryBound(to: Self.self)
        let value = memory.move()
        memory.deallocate()
        return value.event
    }

    static func drop(_ list: UnsafeMutablePointer<crx_input>?) {
        var item = list
        while let current = item {
            item = current.pointee.next
            _ = take(current)
        }
    }
}
