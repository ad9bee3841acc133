import RxSwift
import RxTest
import TestSupport
import Testing

struct DeprecatedNamesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let marbles: String
        let make: @Sendable (TestScheduler) -> Observable<Int>

        init(_ name: String, _ marbles: String, _ make: @escaping @Sendable (TestScheduler) -> Observable<Int>) {
            (testDescription, self.marbles, self.make) = (name, marbles, make)
        }
    }

    /// The rows use deprecated declarations. Access through a protocol avoids the warnings.
    static let rows = (DeprecatedNames.self as any NameSource.Type).rows

    @Test(arguments: rows) func deprecatedNameBehavesLikeNewName(_ row: Row) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = row.make(scheduler)
        scheduler.start { source }.expect(row.marbles)
    }
}

private protocol NameSource {
    static var rows: [DeprecatedNamesTests.Row] { get }
}

private enum DeprecatedNames: NameSource {
    private typealias Row = DeprecatedNamesTests.Row

    private static func three() -> Observable<Int> {
        Observable.of(1, 2, 3)
    }

    private static func failing() -> Observable<Int> {
        Observable.just(1).concat(Observable.error(TestError.a))
    }

    @available(*, deprecated)
    static var rows: [DeprecatedNamesTests.Row] {
        [
            Row("observeOn(_:)", "-1|") { Observable.just(1).observeOn($0) },
            Row("subscribeOn(_:)", "-(1|)") { Observable.just(1).subscribeOn($0) },
            Row("takeUntil(_:)", "-1|") { $0.hot("-1-2-|").takeUntil($0.hot("--9")) },
            Row("skipUntil(_:)", "---2-|") { $0.hot("-1-2-|").skipUntil($0.hot("--9")) },
            Row("take(_:scheduler:)", "--|") { Observable<Int>.never().take(.seconds(2), scheduler: $0) },
            Row("takeUntil(_:predicate:), inclusive", "(12|)") { _ in
                three().takeUntil(.inclusive) { $0 == 2 }
            },
            Row("takeUntil(_:predicate:), exclusive", "(1|)") { _ in
                three().takeUntil(.exclusive) { $0 == 2 }
            },
            Row("takeWhile(_:)", "(12|)") { _ in three().takeWhile { $0 < 3 } },
            Row("skipWhile(_:)", "(23|)") { _ in three().skipWhile { $0 < 2 } },
            Row("elementAt(_:)", "(2|)") { _ in three().elementAt(1) },
            Row("catchError(_:)", "(18|)") { _ in failing().catchError { _ in Observable.just(8) } },
            Row("catchErrorJustReturn(_:)", "(19|)") { _ in failing().catchErrorJustReturn(9) },
            Row("static catchError(_:)", "(12|)") { _ in
                Observable<Int>.catchError([failing(), Observable.just(2)])
            },
            Row("Single.observeOn(_:)", "-1|") { Single.just(1).observeOn($0).asObservable() },
            Row("Single.subscribeOn(_:)", "-(1|)") { Single.just(1).subscribeOn($0).asObservable() },
            Row("Single.catchError(_:)", "(8|)") { _ in
                Single<Int>.error(TestError.a).catchError { _ in Single.just(8) }.asObservable()
            },
            Row("Single.catchErrorJustReturn(_:)", "(9|)") { _ in
                Single<Int>.error(TestError.a).catchErrorJustReturn(9).asObservable()
            },
            Row("Maybe.catchErrorJustReturn(_:)", "(9|)") { _ in
                Maybe<Int>.error(TestError.a).catchErrorJustReturn(9).asObservable()
            },
        ]
    }
}
