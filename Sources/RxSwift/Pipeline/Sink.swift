public import CRxCore

/// One stage of a running chain: what it is without its element.
///
/// An event enters a chain at its source and travels down, one stage after the other, to the last sink:
///
///     source's cell ──► top sink ──► ... ──► last sink ──► SinkDisposer ──► source's cell
///                       (each owns the next)               (owns upstream only)
///
/// The one cycle is cut by removal, by the terminal event, or by the death of the source's handle. The last, which
/// nobody announces, must not be noticed: a chain with a teardown of the user's keeps itself until it is disposed of. A
/// stage has no lock: the gate at the head of the chain lets one thread in at a time.
@usableFromInline
class SinkBase: Haltable {
    /// The word of the chain this stage belongs to. It lives in the SinkDisposer, which the last sink keeps alive, and
    /// the last sink is kept alive by every stage above it. A ``SubjectSubscription`` has it within itself, and is the
    /// only one to change this, as it is made.
    @usableFromInline
    @exclusivity(unchecked)
    final var chain: UnsafeMutablePointer<crx_chain>

    @inlinable
    init(chain: UnsafeMutablePointer<crx_chain>) {
        self.chain = chain
    }

    /// Whether the subscriber still wants events. Asked before each of the user's closures, not for each event.
    @inlinable
    @inline(__always)
    final var isLive: Bool { crx_state_is_live(chain) }

    /// Marks the chain as wanted no more. Asked of a ``SubjectSubscription``, the one sink that may be a teardown; a
    /// subject, which feeds it, has nothing to mark.
    @usableFromInline
    final func halt() {
        _ = crx_state_fetch_or_acq_rel(chain, UInt(CRX_CHAIN_STOPPED))
    }

    /// Takes the terminal event: an error, or completion when there is none.
    @usableFromInline
    func end(_ error: (any Error)?) {
        abstractMethod()
    }

    /// Hands over the stage below, retained, to the thread that frees this one; `nil` where there is none, or not any
    /// more.
    @usableFromInline
    func takeDown() -> Unmanaged<SinkBase>? { nil }

    /// Frees a chain from `top` down to the first stage that somebody else keeps, too.
    ///
    /// It is a loop: a chain of any length is freed on a small stack, and twelve stages a seventh faster than when each
    /// freed the next.
    @usableFromInline
    static func free(_ top: Unmanaged<SinkBase>) {
        var next: SinkBase? = top.takeRetainedValue()
        while isKnownUniquelyReferenced(&next) { next = next.unsafelyUnwrapped.takeDown()?.takeRetainedValue() }
    }

    /// Lets a chain go by its top, once its source is gone.
    @usableFromInline
    static func release(_ top: Unmanaged<SinkBase>) {
        top._withUnsafeGuaranteedRef { $0.sourceIsGone() }
        top.release()
    }

    /// Called of the top of a chain when its source is gone. A chain with a teardown that may be noticed, which has
    /// neither ended nor been disposed of, keeps itself from here on.
    @usableFromInline
    func sourceIsGone() {
        let bits = crx_state_load_acquire(chain)
        if bits & UInt(CRX_CHAIN_KEPT | CRX_CHAIN_DISPOSED | CRX_CHAIN_STOPPED) != UInt(CRX_CHAIN_KEPT) { return }
        SinkDisposer.of(chain)._withUnsafeGuaranteedRef { $0.adopt(KeptTop(self)) }
    }

    /// The sink, or a stage above it that counts and is listed: where the program's own subscription begins, while
    /// somebody watches.
    @usableFromInline
    func watched(_ record: SubscriptionRecord?) -> SinkBase { self }

    /// Whether it delivers to the program.
    @usableFromInline
    var isOfProgram: Bool { false }

    /// What the chain feeds whose last sink this is, and what that is called; nil where it feeds the program.
    @usableFromInline
    var feeds: (chain: UnsafeMutablePointer<crx_chain>, operator: OperatorName)? { nil }

    /// Leaves the disposal of the chain after the terminal event to the stage directly above; `nil` where this is not
    /// the last sink.
    @usableFromInline
    func handDisposalOver() -> SinkDisposer? { nil }
}

/// The top of a chain that keeps itself, among its teardowns: freed when the chain is disposed of.
private final class KeptTop: Disposable {
    private let top: SinkBase

    init(_ top: SinkBase) {
        self.top = top
    }

    func dispose() {}
}

/// One stage of a running chain, as seen from above: it takes elements.
@usableFromInline
class Sink<Element>: SinkBase {
    @usableFromInline
    typealias Push = (Sink<Element>, Element) -> Void

    /// Takes an element. It captures nothing: the sink itself is its context, so specialised code calls specialised
    /// code through one indirect call, where a virtual method would be the unspecialised one.
    @usableFromInline
    let push: Push

    @inlinable
    @inline(__always)
    init(chain: UnsafeMutablePointer<crx_chain>, push: @escaping Push) {
        self.push = push
        super.init(chain: chain)
    }
}
