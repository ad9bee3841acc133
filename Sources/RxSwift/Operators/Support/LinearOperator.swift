/// An operator with one source and no timer: a rule for each element and for the end.
///
/// `map`, `scan` and `compactMap` are such operators. You can write your own:
///
/// ```swift
/// struct Pairwise<Element>: LinearOperator {
///     typealias Output = (Element, Element)
///
///     func makeState() -> Element? { nil }
///
///     func next(_ element: Element, _ stage: borrowing LinearStage<Self>) -> (Element, Element)? {
///         stage.exchange(element).map { ($0, element) }
///     }
/// }
///
/// extension ObservableType {
///     func pairwise() -> Observable<(Element, Element)> { lift(Pairwise()) }
/// }
/// ```
///
/// - **Subscriptions**: all subscriptions share the operator, which is a value. Each subscription makes its own
///   `State`.
/// - **Threads**: calls for one subscription come one at a time, on the delivering thread. They need no lock.
/// - **Re-entrancy**: the result of `next` is sent after `next` has returned. So `next` is never called within itself,
///   unless it calls a closure of the user or `stage.send`: these may make the source send, which calls `next` again.
///   Read the state again after such a call. Make no such call while you change ``LinearStage/state`` in place.
/// - **Errors**: an error that the rule throws ends the sequence.
/// - **The end**: nothing is sent after the end. `next` is not called for an element that comes later.
/// - **Disposal**: the rule is not called after the subscription has been disposed of. Its state is freed with the
///   subscription's chain.
/// - **Buffering**: none, except in the state.
public protocol LinearOperator<Input, Output> {
    /// The type of the source's elements.
    associatedtype Input
    /// The type of the result's elements.
    associatedtype Output = Input
    /// The state that one subscription keeps from one element to the next.
    associatedtype State = Void

    /// Returns the initial state of a subscription.
    func makeState() -> State

    /// Handles an element. A thrown error ends the sequence.
    ///
    /// - Parameters:
    ///   - element: the element from the source.
    ///   - stage: the state, and the way to send downstream.
    /// - Returns: the element to send, or nil for none. Before it returns, a rule may send other elements with
    ///   `stage.send`, or end the sequence with `stage.end`.
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Output?

    /// Handles the end of the source. It may send elements from its state, and decides how the sequence ends. A thrown
    /// error ends the sequence.
    ///
    /// By default, the sequence ends as the source does. This is not called if `next` has ended the sequence, by
    /// `stage.end` or by throwing.
    ///
    /// - Parameters:
    ///   - error: the error of the source; nil if it completed.
    ///   - stage: the state, and the way to send downstream.
    /// - Returns: the error to fail with; nil to complete.
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) throws -> (any Error)?

    /// Whether `next` is called only while the subscription is live. True by default.
    ///
    /// False saves a check for each element. Use it for a rule that calls nothing except its stage.
    static var asksWhetherLive: Bool { get }

    /// Whether `next` is not called any more after the end, even if no observer below received the end. True by
    /// default.
    ///
    /// False saves a check for each element. Use it for a rule that never calls `stage.end` and sends nothing when the
    /// source fails: a rule above may have thrown, and its source may continue to send.
    static var endsEarly: Bool { get }
}

extension LinearOperator {
    @inlinable
    public func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) throws -> (any Error)? { error }

    @inlinable
    public static var asksWhetherLive: Bool { true }

    @inlinable
    public static var endsEarly: Bool { true }
}

extension LinearOperator where State == Void {
    @inlinable
    public func makeState() {}
}

/// A linear operator that forwards or drops each element unchanged. `next` would return a copy, with a retain for each
/// reference in it; `passes` needs no copy.
///
/// A conforming type must name its type parameter `Input`: the compiler cannot infer it otherwise.
@usableFromInline
protocol FilteringOperator<Input>: LinearOperator where Output == Input {
    /// Whether the element is sent after this call has returned. A thrown error ends the sequence.
    ///
    /// - Parameters:
    ///   - element: the element from the source.
    ///   - stage: the state, and the way to send downstream.
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool
}

extension FilteringOperator {
    /// The equivalent of `passes`. No stage calls it.
    @inlinable
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Input? {
        try passes(element, stage) ? element : nil
    }
}

/// The access of a ``LinearOperator`` to one subscription: its state, and the way to send downstream. It is borrowed
/// for one call and cannot be stored.
public struct LinearStage<Operator: LinearOperator>: ~Copyable {
    /// Not retained: the caller of the rule retains it.
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
    /// the old one, because a `deinit` may call `next` again.
    ///
    /// During a change in place, nothing else may use the state. So do not pass it, whole or in part, as `inout` to a
    /// function that calls `stage.send`, `stage.end` or a closure of the user. These may make the source send, and the
    /// nested `next` would change, or free, memory that the function still writes to. Take the state out with
    /// ``exchange(_:)``, or change a copy and assign it. A debug build stops the process if this rule is violated. A
    /// release build does not check, and the behaviour is undefined.
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

