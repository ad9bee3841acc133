/// The stage of an operator with one source, no timer and no thread of its own.
///
/// Guards: the state of a subclass is used only by the thread that owns the gate above the stage (see ``GateTarget``).
@usableFromInline
class Stage<Input, Output>: Sink<Input> {
    /// The sink below, retained; nil when the stage is being freed. Unmanaged, so that a delivery changes no reference
    /// count.
    @usableFromInline
    @exclusivity(unchecked)
    final var below: Unmanaged<SinkBase>?

    @inlinable
    init(down: Sink<Output>, push: @escaping Push) {
        below = Unmanaged.passRetained(down)
        super.init(chain: down.chain, push: push)
    }

    @inlinable
    deinit {
        if let below { SinkBase.free(below) }
    }

    @inlinable
    @inline(__always)
    final var down: Unmanaged<Sink<Output>> { .fromOpaque(below.unsafelyUnwrapped.toOpaque()) }

    final var sinkBelow: Sink<Output> { down.takeUnretainedValue() }

    @usableFromInline
    final override func takeDown() -> Unmanaged<SinkBase>? {
        defer { below = nil }
        return below
    }

    @inlinable
    @inline(__always)
    final func deliver(_ element: Output) {
        #if DEBUG
            // Retains the sink, but needs two fewer stack frames than `_withUnsafeGuaranteedRef`, so that an
            // unoptimised chain of a thousand stages fits into a small stack.
            let sink = down.takeUnretainedValue()
            sink.push(sink, element)
        #else
            down._withUnsafeGuaranteedRef { $0.push($0, element) }
        #endif
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        down._withUnsafeGuaranteedRef { $0.end(error) }
    }

    /// Adds no stage, because the terminal observer below has already added the counting stage.
    @usableFromInline
    final override func instrumented(_ record: SubscriptionRecord?) -> SinkBase { self }
}

/// The stage of a linear operator. `State` is a generic parameter, so that freeing a stage does not look up the
/// associated type.
///
/// Guards: `state`, `isEnded` and `isModified` are used only by the thread that owns the gate above. The stage calls no
/// other code during an access to them. Exception: while an operator changes `state` in place, the operator's code
/// runs.
@usableFromInline
final class LinearSink<Operator: LinearOperator, State>: Stage<Operator.Input, Operator.Output>
where Operator.State == State {
    @usableFromInline
    let op: Operator
    @usableFromInline
    @exclusivity(unchecked)
    var state: State
    @usableFromInline
    @exclusivity(unchecked)
    var isEnded = false
    /// Whether the operator is changing `state` in place; set only in a debug build.
    @usableFromInline
    var isModified = false

    /// The address of `state`. It does not change, because `state` is stored in an object.
    @inlinable
    @inline(__always)
    var place: UnsafeMutablePointer<State> { withUnsafeMutablePointer(to: &state) { $0 } }

    /// Sets `isModified`. Returns true, for `assert`.
    @inlinable
    func marksModified(_ isModified: Bool) -> Bool {
        self.isModified = isModified
        return true
    }

    @inlinable
    @inline(__always)
    var isAsked: Bool {
        if Operator.asksWhetherLive && !isLive { return false }
        return !Operator.endsEarly || !isEnded
    }

    @inlinable
    init(_ down: Sink<Operator.Output>, _ op: Operator, push: consuming @escaping Push) {
        self.op = op
        state = op.makeState()
        super.init(down: down, push: push)
    }

    @inlinable
    convenience init(_ down: Sink<Operator.Output>, _ op: Operator) {
        self.init(down, op) { base, element in
            let me = unsafeDowncast(base, to: LinearSink<Operator, State>.self)
            guard me.isAsked else { return }
            do {
                if let output = try me.op.next(element, LinearStage(me)) { me.deliver(output) }
            } catch {
                me.fail(error)
            }
        }
    }

    @inlinable
    convenience init(_ down: Sink<Operator.Output>, filtering op: Operator) where Operator: FilteringOperator {
        self.init(down, op) { base, element in
            let me = unsafeDowncast(base, to: LinearSink<Operator, State>.self)
            guard me.isAsked else { return }
            do {
                if try me.op.passes(element, LinearStage(me)) { me.deliver(element) }
            } catch {
                me.fail(error)
            }
        }
    }

    @inlinable
    override func end(_ error: (any Error)?) {
        guard !isEnded, isLive else { return }
        isEnded = true
        do {
            super.end(try op.end(error, LinearStage(self)))
        } catch {
            ErrorTrace.named(Operator.self, error) { super.end(error) }
        }
    }

    @usableFromInline
    func fail(_ error: consuming any Error) {
        ErrorTrace.named(Operator.self, error) { endEarly(error) }
    }

    @usableFromInline
    func endEarly(_ error: (any Error)?) {
        guard !isEnded else { return }
        isEnded = true
        super.end(error)
    }
}

