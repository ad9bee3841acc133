internal import CRxCore

/// A chain that a scheduler subscribes later, as the source of the chain below: what runs on it already is told to end
/// at once, and what there is to tear down goes with what was scheduled.
final class Hop: Upstream {
    let upper: SinkDisposer
    /// What is scheduled, and what it leaves to be disposed of.
    let subscription = SerialDisposable()

    init(_ upper: SinkDisposer) {
        self.upper = upper
    }

    func dispose(key _: UnsafeMutableRawPointer?) {
        upper.halt()
        subscription.dispose()
    }

    func halt() {
        upper.halt()
    }

    func tell(isPaused: Bool, _ agenda: inout FlowAgenda) {
        agenda.hold(upper, isPaused)
    }
}

/// The last sink of a chain that comes late.
final class PassingSink<Element>: LastSink<Element> {
    let down: Sink<Element>

    init(_ disposer: SinkDisposer, _ down: Sink<Element>) {
        self.down = down
        super.init(disposer) { base, element in
            let down = unsafeDowncast(base, to: PassingSink<Element>.self).down
            down.push(down, element)
        }
    }

    deinit {
        down.sourceIsGone()
    }

    override func deliverEnd(_ error: (any Error)?) {
        down.end(error)
    }

    /// The chain below names the operator itself.
    override var feeds: (chain: UnsafeMutablePointer<crx_chain>, operator: OperatorName)? {
        (down.chain, .of(Observable<Element>.self, port: nil))
    }
}
