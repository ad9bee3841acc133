/// An operator with one source and no timer: a rule for each element, and a rule for the end.
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
/// - **Threads**: calls for one subscription come one at a time, on the delivering thread. So the operator needs no
///   lock.
/// - **Re-entrancy**: the result of `next` is sent after `next` has returned. `next` is called within itself only if it
///   calls a closure of the user or `stage.send`, and the closure or the observer makes the source send. Read the state
///   again after such a call. Make no such call while you change ``LinearStage/state`` in place.
/// - **Errors**: if the rule throws, the sequence fails with that error.
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

    /// Handles an element.
    ///
    /// - Parameters:
    ///   - element: the element from the source.
    ///   - stage: the state, and the way to send downstream.
    /// - Returns: the element to send, or nil for none. Before `next` returns, it may send other elements with
    ///   `stage.send`, or end the sequence with `stage.end`.
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Output?

    /// Handles the end of the source. `end` may send elements from the state, and decides how the sequence ends. If
    /// `end` throws, the sequence fails with that error.
    ///
    /// By default, the sequence ends as the source does. `end` is not called if `next` has ended the sequence, by
    /// `stage.end` or by throwing.
    ///
    /// - Parameters:
    ///   - error: the error of the source; nil if it completed.
    ///   - stage: the state, and the way to send downstream.
    /// - Returns: the error to fail with; nil to complete.
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) throws -> (any Error)?

    /// If true (the default), `next` is called only while the subscription is live.
    ///
    /// False saves a check for each element. Use false for a rule that calls code of the user only through its stage.
    static var asksWhetherLive: Bool { get }

    /// If true (the default), `next` is never called after the end, even before an observer has received the end.
    ///
    /// False saves a check for each element. Use false only for a rule that never calls `stage.end`, and whose `end`
    /// sends nothing for an error. If a rule upstream has thrown the error, the source is still live. An observer that
    /// receives an element from `end` can then make the source send, so that `next` is called inside `end`.
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

/// A linear operator that forwards or drops each element unchanged. Its rule is `passes`, because `next` would return a
/// copy of the element and retain each reference in the element.
///
/// A conforming type must name its type parameter `Input`, because the compiler cannot infer another name.
@usableFromInline
protocol FilteringOperator<Input>: LinearOperator where Output == Input {
    /// Returns whether to send `element`.
    func passes(_ element: Input, _ stage: borrowing LinearStage<Self>) throws -> Bool
}

extension FilteringOperator {
    /// Equivalent to `passes`. No stage calls this function.
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
