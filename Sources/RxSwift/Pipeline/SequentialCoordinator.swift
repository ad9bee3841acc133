public import CRxCore

/// Where sources follow one another: concat, catch, retry and their like.
///
/// It has no gate, because nothing happens at once: a source is subscribed only after the one before it has ended, and
/// the events of each are serial. The chain below owns the list of inner chains, which holds one at a time.
///
///     source's cell ──► ... ──► SequentialSink ──► SequentialCoordinator ──► chain below ──► SinkDisposer
///                                SinkDisposer of the present source ◄── InnerChains ◄──┘
///
/// A source may end while it is still being subscribed, on this thread or on another; the next one is then subscribed
/// after that, by the same loop. So the stack does not grow with the number of sources. What such a source sends, no
/// pause holds up: of a row of them one has its turn in a pause, and the next with the resume.
///
/// Guards:
/// - `due`: atomic: how many calls of `advance` have not been answered. The thread that raises it from 0 answers all of
///   them.
/// - `present`, and what a subclass touches in `next`: the thread that answers. A source's end may touch it, too,
///   before it calls `advance`: its subscription came before it, and nobody answers until `advance`.
@usableFromInline
class SequentialCoordinator<Element> {
    // The first stored property: `due` points at it.
    @usableFromInline
    final var word = crx_flag()
    /// Retained. Unmanaged, because a delivery must not count references.
    @usableFromInline
    final let down: Unmanaged<Sink<Element>>
    /// Delivers a source that is one element, and makes the sink of any other: made in specialised code, and so is what
    /// it makes.
    @usableFromInline
    typealias Begin = (SequentialCoordinator<Element>, Observable<Element>) -> SequentialSink<Element>?

    /// What most begin with: the elements are passed on.
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
    final var present: InnerDisposer?

    /// Makes the sequential coordinator the source of the chain that `assembly` puts together.
    @inlinable
    init(_ assembly: inout Assembly, begin: @escaping Begin = SequentialCoordinator.passing) {
        down = Unmanaged.passRetained(assembly.takeTop(for: Element.self))
        self.begin = begin
        innerChains = InnerChains(of: &assembly)
    }

    @inlinable
    deinit {
        SinkBase.release(.fromOpaque(down.toOpaque()))
    }

    private final var due: UnsafeMutablePointer<crx_flag> { FlagAndLock.flag(of: self) }

    /// The source whose turn it is, or nil when there is none.
    @usableFromInline
    func next() -> Observable<Element>? { nil }

    /// Handles the terminal event of the present source.
    @usableFromInline
    func ended(_ error: (any Error)?) {
        abstractMethod()
    }

    /// Ends the chain below when no source is left.
    @usableFromInline
    func exhausted() {
        end(nil)
    }

    /// Subscribes a source whose turn it is. The one before it has been disposed.
    ///
    /// - Returns: whether it has been: false of one that only says which is the next.
    @discardableResult
    @usableFromInline
    func subscribeNext(_ source: Observable<Element>) -> Bool {
        subscribe(source)
        return true
    }

    /// Goes on to the next source, or to the end.
    @usableFromInline
    final func advance() {
        if crx_flag_fetch_add_acq_rel(due, 1) == 0 { answer(with: nil) }
    }

    /// Answers the calls of `advance`.
    ///
    /// - Parameter kept: the first source, where it has waited for a resume.
    fileprivate final func answer(with kept: Observable<Element>?) {
        // Nothing generic is done to it: the type would be looked up each time.
        var (kept, follows) = (kept, false)
        repeat {
            guard isLive else { continue }
            let waited = kept
            kept = nil
            guard let source = waited == nil ? next() : waited else {
                // There may be no next one because the chain was disposed of.
                if isLive { exhausted() }
                continue
            }
            // Who made it may have disposed of the chain.
            let below = down._withUnsafeGuaranteedRef { crx_state_load_relaxed($0.chain) }
            if below & UInt(CRX_CHAIN_OVER) != 0 { continue }
            if let ended = present.take() { innerChains.dispose(ended) }
            // It is another thread's from then on.
            if follows && below & UInt(CRX_CHAIN_REASONS) != 0 && keepsForResume(source) { return }
            if subscribeNext(source) { follows = true }
        } while crx_flag_fetch_add_acq_rel(due, UInt.max) > 1
    }

