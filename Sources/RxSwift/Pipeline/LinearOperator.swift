/// An operator with one source and no timer: a rule that says what becomes of each element, and of the end.
///
/// `map`, `scan` and `compactMap` are such rules, and so may be one of yours:
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
/// - **Subscriptions**: the operator is a value that all subscriptions share; what one of them remembers is its
///   `State`, made when it is subscribed.
/// - **Threads**: calls for one subscription come one at a time, on the thread that delivers. They need no lock.
/// - **Re-entrancy**: what `next` returns is sent after it has returned, so a rule that calls nobody is never called
///   within itself. A closure of the user's or `stage.send` may make the source send, which calls `next` again: read
///   the state again after that. While ``LinearStage/state`` is changed in place, call neither.
/// - **Errors**: what a rule throws ends the sequence.
/// - **The end**: nothing is sent after it, whatever a rule does. An element that comes later is not shown to the rule.
/// - **Disposal**: a rule is not called once the subscription has been disposed of. Its state is freed with the
///   subscription's chain.
/// - **Buffering**: none but what the state holds.
public protocol LinearOperator<Input, Output> {
    /// What comes in.
    associatedtype Input
    /// What goes out.
    associatedtype Output = Input
    /// What one subscription remembers from one element to the next.
    associatedtype State = Void

    /// The state that a subscription begins with.
    func makeState() -> State

    /// Handles an element. What it throws ends the sequence.
    ///
    /// - Parameters:
    ///   - element: what has come.
    ///   - stage: the state, and the way down.
    /// - Returns: what is sent for it; nil for nothing. Before that a rule may send others by the stage, or end the
    ///   sequence.
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Output?

    /// Handles the end of the source: may send what it has kept, and says how the sequence ends. What it throws ends
    /// the sequence, too.
    ///
    /// Unless an operator has its own, the sequence ends as the source does. It is not asked where `next` has ended the
    /// sequence, by its stage or by what it has thrown.
    ///
    /// - Parameters:
    ///   - error: what the source failed with; nil where it has completed.
    ///   - stage: the state, and the way down.
    /// - Returns: what the sequence fails with; nil where it completes.
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) throws -> (any Error)?

    /// Whether `next` is asked only while the subscription lasts. True unless an operator says otherwise.
    ///
    /// False saves a test for each element, for a rule that calls nobody but its stage.
    static var asksWhetherLive: Bool { get }

    /// Whether `next` is asked no more once the end has passed, also where nobody below has taken it for one. True
    /// unless an operator says otherwise.
    ///
    /// False saves a test for each element, for a rule that never calls the stage's `end`, and sends nothing for an
    /// error: the rule above may have thrown, and go on.
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

/// A linear operator that hands elements on as they come, or leaves them out. What `next` returns is a copy, each of
/// whose references is counted; what passes is not copied.
///
/// An operator names its type parameter `Input`: nothing else tells the compiler what that is.
@usableFromInline
protocol FilteringOperator<Input>: LinearOperator where Output == Input {
    /// Whether an element is sent, once this has returned. What it throws ends the sequence.
    ///
    /// - Parameters:
    ///   - element: what has come.
    ///   - stage: the state, and the way down.
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool
}

extension FilteringOperator {
    /// What the rule comes to; no stage asks for it.
    @inlinable
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Input? {
        try passes(element, stage) ? element : nil
    }
}

/// What a ``LinearOperator`` works with in one subscription: its state, and the way down. It is lent for a call and
/// cannot be kept.
public struct LinearStage<Operator: LinearOperator>: ~Copyable {
    /// Not retained: the caller of the rule keeps it.
    @usableFromInline
    let sink: Unmanaged<LinearSink<Operator, Operator.State>>

    @inlinable
    @inline(__always)
    init(_ sink: LinearSink<Operator, Operator.State>) {
        self.sink = .passUnretained(sink)
    }

