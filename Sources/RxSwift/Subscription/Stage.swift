/// The stage of a linear operator: one source, no timer, no thread of its own.
///
/// Subclasses hold the closure and the state of their operator. Only the thread that the gate above has admitted
/// touches the state.
@usableFromInline
class Stage<Input, Output>: Sink<Input> {
    /// Retained; nil once the stage is being freed. Unmanaged, because a delivery must not count references.
    @usableFromInline
    @exclusivity(unchecked)
    final var below: Unmanaged<SinkBase>?

    @inlinable
    init(down: Sink<Output>, push: @escaping Push) {
        below = Unmanaged.passRetained(down)
        super.init(chain: down.chain, push: push)
    }

    @inlinable
    deinit {
        if let below { SinkBase.free(below) }
    }

    @inlinable
    @inline(__always)
    final var down: Unmanaged<Sink<Output>> { .fromOpaque(below.unsafelyUnwrapped.toOpaque()) }

    @usableFromInline
    final override func takeDown() -> Unmanaged<SinkBase>? {
        defer { below = nil }
        return below
    }

    @inlinable
    @inline(__always)
    final func deliver(_ element: Output) {
        #if DEBUG
            // This retains the sink but uses two frames fewer, so that an unoptimised chain of a thousand stages fits a
            // small stack.
            let sink = down.takeUnretainedValue()
            sink.push(sink, element)
        #else
            down._withUnsafeGuaranteedRef { $0.push($0, element) }
        #endif
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        down._withUnsafeGuaranteedRef { $0.end(error) }
    }
}
