import RxSwift
import RxTest
import Testing

/// Each operator of a trait uses the time of its scheduler argument.
struct TraitSchedulersTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (TestScheduler) -> Observable<Int>
        let times: [Int]

        init(_ name: String, _ times: [Int], _ make: @escaping @Sendable (TestScheduler) -> Observable<Int>) {
            (testDescription, self.times, self.make) = (name, times, make)
        }
    }

    private static func ticks(_ scheduler: TestScheduler) -> Infallible<Int> {
        scheduler.createColdObservable([.next(10, 1), .next(12, 2), .next(30, 3), .completed(50)])
            .asInfallible(onErrorJustReturn: 0)
    }

    static let rows: [Row] = [
        Row("Single.just", [1, 2]) { Single.just(1, scheduler: $0).asObservable() },
        Row("Maybe.just", [1, 2]) { Maybe.just(1, scheduler: $0).asObservable() },
        Row("Infallible.just", [1, 2]) { Infallible.just(1, scheduler: $0).asObservable() },
        Row("Infallible.of", [1, 2, 3]) { Infallible.of(1, 2, scheduler: $0).asObservable() },
        Row("Infallible.from(array)", [1, 2, 3]) { Infallible.from([1, 2], scheduler: $0).asObservable() },
        Row("Infallible.from(sequence)", [1, 2, 3]) { Infallible.from(1...2, scheduler: $0).asObservable() },
        Row("Infallible.take(for:)", [10, 12, 20]) { ticks($0).take(for: .seconds(20), scheduler: $0).asObservable() },
        Row("Infallible.throttle", [10, 15, 30, 50]) {
            ticks($0).throttle(.seconds(5), scheduler: $0).asObservable()
        },
        Row("Infallible.throttle, the first", [10, 30, 50]) {
            ticks($0).throttle(.seconds(5), latest: false, scheduler: $0).asObservable()
        },
        Row("Infallible.debounce", [17, 35, 50]) { ticks($0).debounce(.seconds(5), scheduler: $0).asObservable() },
        Row("delay", [5, 6]) { Single.just(1).delay(.seconds(5), scheduler: $0).asObservable() },
        Row("delaySubscription", [5, 5]) {
            Single.just(1).delaySubscription(.seconds(5), scheduler: $0).asObservable()
        },
        Row("observe(on:)", [1, 2]) { Single.just(1).observe(on: $0).asObservable() },
        Row("subscribe(on:)", [1, 1]) { Single.just(1).subscribe(on: $0).asObservable() },
        Row("timeout", [5]) { Single<Int>.never().timeout(.seconds(5), scheduler: $0).asObservable() },
        Row("timeout(other:)", [5, 5]) {
            Single.never().timeout(.seconds(5), other: .just(1), scheduler: $0).asObservable()
        },
        Row("timer", [5, 5]) { Single<Int>.timer(.seconds(5), scheduler: $0).asObservable() },
    ]

    @Test(arguments: rows) func operatorWithSchedulerUsesItsTime(_ row: Row) {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        let subscription = row.make(scheduler).subscribe(observer)
        #expect(observer.events.isEmpty)
        scheduler.start()
        #expect(observer.events.map(\.time) == row.times)
        subscription.dispose()
    }
}
