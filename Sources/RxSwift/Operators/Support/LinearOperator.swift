/// An operator with one source and no timer: a rule for each element, and a rule for the end.
///
/// `map` and `scan` are such operators. You can write your own:
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
/// - **Subscriptions**: all share the operator, which is a value. Each has its own `State`.
/// - **Threads**: calls for one subscription come one at a time, on the delivering thread, so the operator needs no
///   lock.
/// - **Re-entrancy**: the result of `next` is sent after `next` has returned. `next` is called within itself only if a
///   user closure or `stage.send` makes the source send. Read the state again after such a call, and make no such call
///   while you change ``LinearStage/state`` in place.
/// - **Errors**: an error that the rule throws fails the sequence.
/// - **The end**: afterwards nothing is sent, and `next` is not called.
/// - **Disposal**: afterwards the rule is not called. The state is freed with the subscription's chain.
/// - **Buffering**: only in the state.
public protocol LinearOperator<Input, Output> {
    /// The type of the source's elements.
    associatedtype Input
    /// The type of the result's elements.
    associatedtype Output = Input
    /// The state of one subscription.
    associatedtype State = Void

    /// Returns the initial state of a subscription.
    func makeState() -> State

    /// Handles an element.
    ///
    /// - Parameters:
    ///   - element: the source's element.
    ///   - stage: the state, and the way to send downstream.
    /// - Returns: the element to send, or nil.
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Output?

    /// Handles the end of the source. `end` may send elements from the state.
    ///
    /// By default, the sequence ends as the source does. `end` is not called if `next` has thrown or ended the
    /// sequence.
    ///
    /// - Parameters:
    ///   - error: the error of the source; nil if it completed.
    ///   - stage: the state, and the way to send downstream.
    /// - Returns: the error to fail with; nil to complete.
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) throws -> (any Error)?

    /// Whether `next` is called only while the subscription is live; true by default.
    ///
    /// False saves a check for each element. Use false for a rule that calls user code only through its stage.
    static var asksWhetherLive: Bool { get }

    /// Whether the stage drops elements that arrive once `end` or `stage.end` has been called; true by default.
    ///
    /// False saves a check for each element. Use false only for a rule that never calls `stage.end`, and whose `end`
    /// sends nothing for an error. If `end` sent an element for an error, the observer could make the source send, and
    /// `next` would be called inside `end`.
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

/// Drops elements, or forwards them unchanged. Its rule is `passes`, because `next` would return a copy of the element
/// and retain its references.
///
/// A conforming type must name its type parameter `Input`: the compiler cannot infer another name.
@usableFromInline
protocol FilteringOperator<Input>: LinearOperator where Output == Input {
    /// Whether to send `element`.
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool
}

extension FilteringOperator {
    /// No stage calls this function.
    @inlinable
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Input? {
        try passes(element, stage) ? element : nil
    }
}

@usableFromInline
// @unchecked Sendable because it is immutable.
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
            return me.source
        }
    }

    @inlinable
    init(_ source: Observable<Operator.Input>, filtering op: Operator) where Operator: FilteringOperator {
        self.source = source
        self.op = op
        super.init { base, context in
            let me = unsafeDowncast(base, to: LinearProducer<Operator>.self)
            context.top = LinearSink(context.takeTop(for: Operator.Output.self), filtering: me.op)
            return me.source
        }
    }
}
