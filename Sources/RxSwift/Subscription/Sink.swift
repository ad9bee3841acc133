public import CRxCore

/// One stage of a running chain, independent of the type of the elements. Each stage passes an event to the next:
///
///     source ──► top sink ──► ... ──► terminal observer ──► ChainLifetime ──► source
///
/// The arrows are strong references. The terminal event and the disposal break the cycle, because they remove the chain
/// from the source. The cycle also breaks if the program releases the subject or observer that feeds the chain, unless
/// a user's teardown must still run (see ``ChainLifetime``). Such a release sends no event and runs no teardown. A
/// stage has no lock, because the gate at the head of the chain admits one thread at a time.
@usableFromInline
class SinkBase: Haltable {
    /// The word in the chain's ``ChainLifetime``, which the terminal observer retains. A ``DirectSubjectSubscription``
    /// stores the word itself; only its initializer changes this pointer.
    @usableFromInline
    @exclusivity(unchecked)
    final var chain: UnsafeMutablePointer<crx_chain>

    @inlinable
    init(chain: UnsafeMutablePointer<crx_chain>) {
        self.chain = chain
    }

    @inlinable
    @inline(__always)
    final var isLive: Bool { crx_lifetime_is_live(chain) }

    /// Called only for a ``DirectSubjectSubscription``, the only sink that can be another chain's teardown. The halt
    /// ends here, because the source is a subject.
    @usableFromInline
    final func halt() {
        _ = crx_lifetime_stop(chain)
    }

    /// The chain must not belong to a ``DirectSubjectSubscription``.
    @usableFromInline
    final func disposeChain() {
        ChainLifetime.of(chain)._withUnsafeGuaranteedRef { $0.dispose() }
    }

    /// Receives the terminal event: `error`, or completion if it is nil.
    @usableFromInline
    func end(_ error: (any Error)?) {
        abstractMethod()
    }

    /// Returns the stage below, retained; nil if there is none. Called once, by the thread that frees this stage.
    @usableFromInline
    func takeDown() -> Unmanaged<SinkBase>? { nil }

    /// Frees a chain from `top` down to the first stage with another reference. Uses a loop, because the recursive
    /// release of a long chain would overflow the stack.
    @usableFromInline
    static func free(_ top: Unmanaged<SinkBase>) {
        var next: SinkBase? = top.takeRetainedValue()
        while isKnownUniquelyReferenced(&next) { next = next.unsafelyUnwrapped.takeDown()?.takeRetainedValue() }
    }

    @usableFromInline
    static func release(_ top: Unmanaged<SinkBase>) {
        top._withUnsafeGuaranteedRef { $0.sourceIsGone() }
        top.release()
    }

    /// Called when the source releases the top of a chain. A live chain with a user's teardown then retains itself.
    @usableFromInline
    func sourceIsGone() {
        guard crx_lifetime_outlives_source(crx_lifetime_word(chain)) else { return }
        ChainLifetime.of(chain)._withUnsafeGuaranteedRef { $0.adopt(KeptTop(self)) }
    }

    /// Returns this sink, or a new stage above it that counts and records the events for ``Subscriptions``. Called on
    /// the terminal observer while counting or listing is on.
    @usableFromInline
    func instrumented(_ record: SubscriptionRecord?) -> SinkBase { self }

    @usableFromInline
    var isOfProgram: Bool { false }

    /// The chain that this chain feeds, and the operator between the two. Nil if this chain delivers to the program, or
    /// if this sink is not a terminal observer.
    @usableFromInline
    var feeds: (chain: UnsafeMutablePointer<crx_chain>, operator: OperatorName)? { nil }

    /// Makes the stage directly above responsible for disposing of the chain after the terminal event. Returns the
    /// lifetime; nil if this sink is not the terminal observer.
    @usableFromInline
    func handDisposalOver() -> ChainLifetime? { nil }
}

private final class KeptTop: Disposable {
    private let top: SinkBase

    init(_ top: SinkBase) {
        self.top = top
    }

    func dispose() {}
}

@usableFromInline
class Sink<Element>: SinkBase {
    @usableFromInline
    typealias Push = (Sink<Element>, Element) -> Void

    /// Delivers an element. Receives the sink and captures nothing, so that specialised code calls specialised code
    /// through one indirect call. A virtual method would not be specialised.
    @usableFromInline
    let push: Push

    @inlinable
    @inline(__always)
    init(chain: UnsafeMutablePointer<crx_chain>, push: @escaping Push) {
        self.push = push
        super.init(chain: chain)
    }

    /// If the chain is listed and feeds another listed chain, adds a stage that counts this chain's error in the record
    /// of the other chain.
    @usableFromInline
    override func instrumented(_ record: SubscriptionRecord?) -> SinkBase {
        if let fed = record?.fed { InnerFailureStage(self, fed) } else { self }
    }
}
