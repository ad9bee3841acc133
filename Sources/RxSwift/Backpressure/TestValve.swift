internal import CRxCore

package final class TestValve: Sendable {
    private let chains = Locked<(isPaused: Bool, all: [ChainLifetime])>((false, []))
    private let resumeScheduler: ResumeScheduler

    package init(on scheduler: any ImmediateSchedulerType) {
        resumeScheduler = ResumeScheduler(scheduler)
    }

    package func above<Element>(_ source: Observable<Element>) -> Observable<Element> {
        Observable { [self] _, context in
            let upper = ChainLifetime()
            context.feed(fromListening: UpperChain(upper))
            let isPaused = chains.withLock { chains in
                chains.all.append(upper)
                return chains.isPaused
            }
            if isPaused { _ = crx_pause_set_full(upper.chain, true) }
            let scope = FlowScope(context.scope?.buffering, resumeScheduler: resumeScheduler)
            source.subscribe(last: PassingSink(upper, context.takeTop(for: Element.self)), upper, scope: scope)
            return nil
        }
    }

    package func set(isPaused: Bool) {
        let all = chains.withLock { chains in
            chains.isPaused = isPaused
            return chains.all
        }
        var worklist = PauseWorklist(turnOf: resumeScheduler)
        for chain in all {
            worklist.setFull(isPaused, chain)
        }
        worklist.notifyAll()
        worklist.finish()
    }
}

private final class NotifiedSource: Upstream {
    private let observer: any Upstream
    private let resumeScheduler: ResumeScheduler
    private let told: (Bool) -> Void

    init(_ observer: any Upstream, _ resumeScheduler: ResumeScheduler, _ told: @escaping (Bool) -> Void) {
        self.observer = observer
        self.resumeScheduler = resumeScheduler
        self.told = told
    }

    func dispose(key: UnsafeMutableRawPointer?) {
        observer.dispose(key: key)
    }

    func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        if isPaused { told(true) } else { worklist.queue(NotifyJob(resumeScheduler) { [told] in told(false) }) }
    }
}

private final class NotifyJob: FlowJob, @unchecked Sendable {  // immutable
    private let work: () -> Void

    init(_ resumeScheduler: ResumeScheduler, _ work: @escaping () -> Void) {
        self.work = work
        super.init(resumeScheduler: resumeScheduler) {
            unsafeDowncast($0, to: NotifyJob.self).work()
            return false
        }
    }
}

extension Observable {
    /// A sequence for tests. `subscribe` feeds an observer, and returns a disposable and a closure. At a pause the
    /// closure is called with true. At a resume it is called with false, on `scheduler`.
    package static func listening(
        on scheduler: any ImmediateSchedulerType,
        _ subscribe: @escaping (AnyObserver<Element>) -> (subscription: any Disposable, told: (Bool) -> Void)
    ) -> Observable<Element> {
        Observable { _, context in
            let observer = SerializedObserver(context.takeTop(for: Element.self))
            let handle = SerializedObserverHandle(observer)
            let (subscription, told) = subscribe(AnyObserver(handle: handle))
            context.feed(fromListening: NotifiedSource(observer, ResumeScheduler(scheduler), told))
            context.adopt(subscription, keeping: true)
            return nil
        }
    }
}
