internal import CRxCore

/// The head of a chain that a user pushes into and that tells him to pause: tasks that `send` wait here, and so do
/// callbacks.
///
/// A waiter is put into the queue first, and only then parks the source, by an RMW also where it is parked already: so
/// whoever opens the chain finds the waiter, or is seen by that RMW. Each is taken off, and resumed, once. Modelled in
/// Tests/Models/send.pml.
///
/// Guards: `waiting` is under its lock. `chain` is the word of `disposer`'s chain, which the handle keeps.
final class FlowEntry<Element>: ObserverHandle<Element>, @unchecked Sendable {  // because of the guards
    private let disposer: SinkDisposer
    private let observer: SerializedObserver<Element>
    private let source: EntrySource

    init(_ assembly: inout Assembly, _ home: FlowHome) {
        disposer = assembly.disposer
        observer = SerializedObserver(assembly.takeTop(for: Element.self))
        source = EntrySource(observer, home)
        super.init(push: { base, element in
            unsafeDowncast(base, to: FlowEntry<Element>.self).observer.enter(element)
        })
        assembly.feed(from: source)
    }

    deinit {
        observer.close()
    }

    override func end(_ error: (any Error)?) {
        observer.enterEnd(error)
    }

    /// Sends an element once the chain is not paused.
    func send(_ element: Element) async throws {
        try await untilOpen()
        observer.enter(element)
    }

    /// Waits until the chain is not paused.
    func untilOpen() async throws {
        heed()
        while true {
            try Task.checkCancellation()
            let word = crx_state_load_relaxed(disposer.chain)
            if word & CRX_CHAIN_OVER != 0 { throw CancellationError() }
            if word & CRX_CHAIN_REASONS == 0 { return }
            await room()
        }
    }

    /// The user asks for room, or is one who will: from here on he is not one who cannot pause.
    func heed() {
        _ = crx_state_fetch_or_acq_rel(disposer.chain, CRX_CHAIN_HEEDS)
    }

    /// Waits until the chain may have room, or is over, or the task is cancelled.
    private func room() async {
        let key = source.nextKey()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                source.add(key, continuation)
                if !park() || Task.isCancelled { source.take(key)?.resume() }
            }
        } onCancel: {
            source.take(key)?.resume()
        }
    }

    /// Parks the source; false where there is no reason to.
    private func park() -> Bool {
        crx_state_park(disposer.chain) == CRX_PARK_DONE
    }

    /// Says what is called when there is room again. It is let go with the chain.
    func onResume(_ callback: @escaping @Sendable () -> Void) {
        source.setCallback(callback)
    }

    /// Whether there is room; where there is none, the callback is called once there is.
    func isOpen() -> Bool {
        let word = crx_state_load_relaxed(disposer.chain)
        if word & CRX_CHAIN_OVER != 0 { return false }
        if word & CRX_CHAIN_REASONS == 0 { return true }
        source.addAnswer()
        if park() { return false }
        // Where it has been taken, by a resume that came before the parking, it is answered, and so there was no room.
        guard source.takeAnswer() else { return false }
        return crx_state_load_relaxed(disposer.chain) & CRX_CHAIN_OVER == 0
    }
}

/// What a ``FlowEntry`` is to its chain.
///
/// Guards: `state` is under its lock; what is in it is resumed, and let go, outside.
final class EntrySource: Upstream, @unchecked Sendable {  // because of the guard
    typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var waiting: [(key: Int, waiter: Waiter)] = []
        var lastKey = 0
        /// What the user wants to have called, until the chain is disposed of.
        var callback: (() -> Void)?
        /// How often the callback is to be called with the next resume.
        var answers = 0
        /// How often it was to be called before the user has said what.
        var owed = 0
        var isOver = false
    }

    private let observer: any Upstream
    private let home: FlowHome
    private let state = Locked(State())

    init(_ observer: any Upstream, _ home: FlowHome) {
        self.observer = observer
        self.home = home
    }

    func setCallback(_ callback: @escaping () -> Void) {
        var replaced: (() -> Void)? = callback
        let owed = state.withLock { state in
            guard !state.isOver else { return 0 }
            swap(&state.callback, &replaced)
            return exchange(&state.owed, with: 0)
        }
        if owed > 0 { home.wake(ResumeCallbacks(owed, self, home)) }
    }

    /// Calls what the user wants to have called; where he has not said that yet, it is called as soon as he does.
    func callBack(_ count: Int) {
        for called in 0..<count {
            let callback = state.withLock { state -> (() -> Void)? in
                if state.isOver { return nil }
                if state.callback == nil { state.owed += count - called }
                return state.callback
            }
            guard let callback else { return }
            callback()
        }
    }

    func addAnswer() {
        state.withLock { $0.answers += 1 }
    }

    /// Takes one back; false where all have been taken.
    func takeAnswer() -> Bool {
        state.withLock { state in
            guard state.answers > 0 else { return false }
            state.answers -= 1
            return true
        }
    }

    func nextKey() -> Int {
        state.withLock {
            $0.lastKey += 1
            return $0.lastKey
        }
    }

    func add(_ key: Int, _ waiter: Waiter) {
        state.withLock { $0.waiting.append((key, waiter)) }
    }

    func take(_ key: Int) -> Waiter? {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.key == key }) else { return nil }
            return state.waiting.remove(at: index).waiter
        }
    }

    private func takeAll() -> [Waiter] {
        state.withLock { exchange(&$0.waiting, with: []) }.map(\.waiter)
    }

    func tell(isPaused: Bool, _ agenda: inout FlowAgenda) {
        for waiter in takeAll() { waiter.resume() }
        let answers = state.withLock { exchange(&$0.answers, with: 0) }
        if answers > 0 { agenda.queue(ResumeCallbacks(answers, self, home)) }
    }

    func dispose(key: UnsafeMutableRawPointer?) {
        observer.dispose(key: key)
        close()
        // It may keep what keeps this chain's head.
        let callback = state.withLock { $0.callback.take() }
        withExtendedLifetime(callback) {}
    }

    /// The callback is left to the disposal, which follows: to let it go is to run what the program deinitialises.
    func halt() {
        close()
    }

    private func close() {
        state.withLock { $0.isOver = true }
        for waiter in takeAll() { waiter.resume() }
    }

    var sourceName: String { "create" }
}