    /// Whether a source waits for the resume which follows one that has ended while it was being subscribed.
    private final func keepsForResume(_ source: Observable<Element>) -> Bool {
        guard let scope = innerChains.scope else { return false }
        return innerChains.keepsForResume(next: NextSourceJob(self, source, scope.home))
    }

    /// Subscribes a source, as the present one.
    @usableFromInline
    final func subscribe(_ source: Observable<Element>) {
        let source = isPaused ? source.pausable : source
        guard let inner = begin(self, source) else { return ended(nil) }
        present = inner.disposer
        source.subscribe(successor: inner, inner.disposer, in: innerChains)
    }

    /// Ends the chain below, which disposes the present source.
    @usableFromInline
    final func end(_ error: (any Error)?) {
        down._withUnsafeGuaranteedRef { $0.end(error) }
    }

    /// Whether the chain below is paused.
    private final var isPaused: Bool {
        down._withUnsafeGuaranteedRef { crx_state_load_relaxed($0.chain) & CRX_CHAIN_REASONS != 0 }
    }

    /// Whether the chain below still wants events.
    @usableFromInline
    final var isLive: Bool {
        down._withUnsafeGuaranteedRef { $0.isLive }
    }
}

/// The last sink of a source of a ``SequentialCoordinator``.
@usableFromInline
final class SequentialSink<Element>: Sink<Element> {
    @usableFromInline
    let coordinator: SequentialCoordinator<Element>
    /// The chain below, which the sequential coordinator retains.
    @usableFromInline
    let down: Unmanaged<Sink<Element>>
    @usableFromInline
    let disposer: InnerDisposer

    @inlinable
    init(_ coordinator: SequentialCoordinator<Element>, push: @escaping Push) {
        self.coordinator = coordinator
        down = coordinator.down
        disposer = InnerDisposer(subscribing: ())
        super.init(chain: disposer.chain, push: push)
    }

    /// Hands the element of a source that is no more than that to the chain below; else makes the source's sink.
    @inlinable
    @inline(__always)
    static func begin(
        _ coordinator: SequentialCoordinator<Element>, _ source: Observable<Element>, push: @escaping Push
    ) -> SequentialSink<Element>? {
        guard let element = Scalar.element(of: source) else { return SequentialSink(coordinator, push: push) }
        coordinator.down._withUnsafeGuaranteedRef { $0.push($0, element) }
        return nil
    }

    @usableFromInline
    override var feeds: (chain: UnsafeMutablePointer<crx_chain>, operator: OperatorName)? {
        (down._withUnsafeGuaranteedRef { $0.chain }, .of(type(of: coordinator), port: nil))
    }

    /// Hands an element to the chain below, unless this source has had its turn.
    @inlinable
    @inline(__always)
    func pass(_ element: Element) {
        guard isLive else { return }
        down._withUnsafeGuaranteedRef { $0.push($0, element) }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        disposer.end { disposesItself in
            coordinator.ended(error)
            if disposesItself { disposer.dispose() }
        }
    }
}

/// Goes on with a source that has waited for the chain below to go on.
private final class NextSourceJob<Element>: FlowJob, @unchecked Sendable {  // immutable
    private let coordinator: SequentialCoordinator<Element>
    private let source: Observable<Element>
    private let context = HopContext.capture()

    init(_ coordinator: SequentialCoordinator<Element>, _ source: Observable<Element>, _ home: FlowHome) {
        self.coordinator = coordinator
        self.source = source
        super.init(home: home) {
            unsafeDowncast($0, to: NextSourceJob<Element>.self).go()
            return false
        }
    }

    private func go() {
        if let context { context.run { coordinator.answer(with: source) } } else { coordinator.answer(with: source) }
    }

    /// The scheduler has been shut down: nothing comes any more.
    override func drop() {
        let chain = coordinator.down._withUnsafeGuaranteedRef { $0.chain }
        SinkDisposer.of(chain)._withUnsafeGuaranteedRef { $0.dispose() }
    }
}
