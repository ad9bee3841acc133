import RxSwift

/// How a ``SharedSequence`` is shared, and on which scheduler it delivers.
public protocol SharingStrategyProtocol {
    /// The scheduler on which the sequences of this strategy deliver.
    static var scheduler: any SchedulerType { get }

    /// Makes one subscription to `source` for all observers.
    static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
}

/// The strategy of a ``Driver``: a new observer receives the latest element first, if there is another observer.
public struct DriverSharingStrategy: SharingStrategyProtocol {
    public static var scheduler: any SchedulerType { SharingScheduler.make() }

    /// Returns `source.share(replay: 1, scope: .whileConnected)`.
    @inlinable
    public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(replay: 1, scope: .whileConnected)
    }
}

/// The strategy of a ``Signal``: a new observer receives only later elements.
public struct SignalSharingStrategy: SharingStrategyProtocol {
    public static var scheduler: any SchedulerType { SharingScheduler.make() }

    /// Returns `source.share(replay: 0, scope: .whileConnected)`.
    @inlinable
    public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(replay: 0, scope: .whileConnected)
    }
}

/// A ``SharedSequence`` for state, which sends a new observer the latest element first.
///
///     driver:           --1-----2--3--|
///     a later observer: ---(^1)-2--3--|
///
/// ![A later observer receives the latest element first](marble-driver)
///
/// Created by `asDriver`, observed by `drive`.
public typealias Driver<Element> = SharedSequence<DriverSharingStrategy, Element>

/// A ``SharedSequence`` for events, which sends a new observer only later elements.
///
///     signal:           --1-----2--3--|
///     a later observer: ---^----2--3--|
///
/// ![A later observer receives only later elements](marble-signal)
///
/// Created by `asSignal`, observed by `emit`.
public typealias Signal<Element> = SharedSequence<SignalSharingStrategy, Element>
