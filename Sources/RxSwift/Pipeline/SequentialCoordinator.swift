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
/// after that, by the same loop. So the stack does not grow with the number of sources.
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
    @exclusivity(unchecked)
    final var word = crx_flag()
    /// Retained. Unmanaged, because a delivery must not count references.
    @usableFromInline
    final let down: Unmanaged<Sink<Element>>
    /// What the inner sinks' `push` is, made in specialised code.
    @usableFromInline
    final let push: Sink<Element>.Push
    @usableFromInline
    final let innerChains: InnerChains
    @usableFromInline
    @exclusivity(unchecked)
    final var present: InnerDisposer?

    /// Makes the sequential coordinator the source of the chain that `assembly` puts together.
    @inlinable
    convenience init(_ assembly: inout Assembly) {
        self.init(&assembly) { base, element in unsafeDowncast(base, to: SequentialSink<Element>.self).pass(element) }
    }

    @inlinable
    init(_ assembly: inout Assembly, push: @escaping Sink<Element>.Push) {
        down = Unmanaged.passRetained(assembly.takeTop(for: Element.self))
        self.push = push
        innerChains = InnerChains()
        assembly.feed(from: innerChains)
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
    @usableFromInline
    func open(_ source: Observable<Element>) {
        subscribe(source)
    }

    /// Goes on to the next source, or to the end.
    @usableFromInline
    final func advance() {
        guard crx_flag_fetch_add_acq_rel(due, 1) == 0 else { return }
        repeat { answer() } while crx_flag_fetch_add_acq_rel(due, UInt.max) > 1
    }

    private final func answer() {
        guard isLive else { return }
        guard let source = next() else { return exhausted() }
        if let ended = present.take() { innerChains.dispose(ended) }
        open(source)
    }

    /// Subscribes a source, as the present one.
    @usableFromInline
    final func subscribe(_ source: Observable<Element>) {
        if let element = Scalar.element(of: source) {
            down._withUnsafeGuaranteedRef { $0.push($0, element) }
            ended(nil)
        } else {
            Thrower.forget()
            let inner = SequentialSink(self)
            present = inner.disposer
            source.subscribe(successor: inner, inner.disposer, in: innerChains)
        }
    }

    /// Ends the chain below, which disposes the present source.
    @usableFromInline
    final func end(_ error: (any Error)?) {
        down._withUnsafeGuaranteedRef { $0.end(error) }
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

    init(_ coordinator: SequentialCoordinator<Element>) {
        self.coordinator = coordinator
        down = coordinator.down
        disposer = InnerDisposer(subscribing: ())
        super.init(chain: disposer.chain, push: coordinator.push)
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
