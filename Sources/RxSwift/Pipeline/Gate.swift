public import CRxCore

// The Swift face of the delivery gate. `crx_gate.h` has the protocol and its argument; here is what the owner does with
// it.

/// Something inputs go into through a gate: the observer that `create` hands out, a subject, a source of a coordinator.
///
/// `step` and `ended` are called by the gate's owner alone, one at a time but for nested calls from inside a delivery.
@usableFromInline
protocol GateTarget: AnyObject {
    associatedtype Element

    /// The gate. It stays where it is while the target lives.
    var gate: UnsafeMutablePointer<crx_gate> { get }
    /// What the gate guards, and who tears it down.
    var guarded: any GateGuarded { get }

    /// Whether an element that comes now is to be handled.
    var isWanted: Bool { get }
    /// Whether an input that the owner makes from inside a delivery is handled at once. Otherwise it waits in order.
    var mayNest: Bool { get }
    /// Handles one element: changes state, delivers.
    func step(_ element: Element)
    /// Handles the terminal event.
    func ended(_ error: (any Error)?)

    /// Handles an event that has waited.
    func handle(_ event: Event<Element>)
    /// Leaves an event to the gate's owner, or handles it where the owner has left meanwhile.
    func enqueue(_ event: Event<Element>, _ me: UInt)
    /// An event is going to wait.
    func eventWaits()
    /// It has been handled, or dropped. Only the gate's owner calls it.
    func eventHasWaited()

    /// Whether the gate is in the target itself. What waits then needs no reference to it: it waits only while the gate
    /// has an owner, whose frames keep the target, and a reference would be counted by all pushers in one place.
    static var holdsGate: Bool { get }
}

/// What a gate guards.
@usableFromInline
protocol GateGuarded: AnyObject {
    /// Frees what the gate guards, once, after it has closed for ever.
    func release()
    /// Does what another thread has left to the owner by `crx_gate_tell_owner`, and puts aside what can wait until the
    /// gate has been left. Whether it has left the gate.
    func tidyUp(_ me: UInt, _ debris: inout crx_debris) -> Bool
    /// Frees what was put aside.
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

    /// The identity of the target among those that leave inputs in its gate.
    @inlinable
    @inline(__always)
    var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Lets an element in: handled at once where the gate is free or this thread's already, left to the owner
    /// otherwise.
    @inlinable
    @inline(__always)
    func enter(_ element: Element) {
        let me = crx_thread_self()
        let entry = crx_gate_enter_acquire(gate, me)
        // One copy of the step: it is inlined into every client.
        if entry == CRX_ENTERED || (entry == CRX_NESTED && mayNest) {
            if entry == CRX_NESTED {
                Nesting.begin(self)
                if crx_gate_is_waited_for_owner(gate) { serveWaiting(of: identity, gate, me, all: false) }
            }
            if isWanted { step(element) }
            if entry == CRX_ENTERED { exit(me) } else { Nesting.end() }
        } else if entry != CRX_CLOSED {
            enqueueNext(element, me)
        }
    }

    /// Lets the terminal event in.
    @usableFromInline
    @inline(__always)
    func enterEnd(_ error: (any Error)?) {
        perform(gate, guarded, source: identity, mayNest: mayNest) {
            ended(error)
        } enqueue: { me in
            enqueueEnd(error, me)
        }
    }

    // Both of their own: only here the type of the event is asked for, where the code is not specialised.
    @inlinable
    @inline(never)
    func enqueueNext(_ element: Element, _ me: UInt) {
        if isWanted { enqueue(.next(element), me) }
    }

    @inline(never)
    func enqueueEnd(_ error: (any Error)?, _ me: UInt) {
        enqueue(Event(end: error), me)
    }

