internal import CRxCore

/// Feeds a chain from a source that a scheduler subscribes to later.
final class ScheduledSubscription: UpperChain {
    /// First the scheduled job, later the teardown of the source.
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

    /// Names no operator, because the downstream chain already has this operator's name.
    override var feeds: (chain: UnsafeMutablePointer<crx_chain>, operator: OperatorName)? {
        (down.chain, .of(Observable<Element>.self, handler: nil))
    }
}
