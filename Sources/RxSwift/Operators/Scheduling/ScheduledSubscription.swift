internal import CRxCore

/// A chain that a scheduler subscribes later. Disposal stops its running source at once; its teardown belongs to the
/// scheduled job.
final class ScheduledSubscription: UpperChain {
    /// The scheduled job, then its teardown.
    let subscription = SerialDisposable()

    override func dispose(key _: UnsafeMutableRawPointer?) {
        upper.halt()
        subscription.dispose()
    }
}

final class PassingSink<Element>: TerminalObserver<Element> {
    let down: Sink<Element>

    init(_ lifetime: ChainLifetime, _ down: Sink<Element>) {
        self.down = down
        super.init(lifetime) { base, element in
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

    /// The downstream chain names the operator itself.
    override var feeds: (chain: UnsafeMutablePointer<crx_chain>, operator: OperatorName)? {
        (down.chain, .of(Observable<Element>.self, handler: nil))
    }
}