    /// What this subscription remembers.
    ///
    /// It may be changed in place: `stage.state.append(element)`. What replaces it stands there before the old state is
    /// released, since a `deinit` may come back.
    ///
    /// While it is changed in place, nothing else may use it. So do not pass it `inout`, as a whole or in part, to a
    /// function that calls `stage.send`, `stage.end` or a closure of the user's: these may make the source send, and
    /// the nested `next` would change, or free, memory that the function still writes to. Take the state out by
    /// ``exchange(_:)``, or change a copy and assign it. A debug build stops the process where this is violated; a
    /// release build does not look, and the behaviour is undefined.
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

    /// Replaces the state, and returns what it was.
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

    /// Whether the subscriber still wants events. Asked for by a rule that sends several, or calls several closures of
    /// the user's.
    @inlinable
    @inline(__always)
    public var isLive: Bool { sink._withUnsafeGuaranteedRef { $0.isLive } }

    /// Hands an element to the stage below, before it returns: in `next` one that is not the last, or at the end.
    @inlinable
    public func send(_ element: Operator.Output) {
        assertExclusive()
        sink._withUnsafeGuaranteedRef { $0.deliver(element) }
    }

    /// Ends the sequence, within `next`: with an error, or completed where there is none. The source is disposed of.
    ///
    /// - Returns: nil, so that `next` can return it.
    @inlinable
    @discardableResult
    public func end(_ error: (any Error)? = nil) -> Operator.Output? {
        assertExclusive()
        assert(Operator.endsEarly, "\(Operator.self) says that it does not end early")
        sink._withUnsafeGuaranteedRef { $0.endEarly(error) }
        return nil
    }

    /// Sends a last element, within `next`, and completes.
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
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: LinearProducer<Operator>.self)
            assembly.top = LinearSink(assembly.takeTop(for: Operator.Output.self), me.op)
            return .passUnretained(me.source)
        }
    }

    @inlinable
    init(_ source: Observable<Operator.Input>, filtering op: Operator) where Operator: FilteringOperator {
        self.source = source
        self.op = op
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: LinearProducer<Operator>.self)
            assembly.top = LinearSink(assembly.takeTop(for: Operator.Output.self), filtering: me.op)
            return .passUnretained(me.source)
        }
    }
}

/// An operator's stage in a running chain.
///
/// The type of the state is named beside the operator that says it: a stage that is freed would look it up otherwise.
///
/// Guards: `state`, `isEnded`, `isModified`: the thread that the gate above has let in. They are reached in short
/// accesses, none of which is open while something is called, but for what a rule does to its state in place.
@usableFromInline
final class LinearSink<Operator: LinearOperator, State>: Stage<Operator.Input, Operator.Output>
where Operator.State == State {
    @usableFromInline
    let op: Operator
    @usableFromInline
    @exclusivity(unchecked)
    var state: State
    /// Whether the end has passed. A source ends once, but a rule may have thrown before. Elements are tested only for
    /// operators that end early.
    @usableFromInline
    @exclusivity(unchecked)
    var isEnded = false
    /// Whether the rule is changing the state in place. Only a debug build sets and reads it.
    @usableFromInline
    @exclusivity(unchecked)
    var isModified = false

    /// Where the state is: an object's stored property stays where it is.
    @inlinable
    @inline(__always)
    var place: UnsafeMutablePointer<State> { withUnsafeMutablePointer(to: &state) { $0 } }

    /// Sets `isModified` and returns true, for an assertion.
    @inlinable
    func marksModified(_ isModified: Bool) -> Bool {
        self.isModified = isModified
        return true
    }

    /// Whether the rule is asked what becomes of an element.
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

    /// The end of the source.
    @inlinable
    override func end(_ error: (any Error)?) {
        guard !isEnded else { return }
        isEnded = true
        do {
            super.end(try op.end(error, LinearStage(self)))
        } catch {
            Thrower.named(Operator.self, error) { super.end(error) }
        }
    }

    /// The end by an error of the rule's own.
    @usableFromInline
    func fail(_ error: consuming any Error) {
        Thrower.named(Operator.self, error) { endEarly(error) }
    }

    /// The end that the rule has asked for.
    @usableFromInline
    func endEarly(_ error: (any Error)?) {
        guard !isEnded else { return }
        isEnded = true
        super.end(error)
    }
}
