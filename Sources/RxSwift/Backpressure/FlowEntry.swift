internal import CRxCore

/// The observer of `create` in a scope (see ``FlowScope``). Tasks in `send` wait here for room.
///
/// A waiting task first enqueues itself as a waiter. Then it sets the *parked* bit of the chain with an atomic
/// read-modify-write, even if the bit is already set. If the thread that ends the pause finds the bit, it resumes all
/// waiters. Otherwise the task's read-modify-write finds that the pause has ended. Each waiter is resumed exactly once.
/// Modelled in Tests/Models/send.pml.
///
/// Guards: all properties are constants that refer to thread-safe objects.
final class FlowEntry<Element>: ObserverHandle<Element>, @unchecked Sendable {  // see the guards above
    private let lifetime: ChainLifetime
    private let observer: SerializedObserver<Element>
    private let source: EntrySource

    init(_ context: inout SubscribeContext, _ resumeScheduler: ResumeScheduler) {
        lifetime = context.lifetime
        observer = SerializedObserver(context.takeTop(for: Element.self))
        source = EntrySource(observer, resumeScheduler)
        super.init(push: { base, element in
            unsafeDowncast(base, to: FlowEntry<Element>.self).observer.enter(element)
        })
        context.feed(from: source)
    }

    deinit {
        observer.close()
    }

    override func end(_ error: (any Error)?) {
        observer.enterEnd(error)
    }

    func send(_ element: Element) async throws {
        try await untilOpen()
        observer.enter(element)
    }

    func untilOpen() async throws {
        markPausable()
        while true {
            try Task.checkCancellation()
            let word = crx_pause_word(lifetime.chain)
            if crx_lifetime_is_over(word) { throw CancellationError() }
            if !crx_pause_is_paused(word) { return }
            await room()
        }
    }

    func markPausable() {
        crx_pause_set_pausable(lifetime.chain)
    }

    /// Returns when there may be room, the chain is over, or the task is cancelled.
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

    /// Sets the *parked* bit. Returns false if the chain is not paused or is over.
    private func park() -> Bool {
        crx_pause_park(lifetime.chain) == CRX_PARK_DONE
    }

    func onResume(_ callback: @escaping @Sendable () -> Void) {
        source.setCallback(callback)
    }

    /// Whether there is room. If the result is false because of a pause, the resume calls the callback.
    func isOpen() -> Bool {
        let word = crx_pause_word(lifetime.chain)
        if crx_lifetime_is_over(word) { return false }
        if !crx_pause_is_paused(word) { return true }
        source.addAnswer()
        if park() { return false }
        // The pause has ended. If `takeAnswer` returns false, a resume is about to call the callback.
        guard source.takeAnswer() else { return false }
        return crx_lifetime_is_live(lifetime.chain)
    }
}

/// Guards: `state` is protected by its lock. No waiter is resumed, and no callback is called or released, under the
/// lock.
final class EntrySource: Upstream, @unchecked Sendable {  // see the guards above
    typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var waiting: [(key: Int, waiter: Waiter)] = []
        var lastKey = 0
        /// The user's callback; nil if not set, or after the disposal of the chain.
        var callback: (() -> Void)?
        /// The number of false results of `isOpen()` during this pause. The next resume calls the callback once for
        /// each.
        var answers = 0
        /// The number of calls of the callback that are due, but have not begun. Without a callback, they wait until
        /// one is set.
        var due = 0
        /// Whether a thread is calling the callback. That thread makes all calls that are due.
        var isCalling = false
        var isOver = false
    }

    private let observer: any Upstream
    private let resumeScheduler: ResumeScheduler
    private let state = Locked(State())

    init(_ observer: any Upstream, _ resumeScheduler: ResumeScheduler) {
        self.observer = observer
        self.resumeScheduler = resumeScheduler
    }

    func setCallback(_ callback: @escaping () -> Void) {
        var replaced: (() -> Void)? = callback
        let isDue = state.withLock { state in
            guard !state.isOver else { return false }
            swap(&state.callback, &replaced)
            return state.due > 0 && !state.isCalling
        }
        if isDue { resumeScheduler.wake(ResumeCallbacks(0, self, resumeScheduler)) }
    }

    /// Adds `count` to `due`. Then makes all calls that are due, unless another thread is making them.
    func callBack(_ count: Int) {
        let isFirst = state.withLock { state in
            state.due += count
            return !exchange(&state.isCalling, with: true)
        }
        guard isFirst else { return }
        while let callback = nextCallback() { callback() }
    }

    private func nextCallback() -> (() -> Void)? {
        state.withLock { state in
            guard state.due > 0, !state.isOver, let callback = state.callback else {
                state.isCalling = false
                return nil
            }
            state.due -= 1
            return callback
        }
    }

    func addAnswer() {
        state.withLock { $0.answers += 1 }
    }

    /// Withdraws one false result of `isOpen()`. Returns false if none is left.
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

    func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        for waiter in takeAll() { waiter.resume() }
        let answers = state.withLock { exchange(&$0.answers, with: 0) }
        if answers > 0 { worklist.queue(ResumeCallbacks(answers, self, resumeScheduler)) }
    }

    func dispose(key: UnsafeMutableRawPointer?) {
        observer.dispose(key: key)
        close()
        let callback = state.withLock { $0.callback.take() }
        withExtendedLifetime(callback) {}
    }

    /// Does not release the callback: Swift may hold the task's lock, and the release may run a `deinit` of the
    /// program. The disposal releases it later.
    func halt() {
        close()
    }

    private func close() {
        state.withLock { $0.isOver = true }
        for waiter in takeAll() { waiter.resume() }
    }

    var sourceName: String { "create" }
}

