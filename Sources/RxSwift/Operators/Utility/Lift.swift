extension ObservableType {
    /// Applies an operator of your own to this sequence; see ``LinearOperator``.
    ///
    /// - Parameter op: the operator, shared by all subscriptions; each has a state of its own.
    @inlinable
    public __consuming func lift<Operator: LinearOperator>(_ op: Operator) -> Observable<Operator.Output>
    where Operator.Input == Element {
        LinearProducer(asObservable(), op)
    }
}
