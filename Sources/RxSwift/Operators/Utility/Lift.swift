extension ObservableType {
    /// Applies an operator of your own to this sequence; see ``LinearOperator``.
    ///
    ///     source:             --1--2--3--|
    ///     lift(EveryOther()): --1-----3--|
    ///
    /// ![Every other element](marble-lift)
    ///
    ///     numbers.lift(EveryOther())
    ///
    /// The rules are called on the thread that sends the events. If a rule throws, the sequence fails. An error of the
    /// source is passed to the operator's `end`.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain.
    ///
    /// - Parameter op: the operator, shared by all subscriptions.
    @inlinable
    public __consuming func lift<Operator: LinearOperator>(_ op: Operator) -> Observable<Operator.Output>
    where Operator.Input == Element {
        LinearProducer(asObservable(), op)
    }

    /// The compiler prefers this overload for the library's operators that forward elements without a copy.
    @inlinable
    __consuming func lift<Operator: FilteringOperator>(_ op: Operator) -> Observable<Element>
    where Operator.Input == Element {
        LinearProducer(asObservable(), filtering: op)
    }
}
