extension ObservableType {
    /// Applies an operator of your own to this sequence; see ``LinearOperator``.
    ///
    ///     source:             --1--2--3--|
    ///     lift(EveryOther()): --1-----3--|
    ///
    /// ![What the operator's rule makes of each element](marble-lift)
    ///
    ///     numbers.lift(EveryOther())
    ///
    /// The operator's rules are called on the thread on which events come; an error that one of them throws ends the
    /// sequence, and one of the source goes to the rule for the end.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below.
    ///
    /// - Parameter op: the operator, shared by all subscriptions; each has a state of its own.
    @inlinable
    public __consuming func lift<Operator: LinearOperator>(_ op: Operator) -> Observable<Operator.Output>
    where Operator.Input == Element {
        LinearProducer(asObservable(), op)
    }

    /// The same for an operator of the library's that hands elements on uncopied. The compiler prefers it.
    @inlinable
    __consuming func lift<Operator: FilteringOperator>(_ op: Operator) -> Observable<Element>
    where Operator.Input == Element {
        LinearProducer(asObservable(), filtering: op)
    }
}