/// A ``LinearOperator``'s access to one subscription, borrowed for one call.
public struct LinearStage<Operator: LinearOperator>: ~Copyable {
    /// The stage. The function that calls the operator retains it.
    @usableFromInline
    let sink: Unmanaged<LinearSink<Operator, Operator.State>>

    @inlinable
    @inline(__always)
    init(_ sink: LinearSink<Operator, Operator.State>) {
        self.sink = .passUnretained(sink)
    }

    /// The state of this subscription.
    ///
    /// It may be changed in place: `stage.state.append(element)`. An assignment stores the new state before it releases
    /// the old state: a `deinit` of the old state may make the source send, which calls `next`.
    ///
    /// During a change in place, no other code may use the state. So do not pass any part of the state as `inout` to a
    /// function that calls `stage.send`, `stage.end` or a closure of the user. A nested `next` would change or free
    /// memory that the function still writes to. Take the state out with ``exchange(_:)``, or change a copy and assign
    /// it. A violation stops a debug build, and is undefined behaviour in a release build.
    @inlinable
    public var state: Operator.State {
        @inline(__always)
        get {
            assertExclusive()
            return sink._withUnsafeGuaranteedRef { $0.state }
        }
        @inline(__always)
        nonmutating set { withExtendedLifetime(exchange(newValue)) {} }
        @inline(__always)
        nonmutating _modify {
            assertExclusive()
            assert(sink._withUnsafeGuaranteedRef { $0.marksModified(true) })
            defer { assert(sink._withUnsafeGuaranteedRef { $0.marksModified(false) }) }
            yield &sink._withUnsafeGuaranteedRef { $0.place }.pointee
        }
    }

    /// Replaces `state` and returns the old state.
    @inlinable
    @inline(__always)
    public func exchange(_ state: Operator.State) -> Operator.State {
        assertExclusive()
        return sink._withUnsafeGuaranteedRef { Swift.exchange(&$0.state, with: state) }
    }

    @inlinable
    @inline(__always)
    func assertExclusive() {
        assert(
            !sink._withUnsafeGuaranteedRef { $0.isModified },
            """
            RxSwift: \(Operator.self) uses its stage while it changes `stage.state` in place. The source may have sent an \
            element from inside that change, to a nested call of `next`. Call `stage.send`, `stage.end` and closures of \
            the user's before or after the change, or take the state out with `stage.exchange`.
            """)
    }

    /// Whether the subscription has neither ended nor been disposed of. Check it between two elements, and between two
    /// calls of the user's closures.
    @inlinable
    @inline(__always)
    public var isLive: Bool { sink._withUnsafeGuaranteedRef { $0.isLive } }

    /// Sends an element to the stage below. `next` returns its last element, and sends earlier elements with this
    /// function. The operator's `end(_:_:)` may also call it.
    @inlinable
    public func send(_ element: Operator.Output) {
        assertExclusive()
        sink._withUnsafeGuaranteedRef { $0.deliver(element) }
    }

    /// Ends the sequence from within `next`, with `error` or, if it is nil, with completion. The source is disposed of.
    /// Returns nil, so `next` can end with `return stage.end()`.
    @inlinable
    @discardableResult
    public func end(_ error: (any Error)? = nil) -> Operator.Output? {
        assertExclusive()
        assert(Operator.endsEarly, "\(Operator.self) calls `stage.end`, but its `endsEarly` is false")
        sink._withUnsafeGuaranteedRef { $0.endEarly(error) }
        return nil
    }

    /// Sends a last element and completes the sequence, from within `next`. Returns nil, so `next` can end
    /// with `return stage.end(after: element)`.
    @inlinable
    @discardableResult
    public func end(after element: Operator.Output) -> Operator.Output? {
        send(element)
        return end()
    }
}