/// Calls back after a resume, once for each time that there was no room.
private final class ResumeCallbacks: FlowJob, @unchecked Sendable {  // immutable
    private let count: Int
    private let source: EntrySource

    init(_ count: Int, _ source: EntrySource, _ home: FlowHome) {
        self.count = count
        self.source = source
        super.init(home: home) {
            let me = unsafeDowncast($0, to: ResumeCallbacks.self)
            me.source.callBack(me.count)
            return false
        }
    }
}

extension AnyObserver {
    /// Sends an element; in a bounded subscription it waits, without blocking a thread, until there is room for it.
    ///
    ///     Observable<Row>.create { out in
    ///         for try await row in rows { try await out.send(row) }
    ///     }
    ///
    /// Where nothing is bounded it sends at once, as `onNext`, and lets no other task have its turn: a loop that awaits
    /// nothing else has its thread for itself until it is cancelled. Several tasks may send at once: while one of them
    /// delivers, what the others send waits behind it, and finds room until that has come to a boundary.
    ///
    /// - Throws: `CancellationError` where the task is cancelled, or the sequence has ended or been disposed of; then
    ///   the element was not sent. An observer that no `create` has handed out knows of the task alone.
    public func send(_ element: Element) async throws {
        if let entry = handle as? FlowEntry<Element> { return try await entry.send(element) }
        try checkIsWanted()
        on(.next(element))
    }

    /// Waits, without blocking a thread, until there is room for an element: for who fetches an element only then.
    ///
    ///     try await out.room()
    ///     for row in try await cursor.fetch(100) { try await out.send(row) }
    ///
    /// Where nothing is bounded there always is. By the time of the next `send` there may be none again.
    ///
    /// - Throws: `CancellationError` where the task is cancelled, or the sequence has ended or been disposed of. An
    ///   observer that no `create` has handed out knows of the task alone.
    public func room() async throws {
        if let entry = handle as? FlowEntry<Element> { return try await entry.untilOpen() }
        try checkIsWanted()
    }

    /// Throws where what is sent now would be dropped.
    private func checkIsWanted() throws {
        try Task.checkCancellation()
        if handle.isOver { throw CancellationError() }
    }
}

/// The observer of a source that is told by callbacks when to pause: ``ObservableType/create(flow:)``.
public struct FlowObserver<Element>: ObserverType, Sendable {
    private let observer: AnyObserver<Element>
    /// Of the subscription: what is told when there is room may be said by any thread.
    private let context: HopContext?

    init(_ observer: AnyObserver<Element>) {
        self.observer = observer
        let entry = observer.handle as? FlowEntry<Element>
        entry?.heed()
        context = entry == nil ? nil : HopContext.capture()
    }

    /// Sends an event, also where there is no room for it.
    public func on(_ event: Event<Element>) {
        observer.on(event)
    }

    /// Whether there is room for an element. Where there is none, what was given to ``onResume(_:)``, be it before or
    /// after this, is called once for each time this said so, when there is.
    ///
    /// False, and nothing is called, once the sequence has ended or been disposed of; until then it is true where
    /// nothing is bounded.
    public var isOpen: Bool {
        guard let entry = observer.handle as? FlowEntry<Element> else { return !observer.handle.isOver }
        return entry.isOpen()
    }

    /// Says what is called when there is room again: at the scheduler of the boundary that had paused, or on a global
    /// queue; by one thread at a time for one ``isOpen`` that was false. It is let go when the sequence has ended or
    /// been disposed of. It is called in the context that ``Hooks/captureContext`` has found at the subscription.
    ///
    /// - Parameter callback: what is called.
    public func onResume(_ callback: @escaping @Sendable () -> Void) {
        guard let entry = observer.handle as? FlowEntry<Element> else { return }
        guard let context else { return entry.onResume(callback) }
        entry.onResume { context.run(callback) }
    }
}

extension ObservableType {
    /// A sequence that `subscribe` feeds and that tells it by callbacks when to pause.
    ///
    ///     Observable<Data>.create(flow: { out in
    ///         let reader = Reader { data, reader in
    ///             out.onNext(data)
    ///             if !out.isOpen { reader.stop() }
    ///         }
    ///         out.onResume { reader.go() }
    ///         return Disposables.create { reader.close() }
    ///     })
    ///
    /// As `create`, but for what ``FlowObserver`` says. What is sent where there is no room waits as well: at a
    /// boundary up to 16 384 elements above its bound, as what was on its way.
    ///
    /// - Parameter subscribe: called on each subscription, on the subscribing thread.
    @_disfavoredOverload
    @preconcurrency
    public static func create(flow subscribe: @escaping @Sendable (FlowObserver<Element>) -> any Disposable)
        -> Observable<Element>
    {
        CreateProducer(asking: { subscribe(FlowObserver($0)) })
    }
}
