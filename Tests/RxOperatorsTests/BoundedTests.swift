import RxOperators
import RxTest
import TestSupport
import Testing

struct BoundedTests {
    private static func numbers(_ count: Int = 20) -> Observable<Int> { .range(start: 0, count: count) }

    static let rows: [FlowRow] = [
        FlowRow("sequenceEqual") { _ in numbers().sequenceEqual(numbers()).map { $0 ? 1 : 0 }.asObservable() },
        FlowRow("first(or:)") { _ in numbers().first(or: -1).asObservable() },
        FlowRow("element(at:or:)") { _ in numbers().element(at: 7, or: -1).asObservable() },
        FlowRow("scan(accumulator:)") { _ in numbers().scan(accumulator: +) },
        FlowRow("reduce(into:)") { _ in numbers().reduce(into: 0) { $0 += $1 } },
        FlowRow("mapError") { _ in numbers().mapError { $0 } },
        FlowRow("onErrorComplete") { _ in
            numbers().concat(Observable.error(TestError.a)).onErrorComplete(where: { _ in true })
        },
        FlowRow("repeat(when:)") { _ in numbers(5).repeat(when: { $0.take(3) }) },
        FlowRow("timeout(selector:)") { scheduler in
            numbers().timeout(selector: { _ in Observable<Int>.timer(.seconds(60), scheduler: scheduler) })
        },
        FlowRow("skipLast") { _ in numbers().skipLast(3) },
        FlowRow("skipLast(for:)") {
            numbers().concat(Observable.never()).take(20).skipLast(for: .seconds(0), scheduler: $0)
        },
        FlowRow("buffer(count:skip:)", overshoots: true) { _ in
            numbers().buffer(count: 3, skip: 2).map { $0.reduce(0, +) }
        },
        FlowRow("buffer(until:)") { _ in numbers().buffer(until: { $0 % 3 == 0 }).map(\.count) },
        FlowRow("zip(sequence)") { _ in numbers().zip(1...).map { $0.0 } },
        FlowRow("expand", .elements) { _ in numbers(3).expand { $0 < 10 ? Observable.just($0 + 3) : .empty() } },
        FlowRow("flatMapOrdered, one element") { _ in numbers().flatMapOrdered(maxConcurrent: 2) { Observable.just($0) }
        },
        FlowRow("flatMapOrdered, a loop", .events) { _ in
            numbers(5).flatMapOrdered(maxConcurrent: 2) { _ in numbers(4) }
        },
        FlowRow("flatMapOrdered, a timer", .events) { scheduler in
            numbers(5).flatMapOrdered(maxConcurrent: 2) { number in
                Observable<Int>.timer(.seconds(5 - number), scheduler: scheduler).flatMap { _ in numbers(4) }
            }
        },
        FlowRow("merge(delayingErrors:)", .elements) { _ in
            Observable.merge([numbers(), numbers()], delayingErrors: true)
        },
        FlowRow("parallel, sequential", .elements) {
            numbers().parallel(2).runOn($0, bound: 3).map { $0 + 1 }.sequential()
        },
        FlowRow("parallel, ordered", .events) {
            numbers().parallel(2).runOn($0, bound: 3).filter { $0 % 3 > 0 }.ordered()
        },
        FlowRow("share(flow:)") { _ in numbers().share(flow: .slowest) },
        FlowRow("UnicastSubject") { _ in
            let subject = UnicastSubject<Int>()
            for number in 0..<20 { subject.onNext(number) }
            subject.onCompleted()
            return subject.asObservable()
        },
        FlowRow("takeLast(for:)") { numbers().takeLast(for: .seconds(60), scheduler: $0) },
    ]

    @Test(arguments: rows, [1, 2, 16]) func boundedChainRecordsTheSameEvents(row: FlowRow, bound: Int) {
        row.expectTheSame(bound: bound)
    }

    @Test(arguments: rows, [1, 16]) func boundedChainHoldsNoMoreThanTheBound(row: FlowRow, bound: Int) {
        row.expectNoMoreWait(bound: bound)
    }

    @Test(arguments: rows) func disposedChainLeavesNothing(row: FlowRow) {
        row.expectNothingIsLeft()
    }
}
