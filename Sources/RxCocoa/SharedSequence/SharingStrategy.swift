import RxSwift

/// How a ``SharedSequence`` is shared, and where it delivers.
public protocol SharingStrategyProtocol {
    /// Where the sequences of this strategy deliver.
    static var scheduler: any SchedulerType { get }

    /// One subscription to `source` for all observers.
    static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
}

/// The strategy of a ``Driver``: a new observer receives the latest element first, while anybody observes.
public struct DriverSharingStrategy: SharingStrategyProtocol {
    /// What ``SharingScheduler`` makes.
    public static var scheduler: any SchedulerType { SharingScheduler.make() }

    /// `source.share(replay: 1, scope: .whileConnected)`.
    @inlinable
    public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(replay: 1, scope: .whileConnected)
    }
}

/// The strategy of a ``Signal``: a new observer receives what comes after it.
public struct SignalSharingStrategy: SharingStrategyProtocol {
    /// What ``SharingScheduler`` makes.
    public static var scheduler: any SchedulerType { SharingScheduler.make() }

    /// `source.share(replay: 0, scope: .whileConnected)`.
    @inlinable
    public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(replay: 0, scope: .whileConnected)
    }
}

/// A sequence for state: it cannot fail, delivers on the sharing scheduler, is shared, and tells a new observer the
/// latest element.
///
///     driver:           --1-----2--3--|
///     a later observer: ---(^1)-2--3--|
///
/// ![A later observer is told the latest element first](marble-driver)
///
/// Made by `asDriver`, observed by `drive`. See ``SharedSequence``.
public typealias Driver<Element> = SharedSequence<DriverSharingStrategy, Element>

/// A sequence for events: it cannot fail, delivers on the sharing scheduler and is shared; a new observer is told
/// nothing of the past.
///
///     signal:           --1-----2--3--|
///     a later observer: ---^----2--3--|
///
/// ![A later observer is told what follows](marble-signal)
///
/// Made by `asSignal`, observed by `emit`. See ``SharedSequence``.
public typealias Signal<Element> = SharedSequence<SignalSharingStrategy, Element>