    /// Leaves the outermost step.
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
            QueuedInput(target, event, of: identity) { waiting, isDropped in
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

/// Has the gate's owner do `step`: this thread, if the gate is free or its own already. Otherwise `enqueue` leaves an
/// input. Nothing happens if the gate has closed.
///
/// - Parameters:
///   - source: whose inputs a nested step must not overtake; nil if there are none.
///   - mayNest: whether a nested step is done at once. Otherwise it waits in order.
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
    } else if entry == CRX_NESTED && mayNest() {
        if let source, crx_gate_is_waited_for_owner(gate) { serveWaiting(of: source, gate, me, all: true) }
        step()
    } else if entry != CRX_CLOSED {
        enqueue(me)
    }
}

/// Handles what waits of `source`, in a gate that the thread owns, before a nested event of that source (claim 13): up
/// to the last input that an element must not overtake, or all.
@usableFromInline
@inline(never)
func serveWaiting(of source: UnsafeRawPointer, _ gate: UnsafeMutablePointer<crx_gate>, _ me: UInt, all: Bool) {
    var input = crx_gate_take_of_owner(gate, me, source, all)
    if input == nil { return }
    let outer = crx_gate_serve_begin_owner(gate, me)
    while let current = input {
        input = current.pointee.next
        QueuedInputHead.run(current, isDropped: false)
    }
    crx_gate_serve_end(me, outer)
}

/// The head of an input that waits in a gate.
@usableFromInline
struct QueuedInputHead {
    // The first stored property: the gate links inputs through it.
    @usableFromInline
    var link = crx_input()
    /// Takes the input out of its memory and handles it, or drops it where the flag is set.
    @usableFromInline
    let run: (UnsafeMutableRawPointer, Bool) -> Void

    @inlinable
    init(_ source: UnsafeRawPointer?, _ run: @escaping (UnsafeMutableRawPointer, Bool) -> Void) {
        link.source = source
        self.run = run
    }

    fileprivate static func run(_ input: UnsafeMutablePointer<crx_input>, isDropped: Bool) {
        let memory = UnsafeMutableRawPointer(input)
        memory.assumingMemoryBound(to: Self.self).pointee.run(memory, isDropped)
    }

    /// Drops what a closed gate gave up, oldest first.
    fileprivate static func drop(_ list: UnsafeMutablePointer<crx_input>?) {
        var input = list
        while let current = input {
            input = current.pointee.next
            run(current, isDropped: true)
        }
    }
}

/// An input that waits in a gate, in memory of its own.
@usableFromInline
struct QueuedInput<Target, Input> {
    // The first stored property: a pointer to the whole is a pointer to the head.
    @usableFromInline
    var head: QueuedInputHead
    @usableFromInline
    let target: Target
    @usableFromInline
    let input: Input

    /// - Parameter source: what leaves the input, if its end must not overtake it.
    @inlinable
    init(
        _ target: Target, _ input: Input, of source: UnsafeRawPointer? = nil,
        run: @escaping (UnsafeMutableRawPointer, Bool) -> Void
    ) {
        head = QueuedInputHead(source, run)
        self.target = target
        self.input = input
    }

    /// Moves target and input out and frees the memory.
    @inlinable
    static func take(_ waiting: UnsafeMutableRawPointer) -> (Target, Input) {
        let memory = waiting.assumingMemoryBound(to: Self.self)
        let value = memory.move()
        memory.deallocate()
        return (value.target, value.input)
    }

    /// Puts the input into memory of its own, which `run` frees.
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

/// Hands `waiting` to the gate (G2) and does what falls to this thread in consequence.
@usableFromInline
func submit(
    _ waiting: UnsafeMutableRawPointer, _ gate: UnsafeMutablePointer<crx_gate>, _ me: UInt, _ guarded: any GateGuarded
) {
    var dropped: UnsafeMutablePointer<crx_input>?
    let left = crx_gate_enqueue(gate, me, waiting.assumingMemoryBound(to: crx_input.self), &dropped)
    afterEnqueuing(left, dropped, gate, me, guarded)
}

/// Does what falls to this thread once it has left an input.
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

/// Handles what waits until nothing does, then leaves the gate (G5), or until another thread goes on with it (G8).
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
