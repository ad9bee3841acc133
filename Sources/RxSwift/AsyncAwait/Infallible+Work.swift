extension Infallible {
    /// A sequence whose events are sent by asynchronous work that cannot fail.
    ///
    /// See ``ObservableType/create(detached:priority:work:)``.
    @_disfavoredOverload
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil,
        work: @escaping @Sendable (@escaping @Sendable (InfallibleEvent<Element>) -> Void) async -> Void
    ) -> Infallible<Element> {
        Infallible(
            Observable.create(detached: detached, priority: priority) { observer in
                await work { event in
                    switch event {
                    case .next(let element): observer.onNext(element)
                    case .completed: observer.onCompleted()
                    }
                }
            })
    }
}
