internal import CRxCore

/// Pauses and resumes the chains above it on a test's command.
///
/// Guards: `chains` is protected by its lock.
package final class TestValve: Sendable {
    private let chains = Locked<(isPaused: Bool, all: [SinkDisposer])>((false, []))
    private let home: FlowHome

    /// - Parameter scheduler: the scheduler on which paused sources resume.
    package init(on scheduler: any ImmediateSchedulerType) {
        home = FlowHome(scheduler)
    }

    /// The sequence above the valve.
    package func above<Element>(_ source: Observable<Element>) -> Observable<Element> {
        Observable { [self] _, assembly in
            let upper = SinkDisposer()
            assembly.feed(fromListening: ValveLink(upper))
            let isPaused = chains.withLock { chains in
                chains.all.append(upper)
                return chains.isPaused
            }
            if isPaused { _ = crx_state_change_reasons(upper.chain, CRX_CHAIN_FULL, 0) }
            let scope = FlowScope(assembly.scope?.buffering, home: home)
            source.subscribe(last: PassingSink(upper, assembly.takeTop(for: Element.self)), upper, scope: scope)
            return nil
        }
    }

    /// Pauses or resumes the chains above.
    package func set(isPaused: Bool) {
        let all = chains.withLock { chains in
            chains.isPaused = isPaused
            return chains.all
        }
        var agenda = FlowAgenda(turnOf: home)
        for chain in all {
            if isPaused {
                agenda.change(chain, set: CRX_CHAIN_FULL)
            } else {
                agenda.change(chain, clear: CRX_CHAIN_FULL)
            }
        }
        agenda.tellAll()
        agenda.finish()
    }
}

/// The chain above a valve, as the source of the one below.
private final class ValveLink: Upstream {
    private let upper: SinkDisposer

    init(_ upper: SinkDisposer) {
        self.upper = upper
    }

    func dispose(key _: UnsafeMutableRawPointer?) {
        upper.dispose()
    }

    func halt() {
        upper.halt()
    }

    func tell(isPaused: Bool, _ agenda: inout FlowAgenda) {
        agenda.hold(upper, isPaused)
    }
}

/// A source of a test that is notified of each pause and resume.
private final class ToldSource: Upstream {
    private let observer: any Upstream
    private let home: FlowHome
    private let told: (Bool) -> Void

    init(_ observer: any Upstream, _ home: FlowHome, _ told: @escaping (Bool) -> Void) {
        self.observer = observer
        self.home = home
        self.told = told
    }

    func dispose(key: UnsafeMutableRawPointer?) {
        observer.dispose(key: key)
    }

    func tell(isPaused: Bool, _ agenda: inout FlowAgenda) {
        if isPaused { told(true) } else { agenda.queue(ToldJob(home) { [told] in told(false) }) }
    }
}

private final class ToldJob: FlowJob, @unchecked Sendable {  // immutable
    private let work: () -> Void

    init(_ home: FlowHome, _ work: @escaping () -> Void) {
        self.work = work
        super.init(home: home) {
            unsafeDowncast($0, to: ToldJob.self).work()
            return false
        }
    }
}

extension Observable {
    /// A test's sequence that is notified when it is paused, and on `scheduler` when it may resume.
    ///
    /// - Parameter subscribe: feeds an observer. Returns a disposable, and a closure that is called with true for a
    ///   pause and false for a resume.
    package static func listening(
        on scheduler: any ImmediateSchedulerType,
        _ subscribe: @escaping (AnyObserver<Element>) -> (subscription: any Disposable, told: (Bool) -> Void)
    ) -> Observable<Element> {
        Observable { _, assembly in
            let observer = SerializedObserver(assembly.takeTop(for: Element.self))
            let handle = SerializedObserverHandle(observer)
            let (subscription, told) = subscribe(AnyObserver(handle: handle))
            assembly.feed(fromListening: ToldSource(observer, FlowHome(scheduler), told))
            assembly.adopt(subscription, keeping: true)
            return nil
        }
    }
}
