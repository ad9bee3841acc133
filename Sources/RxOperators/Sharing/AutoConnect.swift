import RxSwift

extension ConnectableObservableType {
    /// Connects once, when `count` observers have subscribed, and stays connected without observers.
    ///
    ///     source:                   --1--2--3--|
    ///     replay(1).autoConnect(1): --1--2--3--|
    ///
    /// ![The first observer connects](marble-auto-connect)
    ///
    /// The thread that subscribes observer number `count` also subscribes to the source. Events are delivered on the
    /// sending thread. An error or the completion goes to all observers.
    ///
    /// Pausing: a pause does not reach the source.
    ///
    /// - Parameters:
    ///   - count: the number of observers to wait for, including those that have left. With 0 or less, `autoConnect`
    ///     connects at once.
    ///   - connected: called with the connection; store it to dispose of it later.
    @preconcurrency
    public func autoConnect(
        _ count: Int = 1, connected: @escaping @Sendable (any Disposable) -> Void = { _ in }
    ) -> Observable<Element> {
        if count <= 0 {
            connected(connect())
            return asObservable()
        }
        let observers = Locked(0)
        let source = self
        return .createUnchecked { observer in
            let subscription = source.subscribe(observer)
            let connects = observers.withLock { observers in
                guard observers < count else { return false }
                observers += 1
                return observers == count
            }
            if connects { connected(source.connect()) }
            return subscription
        }
    }
}
