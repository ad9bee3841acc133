import RxSwift
import TestSupport
import Testing

/// Flattening operators read a `just` instead of subscribing to it.
struct ScalarSourceTests {
    enum Way: CaseIterable {
        case flatMap, flatMapFirst, flatMapLatest, concatMap

        func map<Element>(
            _ source: Observable<Int>, _ selector: @escaping @Sendable (Int) -> Observable<Element>
        ) -> Observable<Element> {
            switch self {
            case .flatMap: source.flatMap(selector)
            case .flatMapFirst: source.flatMapFirst(selector)
            case .flatMapLatest: source.flatMapLatest(selector)
            case .concatMap: source.concatMap(selector)
            }
        }
    }

    @Test(arguments: Way.allCases) func justFlattenedDeliversItsElement(way: Way) {
        #expect(seen(way.map(.of(1, 2, 3)) { .just($0 * 10) }) == "10 20 30 completed")
    }

    @Test(arguments: Way.allCases) func justSharedByInnerSubscriptionsDeliversToEach(way: Way) {
        let shared = Observable.just(7)
        #expect(seen(way.map(.of(1, 2)) { _ in shared }) == "7 7 completed")
        _ = Observable.just(8)
        #expect(seen(shared) == "7 completed")
    }

    @Test(arguments: Way.allCases) func justFlattenedReleasesItsElement(way: Way) {
        let tracker = LifetimeTracker()
        _ = way.map(.of(1, 2)) { _ in Observable.just(tracker.make()) }.subscribe()
        #expect(tracker.live == 0)
    }

    @Test func justSubscribedReleasesItsElement() {
        let tracker = LifetimeTracker()
        _ = Observable.just(tracker.make()).subscribe(onNext: { _ in })
        #expect(tracker.live == 0)
    }

    @Test func justMadeDuringADeliveryIsIndependent() {
        let log = Log()
        nonisolated(unsafe) var made: [Observable<Int>] = []
        _ = Observable.of(1, 2, 3).flatMap { Observable.just($0) }.flatMap { Observable.just($0 * 2) }
            .subscribe(onNext: {
                log($0)
                made.append(.just($0 * 10))
            })
        for observable in made { _ = observable.subscribe(onNext: { log($0) }) }
        #expect(log.text == "2 4 6 20 40 60")
    }
}