private final class ResumeCallbacks: FlowJob, @unchecked Sendable {  // immutable
    private let count: Int
    private let source: EntrySource

    init(_ count: Int, _ source: EntrySource, _ resumeScheduler: ResumeScheduler) {
        self.count = count
        self.source = source
        super.init(resumeScheduler: resumeScheduler) {
            let me = unsafeDowncast($0, to: ResumeCallbacks.self)
            me.source.callBack(me.count)
            return false
        }
    }
}

extension SinkBase {
    /// Whether there is room for an element. Also marks the chain as pausable.
    final func hasRoomForPush() -> Bool {
        crx_pause_set_pausable(chain)
        return !crx_pause_is_paused(crx_pause_word(chain))
    }
}

extension SubscribeContext {
    @usableFromInline
    mutating func feedInScope<Element>(by subscribe: (AnyObserver<Element>) -> any Disposable) {
        let handle = FlowEntry<Element>(&self, resumeScheduler)
        adopt(subscribe(AnyObserver(handle: handle)), keeping: true)
        withExtendedLifetime(handle) {}
    }
}

extension AnyObserver {
    /// Sends an element. In a bounded subscription, first waits for room, without blocking a thread.
    ///
    ///     Observable<Row>.create { out in
    ///         for try await row in rows { try await out.send(row) }
    ///     }
    ///
    /// In an unbounded subscription, sends at once and does not suspend; a loop without another `await` occupies its
    /// thread until its task is cancelled. Several tasks may send at the same time. While one task delivers, the
    /// elements of other tasks are queued, and the bound does not count them.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or the sequence has ended or been disposed of. In these
    ///   cases the element is not sent. An observer that does not come from `create` throws only if the task is
    ///   cancelled.
    public func send(_ element: Element) async throws {
        if let entry = handle as? FlowEntry<Element> { return try await entry.send(element) }
        try checkIsWanted()
        on(.next(element))
    }

    /// Waits for room, without blocking a thread. Call before fetching an element.
    ///
    ///     try await out.room()
    ///     for row in try await cursor.fetch(100) { try await out.send(row) }
    ///
    /// In an unbounded subscription there is always room. In a bounded one, room can be lost again before the next
    /// `send`.
    ///
    /// - Throws: like ``send(_:)``.
    public func room() async throws {
        if let entry = handle as? FlowEntry<Element> { return try await entry.untilOpen() }
        try checkIsWanted()
    }

    private func checkIsWanted() throws {
        try Task.checkCancellation()
        if handle.isOver { throw CancellationError() }
    }
}

/// The observer that ``ObservableType/create(flow:)`` passes to its closure. It shows whether there is room, and calls
/// a callback after a pause.
public struct FlowObserver<Element>: ObserverType, Sendable {
    @usableFromInline
    let observer: AnyObserver<Element>
    private let entry: FlowEntry<Element>?
    private let captured: CapturedContext?

    init(_ observer: AnyObserver<Element>) {
        self.observer = observer
        entry = observer.handle as? FlowEntry<Element>
        entry?.markPausable()
        captured = entry == nil ? nil : CapturedContext.capture()
    }

    /// Sends an event, even if there is no room for it.
    @inlinable
    public func on(_ event: Event<Element>) {
        observer.on(event)
    }

    /// Whether there is room for an element. Each time the result is false because of a pause, the callback of
    /// ``onResume(_:)`` is called once after the pause, even if the callback is set later.
    ///
    /// In an unbounded subscription, the result is true until the sequence ends or is disposed of. Afterwards it is
    /// false, and the callback is not called.
    public var isOpen: Bool {
        entry?.isOpen() ?? !observer.handle.isOver
    }

    /// Sets the callback that is called when there is room again. See ``isOpen`` for the number of calls.
    ///
    /// Calls come one at a time, on the scheduler of the boundary that paused the source or on a global queue. They run
    /// in the context that ``Hooks/captureContext`` captured at the subscription. The callback is released when the
    /// sequence has ended or been disposed of.
    public func onResume(_ callback: @escaping @Sendable () -> Void) {
        guard let entry else { return }
        guard let captured else { return entry.onResume(callback) }
        entry.onResume { captured.run(callback) }
    }
}

extension ObservableType {
    /// A sequence whose events are sent by `subscribe`, with callbacks for pauses and resumes.
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
    /// Like `create`, with the differences described at ``FlowObserver``. `subscribe` is called on the subscribing
    /// thread. Elements that are sent without room are queued: a boundary accepts up to 16 384 elements above its
    /// bound.
    @_disfavoredOverload
    @preconcurrency
    public static func create(
        flow subscribe: @escaping @Sendable (FlowObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        CreateProducer(asking: { subscribe(FlowObserver($0)) })
    }
}
