import RxSwift
import TestSupport
import Testing

/// A chain is freed when its sources are released. This does not apply if the program could observe that the chain is
/// freed, for example by a teardown. A task that awaits a released source waits forever, and retains its captures.
@Suite struct SilentSourceTests {
    @Test(
        "is freed with its released sources",
        arguments: Table.rows(without: [.awaits, .anchored]))
    func release(_ row: Row) {
        if row.keepsItself || !row.hasSources { return }
        let rig = Rig(.bare)
        weak var observer: Probe?
        do {
            let probe = Probe()
            observer = probe
            _ = row.form(rig).subscribe(probe)
        }
        rig.push(rounds: 2)
        rig.forget()
        #expect(observer == nil, "the observer")
        #expect(rig.elements.live == 0, "elements")
        #expect(rig.captures.live == 0, "closures")
    }

    @Test(
        "lives until it is disposed of where a source has something to dispose",
        arguments: Table.rows(without: [.awaits, .anchored]))
    func stays(_ row: Row) {
        let rig = Rig(.create)
        let subscription = row.form(rig).subscribe(Probe())
        rig.push(rounds: 2)
        rig.settle()
        let disposals = rig.disposals
        rig.forget()
        // A timeout or a deadline may fire and dispose of a source.
        #expect(rig.disposals == disposals || row.name.hasPrefix("timeout") || row.name.hasPrefix("deadline"))
        subscription.dispose()
        rig.settle()
        #expect(rig.disposals == rig.feeds.map(\.subscriptions).reduce(0, +))
        #expect(rig.captures.live == 0, "closures")
    }
}

extension Rig {
    fileprivate var disposals: Int { feeds.map(\.disposals).reduce(0, +) }

    fileprivate func forget() {
        // A pending timer may subscribe to another source, so there are several rounds.
        for _ in 0..<20 {
            for feed in feeds { feed.forget() }
            settle()
        }
    }
}

extension Row {
    fileprivate var hasSources: Bool { !Trial(self).rig.feeds.isEmpty }

    /// Whether the chain outlives its sources, because the operator has a teardown or a timer, or counts its observers.
    fileprivate var keepsItself: Bool {
        [
            "do(", "using(", "share(", "refCount(", "asDriver", "asSignal", "SharedSequence", "Driver.", "Signal.",
            "Async(",
            "static create(", "Infallible.create(", "Completable.create(",
            "(_:selector:)", "replay(_:for:", "(timeSpan:", "cascade(", "partition(", "pausableBuffered(",
            "bufferWithTrigger(",
            "notification(", "autoConnect(", "hedged(", "batched(", "(first:between:", "timeout(first:scheduler:)",
            "timeout(between:", "timeout(within:", "until(_:as:)", "counted(",
            "admitted(", "limited(", "guarded(", "UnicastSubject",
        ].contains { name.contains($0) }
    }
}

@Suite struct SilentSourceExamples {
    private final class Server: Sendable {}

    @Test func sharedCacheLoadsOnce() {
        for replay in [1, 2] {
            let loads = Guarded(0)
            let cache = Observable<Int>.create { observer in
                loads.withLock { $0 += 1 }
                observer.onNext(1)
                return Disposables.create()
            }.share(replay: replay)
            let log = Log()
            let held = (0..<3).map { _ in cache.note(in: log) }
            #expect(loads.withLock { $0 } == 1)
            #expect(log.text == "1 1 1")
            held.forEach { $0.dispose() }
        }
    }

    enum Form: CaseIterable {
        case create, using, onDispose, onDisposeOfNever, belowAMerge, belowAFlatMap, belowAHop, belowASubject,
            belowADebug, belowADelay
    }

    @Test(arguments: Form.allCases) func subscriptionWithTeardownDisposableDroppedLivesUntilStopped(form: Form) {
        let (stop, log) = (PublishSubject<Void>(), Log())
        weak var server: Server?
        do {
            let new = Server()
            server = new
            _ = source(form, new, log).take(until: stop).subscribe()
        }
        #expect(server != nil)
        #expect(log.text == "")
        stop.onNext(())
        #expect(server == nil)
        #expect(log.text == "stopped")
    }

    private func source(_ form: Form, _ server: Server, _ log: Log) -> Observable<Int> {
        let teardown = { @Sendable in withExtendedLifetime(server) { log("stopped") } }
        let silent = Observable<Int>.create { _ in Disposables.create() }
        return switch form {
        case .create: Observable.create { _ in Disposables.create(with: teardown) }
        case .using:
            Observable.using(
                { RefCountDisposable(disposable: Disposables.create(with: teardown)) },
                observableFactory: { _ in silent })
        case .onDispose: silent.do(onDispose: teardown)
        case .onDisposeOfNever: Observable.never().do(onDispose: teardown)
        case .belowAMerge: Observable.merge(silent, silent).do(onDispose: teardown)
        case .belowAFlatMap: silent.startWith(1).flatMap { _ in silent }.do(onDispose: teardown)
        case .belowAHop: silent.observe(on: CurrentThreadScheduler.instance).do(onDispose: teardown)
        case .belowASubject: PublishSubject<Int>().do(onDispose: teardown)
        case .belowADebug: silent.debug().do(onDispose: teardown)
        case .belowADelay:
            silent.delay(.seconds(1), scheduler: SerialDispatchQueueScheduler(qos: .default)).do(onDispose: teardown)
        }
    }
}
