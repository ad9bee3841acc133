public import CRxCore

// The Swift side of the delivery gate. `crx_gate.h` describes and proves the protocol.

/// An object that receives inputs through a gate, such as the core of a subject, or an ``InnerObserver`` of a
/// ``Coordinator``.
///
/// The *gate* is a lock-free queue that serializes inputs. A thread that enters a free gate owns it until no input
/// waits; other threads enqueue their inputs. Only the thread that owns the gate calls `step` and `ended`, one call at
/// a time, except for nested calls from inside a delivery.
@usableFromInline
protocol GateTarget: AnyObject {
    associatedtype Element

    /// The gate. Its address is stable while the target lives.
    var gate: UnsafeMutablePointer<crx_gate> { get }
    var guarded: any GateGuarded { get }

    var isWanted: Bool { get }
    /// Whether an input that is pushed from inside a delivery may be handled at once instead of being enqueued.
    var mayNest: Bool { get }
    func step(_ element: Element)
    func ended(_ error: (any Error)?)

    func handle(_ event: Event<Element>)
    /// Enqueues an event for the thread that owns the gate. If no thread owns the gate any more, this thread handles
    /// the queue.
    func enqueue(_ event: Event<Element>, _ me: UInt)
    /// Called before an event is enqueued.
    func eventWaits()
    /// Called by the owner of the gate after it has handled or dropped an enqueued event.
    func eventHasWaited()

    /// Whether several targets push into the gate, such as the inner observers of a ``Coordinator``.
    static var sharesGate: Bool { get }

    /// Whether the gate is stored in the target. If so, an enqueued event does not retain the target: if it did,
    /// pushing threads would contend for the reference count. While an event waits, a thread owns the gate, and the
    /// call of that thread retains the target.
    static var holdsGate: Bool { get }
}

@usableFromInline
protocol GateGuarded: AnyObject {
    /// Frees the state that the gate guards. Called once, after the gate has closed.
    func release()
    /// Does the work requested with `crx_gate_tell_owner`. Adds memory to `debris`. The caller must free that memory
    /// after leaving the gate. Returns whether this function has left the gate.
    func tidyUp(_ me: UInt, _ debris: inout crx_debris) -> Bool
    func free(_ debris: crx_debris)
}

extension GateGuarded {
    @usableFromInline
    func tidyUp(_ me: UInt, _ debris: inout crx_debris) -> Bool { false }

    @usableFromInline
    func free(_ debris: crx_debris) {}
}

extension GateTarget {
    @inlinable
    @inline(__always)
    var isWanted: Bool { true }

    @inlinable
    @inline(__always)
    var mayNest: Bool { true }

    /// The target's address, which identifies the target as a source of the gate's inputs.
    @inlinable
    @inline(__always)
    var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    @inlinable
    @inline(__always)
    func enter(_ element: Element) {
        let me = crx_thread_self()
        let entry = crx_gate_enter_acquire(gate, me)
        // One condition, so that the inlined step appears only once in the code.
        if entry == CRX_ENTERED
            || (entry == CRX_NESTED && mayNest && !crx_gate_nested_waits_owner(gate, me, identity, false))
        {
            if entry == CRX_NESTED { Nesting.begin(self) }
            if isWanted { step(element) }
            if entry == CRX_ENTERED { exit(me) } else { Nesting.end() }
        } else if entry != CRX_CLOSED {
            enqueueNext(element, me)
        }
    }

    @usableFromInline
    @inline(__always)
    func enterEnd(_ error: (any Error)?) {
        perform(gate, guarded, source: identity, mayNest: mayNest) {
            ended(error)
        } enqueue: { me in
            enqueueEnd(error, me)
        }
    }

    // A separate function, because unspecialised code looks up the type `Event<Element>` on entry.
    @inlinable
    @inline(never)
    func enqueueNext(_ element: Element, _ me: UInt) {
        if isWanted { enqueue(.next(element), me) }
    }

    @inline(never)
    func enqueueEnd(_ error: (any Error)?, _ me: UInt) {
        enqueue(Event(end: error), me)
    }

    @inlinable
    @inline(__always)
    func exit(_ me: UInt) {
        if !crx_gate_exit_release_owner(gate, me) { drain(gate, me, guarded) }
    }

    @inlinable
    @inline(never)
    func enqueue(_ event: Event<Element>, _ me: UInt) {
        let target = Unmanaged.passUnretained(self)
        if !Self.holdsGate { _ = target.retain() }
        eventWaits()
        QueuedInput.enqueue(
            QueuedInput(target, event, from: self) { waiting, isDropped in
                let (target, event) = QueuedInput<Unmanaged<Self>, Event<Element>>.take(waiting)
                target._withUnsafeGuaranteedRef {
                    if !isDropped { $0.handle(event) }
                    $0.eventHasWaited()
                }
                if !Self.holdsGate { target.release() }
            }, gate, me, guarded)
    }

    @inlinable
    @inline(__always)
    func eventWaits() {}

    @inlinable
    @inline(__always)
    func eventHasWaited() {}

    @inlinable
    static var sharesGate: Bool { false }

    @inlinable
    static var holdsGate: Bool { false }

    @inlinable
    func handle(_ event: Event<Element>) {
        switch event {
        case .next(let element): step(element)
        case .error(let error): ended(error)
        case .completed: ended(nil)
        }
    }
}

