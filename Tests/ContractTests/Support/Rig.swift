import Dispatch
@_spi(RxServer) import RxSwift
import Synchronization
import TestSupport

typealias Tracked = LifetimeTracker.Tracked

/// The environment of one check of one row: the sources, the clock, and the behaviour of the operator's closures.
///
/// The callbacks do not change while another thread runs. They have no lock, because a lock would hide races of the
/// library from ThreadSanitizer.
final class Rig: @unchecked Sendable {
    let elements = LifetimeTracker()
    /// Counts the captures of the operator's closures.
    let captures = LifetimeTracker()
    let scheduler = ManualScheduler()

    /// Runs in each closure of the operator.
    var onCall: (() throws -> Void)?
    var onDispose: (() -> Void)?
    var onDeinit: (() -> Void)?
    /// Runs directly below a source for each element; receives the source's number.
    var onPass: ((Int) -> Void)?
    /// Runs in each subscription to a source; receives the source's number.
    var onSubscribe: ((Int) -> Void)?

    private(set) var feeds: [Feed] = []
    private let head: Feed.Head
    private let callCount = Atomic(0)
    private var queue: DispatchQueue?

    init(_ head: Feed.Head = .subject) {
        self.head = head
    }

    var calls: Int { callCount.load(ordering: .relaxed) }

    // MARK: Sources and closures for the operators of a row

    subscript(index: Int) -> Observable<Tracked> {
        while feeds.count <= index {
            feeds.append(Feed(head) { [weak self] in self?.onDispose?() })
        }
        var source = feeds[index].observable
        if onPass != nil {
            source = source.map { [weak self] element in
                self?.onPass?(index)
                return element
            }
        }
        guard onSubscribe != nil else { return source }
        return .deferred { [weak self, source] in
            self?.onSubscribe?(index)
            return source
        }
    }

    var a: Observable<Tracked> { self[0] }
    var b: Observable<Tracked> { self[1] }
    var c: Observable<Tracked> { self[2] }

    func sources(_ count: Int) -> [Observable<Tracked>] {
        (0..<count).map { self[$0] }
    }

    /// A value that a closure of the operator captures and calls.
    func hook() -> Hook {
        Hook(self, captures.make())
    }

    /// A scheduler on a dispatch queue. ``settle(_:)`` waits for the queue.
    func serial() -> SerialDispatchQueueScheduler {
        let queue = DispatchQueue(label: "contract")
        self.queue = queue
        return SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "contract.serial")
    }

    var executor: ManualExecutor { ManualExecutor(scheduler) }

    /// Passes on the events of `source`. ``executor`` is the preferred executor of asynchronous work downstream.
    func working(_ source: Observable<Tracked>) -> Observable<Tracked> {
        let executor = executor
        return Observable.create { observer in
            source.subscribe { event in WorkExecutor.preferred.withValue(executor) { observer.on(event) } }
        }
    }

    func make(_ value: Int = 0) -> Tracked {
        elements.make(value) { [weak self] in self?.onDeinit?() }
    }

    fileprivate func call() throws {
        callCount.add(1, ordering: .relaxed)
        try onCall?()
    }

    // MARK: Events for checks

    /// Sends one element into each source, `rounds` times, with rising values.
    func push(rounds: Int = 1, from first: Int = 0) {
        for round in first..<first + rounds {
            for (number, feed) in feeds.enumerated() {
                feed.send(.next(make(number * Rig.producer + round)))
                settle(0)
            }
        }
    }

    /// Completes all sources in order. If the form then subscribes to a source, completes that one too.
    func complete() {
        for _ in 0..<1000 {
            for feed in feeds {
                feed.send(.completed)
                settle(0)
            }
            if !feeds.contains(where: \.isWanted) { break }
        }
        settle()
    }

    func settle(_ milliseconds: Int = 100_000) {
        for _ in 0..<(queue == nil ? 1 : 3) {
            queue?.sync {}
            scheduler.advance(by: milliseconds)
        }
    }

    /// The values of source `n` begin at `n * producer`.
    static let producer = 1_000_000
}

final class Hook: Sendable {
    private let rig: Rig
    private let token: Tracked

    fileprivate init(_ rig: Rig, _ token: Tracked) {
        self.rig = rig
        self.token = token
    }

    func callAsFunction() throws {
        try rig.call()
    }

    /// Drops the error, because the calling closure cannot throw.
    func quietly() {
        try? rig.call()
    }
}

struct TrackedError: Error {
    let payload: Tracked
}