    /// Replaces the state and returns the old one.
    @inlinable
    @inline(__always)
    public func exchange(_ state: Operator.State) -> Operator.State {
        assertExclusive()
        return sink._withUnsafeGuaranteedRef { Swift.exchange(&$0.state, with: state) }
    }

    /// Stops a debug build if the state is being changed in place.
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

    /// Whether the subscriber still wants events. Check it in a rule that sends several elements, or calls several
    /// closures of the user.
    @inlinable
    @inline(__always)
    public var isLive: Bool { sink._withUnsafeGuaranteedRef { $0.isLive } }

    /// Sends an element to the stage below before it returns. In `next`, use it for all elements but the last one,
    /// which `next` returns. `end` may call it as well.
    @inlinable
    public func send(_ element: Operator.Output) {
        assertExclusive()
        sink._withUnsafeGuaranteedRef { $0.deliver(element) }
    }

    /// Ends the sequence from within `next`: fails with `error`, or completes if it is nil. The source is disposed of.
    ///
    /// - Returns: nil, so that `next` can return it.
    @inlinable
    @discardableResult
    public func end(_ error: (any Error)? = nil) -> Operator.Output? {
        assertExclusive()
        assert(Operator.endsEarly, "\(Operator.self) calls `stage.end`, but its `endsEarly` is false")
        sink._withUnsafeGuaranteedRef { $0.endEarly(error) }
        return nil
    }

    /// Sends a last element and completes the sequence, from within `next`.
    ///
    /// - Returns: nil, so that `next` can return it.
    @inlinable
    @discardableResult
    public func end(after element: Operator.Output) -> Operator.Output? {
        send(element)
        return end()
    }
}

/// A sequence to which an operator is applied.
@usableFromInline
// @unchecked Sendable because it never changes.
final class LinearProducer<Operator: LinearOperator>: Observable<Operator.Output>, @unchecked Sendable {
    @usableFromInline
    let source: Observable<Operator.Input>
    @usableFromInline
    let op: Operator

    @inlinable
    init(_ source: Observable<Operator.Input>, _ op: Operator) {
        self.source = source
        self.op = op
        super.init { base, context in
            let me = unsafeDowncast(base, to: LinearProducer<Operator>.self)
            context.top = LinearSink(context.takeTop(for: Operator.Output.self), me.op)
            return .passUnretained(me.source)
        }
    }

    @inlinable
    init(_ source: Observable<Operator.Input>, filtering op: Operator) where Operator: FilteringOperator {
        self.source = source
        self.op = op
        super.init { base, context in
            let me = unsafeDowncast(base, to: LinearProducer<Operator>.self)
            context.top = LinearSink(context.takeTop(for: Operator.Output.self), filtering: me.op)
            return .passUnretained(me.source)
        }
    }
}

/// The stage of a linear operator in a running chain.
///
/// The type of the state is a parameter of its own. Otherwise freeing a stage would look up the operator's associated
/// type.
///
/// Guards: `state`, `isEnded` and `isModified` belong to the thread that the gate above has admitted. Accesses are
/// short, and none is open during a call-out, except when a rule changes its state in place.
@usableFromInline
final class LinearSink<Operator: LinearOperator, State>: Stage<Operator.Input, Operator.Output>
where Operator.State == State {
    @usableFromInline
    let op: Operator
    @usableFromInline
    @exclusivity(unchecked)
    var state: State
    /// Whether the end has passed. A source ends once, but the rule may have thrown before. It is checked for an
    /// element only if the operator may end early.
    @usableFromInline
    @exclusivity(unchecked)
    var isEnded = false
    /// Whether the rule is changing the state in place. Only a debug build sets and reads it.
    @usableFromInline
    var isModified = false

    /// The address of the state, which is stable: it is a stored property of an object.
    @inlinable
    @inline(__always)
    var place: UnsafeMutablePointer<State> { withUnsafeMutablePointer(to: &state) { $0 } }

    /// Sets `isModified` and returns true, for an assertion.
    @inlinable
    func marksModified(_ isModified: Bool) -> Bool {
        self.isModified = isModified
        return true
    }

    /// Whether `next` is called for an element that arrives now.
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
        guard !isEnded else { return }
        isEnded = true
        do {
            super.end(try op.end(error, LinearStage(self)))
        } catch {
            ErrorTrace.named(Operator.self, error) { super.end(error) }
        }
    }

    /// Ends the sequence with an error that the rule threw.
    @usableFromInline
    func fail(_ error: consuming any Error) {
        ErrorTrace.named(Operator.self, error) { endEarly(error) }
    }

    /// Ends the sequence because the rule asked for it or threw.
    @usableFromInline
    func endEarly(_ error: (any Error)?) {
        guard !isEnded else { return }
        isEnded = true
        super.end(error)
    }
}