/// Runs `step` at once if the gate is free, or if this thread owns it and a nested step is allowed. Otherwise calls
/// `enqueue`. Does nothing if the gate has closed.
///
/// - Parameters:
///   - source: a nested step must not overtake waiting inputs of this source.
///   - mayNest: whether a nested step may run at once.
@inlinable
@inline(__always)
func perform(
    _ gate: UnsafeMutablePointer<crx_gate>, _ guarded: @autoclosure () -> any GateGuarded,
    source: UnsafeRawPointer? = nil, mayNest: @autoclosure () -> Bool = true, step: () -> Void,
    enqueue: (_ me: UInt) -> Void
) {
    let me = crx_thread_self()
    let entry = crx_gate_enter_acquire(gate, me)
    if entry == CRX_ENTERED {
        step()
        if !crx_gate_exit_release_owner(gate, me) { drain(gate, me, guarded()) }
    } else if entry == CRX_NESTED && mayNest()
        && !(source.map { crx_gate_nested_waits_owner(gate, me, $0, true) } ?? false)
    {
        step()
    } else if entry != CRX_CLOSED {
        enqueue(me)
    }
}

@usableFromInline
struct QueuedInputHead {
    // The first stored property, because the gate links inputs by the addresses of their `link`.
    @usableFromInline
    var link = crx_input()
    /// Handles the input, or drops it if the second argument is true. Frees its memory.
    @usableFromInline
    let run: (UnsafeMutableRawPointer, Bool) -> Void

    @inlinable
    init(_ run: @escaping (UnsafeMutableRawPointer, Bool) -> Void) {
        self.run = run
    }

    fileprivate static func run(_ input: UnsafeMutablePointer<crx_input>, isDropped: Bool) {
        let memory = UnsafeMutableRawPointer(input)
        memory.assumingMemoryBound(to: Self.self).pointee.run(memory, isDropped)
    }

    fileprivate static func drop(_ list: UnsafeMutablePointer<crx_input>?) {
        var input = list
        while let current = input {
            input = current.pointee.next
            run(current, isDropped: true)
        }
    }
}

/// An input in a gate, in separately allocated memory.
@usableFromInline
struct QueuedInput<Target, Input> {
    // The first stored property, because a pointer to this struct is also a pointer to its head.
    @usableFromInline
    var head: QueuedInputHead
    @usableFromInline
    let target: Target
    @usableFromInline
    let input: Input

    /// Creates an input that any nested event may overtake.
    @inlinable
    init(_ target: Target, _ input: Input, run: @escaping (UnsafeMutableRawPointer, Bool) -> Void) {
        head = QueuedInputHead(run)
        self.target = target
        self.input = input
    }

    /// Creates an input. Nested events of `source` wait behind it, except some elements (claim 13 of `crx_gate.h`).
    @inlinable
    init<Source: GateTarget>(
        _ target: Target, _ input: Input, from source: Source, run: @escaping (UnsafeMutableRawPointer, Bool) -> Void
    ) {
        self.init(target, input, run: run)
        head.link.source = source.identity
        head.link.left_by = Source.sharesGate ? 1 : 0
    }

    @inlinable
    static func take(_ waiting: UnsafeMutableRawPointer) -> (Target, Input) {
        let memory = waiting.assumingMemoryBound(to: Self.self)
        let value = memory.move()
        memory.deallocate()
        return (value.target, value.input)
    }

    /// Moves the input into memory that `run` frees.
    @inlinable
    func boxed() -> UnsafeMutableRawPointer {
        let memory = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        memory.initialize(to: self)
        return UnsafeMutableRawPointer(memory)
    }

    @inlinable
    static func enqueue(_ waiting: Self, _ gate: UnsafeMutablePointer<crx_gate>, _ me: UInt, _ guarded: any GateGuarded)
    {
        submit(waiting.boxed(), gate, me, guarded)
    }
}

/// Enqueues `waiting`. Drains the queue if this thread then owns the gate; drops the queue if the gate is closed.
@usableFromInline
func submit(
    _ waiting: UnsafeMutableRawPointer, _ gate: UnsafeMutablePointer<crx_gate>, _ me: UInt, _ guarded: any GateGuarded
) {
    var dropped: UnsafeMutablePointer<crx_input>?
    let left = crx_gate_enqueue(gate, me, waiting.assumingMemoryBound(to: crx_input.self), &dropped)
    afterEnqueuing(left, dropped, gate, me, guarded)
}

@usableFromInline
func afterEnqueuing(
    _ left: crx_enqueued, _ dropped: UnsafeMutablePointer<crx_input>?, _ gate: UnsafeMutablePointer<crx_gate>,
    _ me: UInt,
    _ guarded: any GateGuarded
) {
    if left == CRX_ENQUEUED_AND_OWNED {
        drain(gate, me, guarded)
    } else if left == CRX_ENQUEUE_REFUSED {
        QueuedInputHead.drop(dropped)
    }
}

/// Handles the waiting inputs, then leaves the gate. Returns earlier if another thread takes over the gate.
@usableFromInline
func drain(_ gate: UnsafeMutablePointer<crx_gate>, _ me: UInt, _ guarded: any GateGuarded) {
    let outer = crx_gate_serve_begin_owner(gate, me)
    var turn = crx_turn()
    var debris = crx_debris()
    var isLeft = false
    while !isLeft {
        var input: UnsafeMutablePointer<crx_input>?
        switch crx_gate_next_owner(gate, me, &turn, &input) {
        case CRX_DRAIN_INPUT: QueuedInputHead.run(input!, isDropped: false)
        case CRX_DRAIN_TIDY: isLeft = guarded.tidyUp(me, &debris)
        case CRX_DRAIN_EXITED: isLeft = true
        default:
            QueuedInputHead.drop(input)
            guarded.release()
            isLeft = true
        }
    }
    crx_gate_serve_end(me, outer)
    if debris.nodes != nil || debris.chunks != nil { guarded.free(debris) }
}
