import RxSwift
import Testing

/// Expressions of users' code that are hard for the type checker. `scripts/check-type-checking.sh` fails if one of them
/// takes 300 ms.
@Suite struct TypeCheckingTests {
    @Test func combineLatestOfFiveCompiles() {
        nonisolated(unsafe) var cards: [String] = []
        _ = Observable.combineLatest(
            Observable.just("Ada"), Observable.just(36), Observable.just(9.5), Observable.just([1, 2, 3]),
            Observable.just(true)
        ) { name, age, score, visits, isMember in
            name + ", " + "\(age + 1)" + (isMember ? " *" : "") + " \(score * 2 + Double(visits.count))"
        }
        .subscribe(onNext: { cards.append($0) })
        #expect(cards == ["Ada, 37 * 22.0"])
    }

    @Test func chainOfTwelveOperatorsCompiles() {
        let numbers = PublishSubject<Int>()
        nonisolated(unsafe) var lines: [String] = []
        _ =
            numbers
            .filter { $0 > 0 }
            .map { $0 * 2 + 1 }
            .distinctUntilChanged()
            .scan(0, accumulator: +)
            .skip(1)
            .flatMap { Observable.of($0, $0 + 1) }
            .startWith(0)
            .compactMap { $0 % 2 == 0 ? "\($0)" : nil }
            .enumerated()
            .map { "\($0.index): \($0.element)" }
            .catch { .just("\($0)") }
            .take(3)
            .subscribe(onNext: { lines.append($0) })
        for number in [3, 1, 2, 2, 5, 4] { numbers.onNext(number) }
        #expect(lines == ["0: 0", "1: 10", "2: 16"])
    }

    @Test func returnedChainOfTwelveOperatorsCompiles() {
        func lines(_ numbers: PublishSubject<Int>) -> Observable<String> {
            numbers.filter { $0 > 0 }.map { $0 * 2 + 1 }.distinctUntilChanged().scan(0, accumulator: +).skip(1)
                .flatMap { Observable.of($0, $0 + 1) }.startWith(0).compactMap { $0 % 2 == 0 ? "\($0)" : nil }
                .enumerated().map { "\($0.index): \($0.element)" }.catch { .just("\($0)") }.take(3)
        }
        let numbers = PublishSubject<Int>()
        nonisolated(unsafe) var seen: [String] = []
        _ = lines(numbers).subscribe(onNext: { seen.append($0) })
        for number in [3, 1, 2, 2, 5, 4] { numbers.onNext(number) }
        #expect(seen == ["0: 0", "1: 10", "2: 16"])
    }

    @Test func zipOfEightCompiles() {
        let (numbers, words, reals, flags) = (
            Observable.just(1), Observable.just("b"), Observable.just(3.0), Observable.just(true)
        )
        let (lists, perhaps) = (Observable.just([5]), Observable<Int?>.just(6))
        let (bytes, characters) = (Observable<UInt8>.just(7), Observable<Character>.just("h"))
        nonisolated(unsafe) var rows: [String] = []
        _ = Observable.zip(numbers, words, reals, flags, lists, perhaps, bytes, characters) { a, b, c, d, e, f, g, h in
            "\(a)" + b + "\(c + 1)" + (d ? "yes" : "no") + "\(e.count + (f ?? 0) + Int(g))" + String(h)
        }
        .subscribe(onNext: { rows.append($0) })
        #expect(rows == ["1b4.0yes14h"])
    }

    /// The overloads of `map`, `flatMap` and `seconds` slow the type checker down.
    @Test func chainOfClosuresOfSeveralStatementsTypeChecksInTime() async throws {
        let clock = HistoricalScheduler()
        nonisolated(unsafe) var texts: [String] = []
        _ = Observable.of(1, 2)
            .map { number in
                let next = number * 2
                return next + 1
            }
            .flatMap { number in
                let both = [number, number * 2 + 1]
                return Observable.from(both)
            }
            .map { $0 * 2 + 1 }.map { $0 * 2 + 1 }.map { $0 * 2 + 1 }
            .flatMap { Single.just($0 + 1) }
            .concatMap { Observable.of($0, $0 * 2) }
            .flatMapLatest { Observable.just($0 + 1) }
            .delay(.seconds(2 * 0.5 + 1), scheduler: clock)
            .timeout(.seconds(5 * 2 + 1), scheduler: clock)
            .map { "\($0 / 10)" }
            .subscribe(onNext: { texts.append($0) })
        clock.start()
        #expect(texts == ["3", "6", "6", "12", "4", "9", "9", "19"])
    }
}
