public import CRxCore

/// The base of operators whose sources follow one another, such as concat, catch and retry.
///
/// It needs no gate: a source is subscribed to only after the previous source has ended, and the events of each source
/// are serial. The arrows are strong references:
///
///     source ──► ... ──► SequentialSink ──► SequentialCoordinator ──► chain below ──► ChainLifetime
///                         ChainLifetime of the present source ◄── InnerChains ◄──────────┘
///
/// A source may end, on any thread, before its `subscribe` has returned. When `subscribe` has returned, the loop that
/// called it (``answer(with:)``) subscribes to the next source, so the stack does not grow.
///
/// A source that ends before its `subscribe` returns sends its elements even during a pause. So during a pause the loop
/// subscribes to only one source. The next source waits for the resume.
///
/// Guards:
/// - `due`: atomic; the number of calls of `advance` that have not been processed. The thread that increments `due`
///   from 0 processes all calls.
/// - `present`, and the state that a subclass uses in `next`: used by the processing thread. A thread that ends a
///   source may also use this state, until it calls `advance`. The processing thread last used the state before it
///   subscribed to that source, and uses the state again only after that call.
@usableFromInline
class SequentialCoordinator<Element> {
    // The first stored property, because `due` is computed from its address.
    @usableFromInline
    final var word = crx_flag()
    /// Unretained, so a delivery changes no reference count. `retained` keeps the chain below alive.
    @usableFromInline
    final let down: Unretained<Sink<Element>>
    @usableFromInline
    final let retained: Sink<Element>
    /// Makes the sink for a source; see ``SequentialSink/begin(_:_:push:)``. The closure comes from specialised code,
    /// so the sink is specialised.
    @usableFromInline
    typealias Begin = (SequentialCoordinator<Element>, Observable<Element>) -> SequentialSink<Element>?

    @inlinable
    static var passing: Begin {
        {
            SequentialSink.begin($0, $1) { base, element in
                unsafeDowncast(base, to: SequentialSink<Element>.self).pass(element)
            }
        }
    }

    @usableFromInline
    final let begin: Begin
    @usableFromInline
    final let innerChains: InnerChains
    @usableFromInline
    @exclusivity(unchecked)
    final var present: InnerLifetime?

    @inlinable
    init(_ context: inout SubscribeContext, begin: @escaping Begin = SequentialCoordinator.passing) {
        retained = context.takeTop(for: Element.self)
        down = Unretained(retained)
        self.begin = begin
        innerChains = InnerChains(of: &context)
    }

    @inlinable
    deinit {
        retained.sourceIsGone()
    }

    private final var due: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }

    @usableFromInline
    func next() -> Observable<Element>? { nil }

    @usableFromInline
    func ended(_ error: (any Error)?) {
        abstractMethod()
    }

    @usableFromInline
    func exhausted() {
        end(nil)
    }

    /// Called when the previous source has been disposed of. Returns whether `source` has been subscribed to. For a
    /// `deferred`, the override in ``Concat`` calls the closure and returns false.
    @discardableResult
    @usableFromInline
    func subscribeNext(_ source: Observable<Element>) -> Bool {
        subscribe(source)
        return true
    }

    @usableFromInline
    final func advance() {
        if crx_flag_fetch_add_acq_rel(due, 1) == 0 { answer(with: nil) }
    }

    /// Processes the calls of `advance`. `kept` is a source that waited for a resume.
    final func answer(with kept: Observable<Element>?) {
        // No `take()`: a generic operation on `kept` would look up type metadata.
        var (kept, follows) = (kept, false)
        repeat {
            guard isLive else { continue }
            let waited = kept
            kept = nil
            guard let source = waited == nil ? next() : waited else {
                // `next` also returns nil after a disposal.
                if isLive { exhausted() }
                continue
            }
            if let ended = present.take() { innerChains.dispose(ended) }
            // The closure that made the source, or a teardown of the previous one, may have disposed of the chain.
            guard isLive else { continue }
            // If the source must wait, the resuming thread continues the loop.
            if follows && keepsForResume(source) { return }
            if subscribeNext(source) { follows = true }
        } while crx_flag_fetch_add_acq_rel(due, UInt.max) > 1
    }

    @usableFromInline
    final func subscribe(_ source: Observable<Element>) {
        let source = source.startable(for: down.chain)
        guard let inner = begin(self, source) else { return ended(nil) }
        present = inner.lifetime
        source.subscribe(successor: inner, inner.lifetime, in: innerChains)
    }

    /// Ends the chain below and disposes of the present source.
    @usableFromInline
    final func end(_ error: (any Error)?) {
        down.end(error)
    }

    @usableFromInline
    final var isLive: Bool {
        down.isLive
    }
}

@usableFromInline
final class SequentialSink<Element>: Sink<Element> {
    @usableFromInline
    let coordinator: SequentialCoordinator<Element>
    @usableFromInline
    let down: Unretained<Sink<Element>>
    @usableFromInline
    let lifetime: InnerLifetime

    @inlinable
    init(_ coordinator: SequentialCoordinator<Element>, push: @escaping Push) {
        self.coordinator = coordinator
        down = coordinator.down
        lifetime = InnerLifetime(subscribing: ())
        super.init(chain: lifetime.chain, push: push)
    }

    /// Delivers the only element of a ``Scalar`` and returns nil. For other sources, returns a new sink.
    @inlinable
    @inline(__always)
    static func begin(
        _ coordinator: SequentialCoordinator<Element>, _ source: Observable<Element>, push: @escaping Push
    ) -> SequentialSink<Element>? {
        guard let element = Scalar.element(of: source) else { return SequentialSink(coordinator, push: push) }
        coordinator.down.push(element)
        return nil
    }

    @usableFromInline
    override var feeds: (chain: UnsafeMutablePointer<crx_chain>, operator: OperatorName)? {
        (down.chain, .of(type(of: coordinator), handler: nil))
    }

    @inlinable
    @inline(__always)
    func pass(_ element: Element) {
        guard isLive else { return }
        down.push(element)
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        lifetime.end { disposesItself in
            coordinator.ended(error)
            if disposesItself { lifetime.dispose() }
        }
    }
}
