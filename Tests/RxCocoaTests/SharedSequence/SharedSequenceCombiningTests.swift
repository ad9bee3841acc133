import RxCocoa
import RxTest
import TestSupport
import Testing

struct SharedSequenceCombiningTests {
    private func driver<Element>(
        _ marbles: String, _ apply: @escaping (Driver<Int>) -> Driver<Element>
    ) -> Outcome<Element> {
        shared(marbles) { apply($0.asDriver(onErrorJustReturn: 0)) }
    }

    @Test func innerSequencesAreFlattened() {
        let source = "{10}1{9}2{9}|"
        driver(source) { $0.flatMap { .of($0, $0 * 10) } }
            .expect("{12}1a{8}2b{7}|", values: ["a": 10, "b": 20], subscribed: "^{29}!")
        driver(source) { $0.flatMapLatest { Driver.just($0).delay(.seconds(15)) } }
            .expect("{37}2|", subscribed: "^{29}!")
        driver(source) { $0.flatMapFirst { Driver.just($0).delay(.seconds(15)) } }
            .expect("{27}1---|", subscribed: "^{29}!")
    }

    @Test func flatMapResultHasInnerSharingStrategy() {
        let signal: Signal<Int> = SharingScheduler.mocked(TestScheduler(initialClock: 0)) {
            BehaviorRelay(value: 1).asDriver().flatMap { Signal.just($0) }
        }
        signal.emit().dispose()
        shared("{10}1{9}|") { $0.asDriver(onErrorJustReturn: 0).flatMapLatest { Signal.just($0) } }
            .expect("{12}1{8}|", subscribed: "^{19}!")
    }

    @Test func sequencesOfSequencesAreFlattened() {
        let source = "{10}1{9}2{9}|"
        driver(source) { $0.map { Driver.of($0, $0 * 10) }.merge() }
            .expect("{12}1a{8}2b{7}|", values: ["a": 10, "b": 20], subscribed: "^{29}!")
        driver(source) { $0.map { Driver.just($0).delay(.seconds(15)) }.merge(maxConcurrent: 1) }
            .expect("{27}1{16}2|", subscribed: "^{29}!")
        driver(source) { $0.map { Driver.just($0).delay(.seconds(15)) }.switchLatest() }
            .expect("{37}2|", subscribed: "^{29}!")
    }

    @Test func severalAreMerged() {
        #expect(elements { Driver.merge(.of(1, 3), .of(2, 4)) } == "1 2 3 4 completed")
        #expect(elements { Driver.merge([.of(1, 3), .of(2, 4)]) } == "1 2 3 4 completed")
        #expect(elements { Driver.merge(AnyCollection([.of(1, 3), .of(2, 4)])) } == "1 2 3 4 completed")
    }

    @Test func concatSourcesArePulledOneAtATime() {
        let log = Log()
        let sources = sequence(first: 1) { $0 + 1 }.lazy.map { number -> Driver<Int> in
            log(number)
            return .of(number)
        }
        #expect(
            elements { Driver.concat(sources).asObservable().take(2).asDriver(onErrorJustReturn: 0) } == "1 2 completed"
        )
        #expect(log.text == "1 2")
    }

    @Test func concatSendsSequencesInOrder() {
        #expect(elements { Driver.concat([.of(1, 3), .of(2, 4)]) } == "1 3 2 4 completed")
        #expect(elements { Driver.concat(AnySequence([.of(1, 3), .of(2, 4)])) } == "1 3 2 4 completed")
    }

    @Test func collectionsAreCombined() {
        // The sources are made inside the closures, because a driver gets its scheduler when it is created.
        let sources = { () -> [Driver<Int>] in [.of(1, 3), .of(2, 4)] }
        let number = { @Sendable (row: [Int]) -> Int in row[0] * 10 + row[1] }
        #expect(elements { Driver.zip(sources()) } == "[1, 2] [3, 4] completed")
        #expect(elements { Driver.zip(sources(), resultSelector: number) } == "12 34 completed")
        #expect(elements { Driver.combineLatest(sources()) } == "[1, 2] [3, 2] [3, 4] completed")
        #expect(elements { Driver.combineLatest(sources(), resultSelector: number) } == "12 32 34 completed")
    }

    @Test func theLatestOfTheSecondIsTaken() {
        let source = "{10}1{9}2{9}|"
        driver(source) { $0.withLatestFrom(Driver.just(7)) }.expect("{11}7{9}7{9}|", subscribed: "^{29}!")
        driver(source) { $0.withLatestFrom(Driver.just(7)) { $0 * 10 + $1 } }
            .expect("{11}a{9}b{9}|", values: ["a": 17, "b": 27], subscribed: "^{29}!")
        driver(source) { $0.withLatestFrom(Signal.just(7)) }.expect("{11}7{9}7{9}|", subscribed: "^{29}!")
    }

    @Test func zipSelectorMayThrow() {
        #expect(
            elements { Driver.zip(Driver.just(1), Driver.just(2)) { _, _ in throw TestError.a } as Driver<Int> }
                == "error(a)")
    }
}

struct SharedSequenceArityTests: Sendable {
    private let one: @Sendable () -> Driver<Int> = { Driver.of(1, 5) }

    private func row(_ elements: Int...) -> String {
        elements.map { "\($0)" }.joined()
    }

    @Test func rowsOfTwoToEightAreZipped() {
        #expect(elements { Driver.zip(one(), one()) { row($0, $1) } } == "11 55 completed")
        #expect(elements { Driver.zip(one(), one(), one()) { row($0, $1, $2) } } == "111 555 completed")
        #expect(elements { Driver.zip(one(), one(), one(), one()) { row($0, $1, $2, $3) } } == "1111 5555 completed")
        #expect(
            elements { Driver.zip(one(), one(), one(), one(), one()) { row($0, $1, $2, $3, $4) } }
                == "11111 55555 completed")
        #expect(
            elements { Driver.zip(one(), one(), one(), one(), one(), one()) { row($0, $1, $2, $3, $4, $5) } }
                == "111111 555555 completed")
        #expect(
            elements { Driver.zip(one(), one(), one(), one(), one(), one(), one()) { row($0, $1, $2, $3, $4, $5, $6) } }
                == "1111111 5555555 completed")
        #expect(
            elements {
                Driver.zip(one(), one(), one(), one(), one(), one(), one(), one()) {
                    row($0, $1, $2, $3, $4, $5, $6, $7)
                }
            }
                == "11111111 55555555 completed")
    }

    @Test func tuplesOfTwoToEightAreZipped() {
        #expect(elements { Driver.zip(one(), one()).map { row($0.0, $0.1) } } == "11 55 completed")
        #expect(elements { Driver.zip(one(), one(), one()).map { row($0.0, $0.1, $0.2) } } == "111 555 completed")
        #expect(elements { Driver.zip(one(), one(), one(), one()).map { row($0.0, $0.3) } } == "11 55 completed")
        #expect(elements { Driver.zip(one(), one(), one(), one(), one()).map { row($0.0, $0.4) } } == "11 55 completed")
        #expect(
            elements { Driver.zip(one(), one(), one(), one(), one(), one()).map { row($0.0, $0.5) } }
                == "11 55 completed")
        #expect(
            elements { Driver.zip(one(), one(), one(), one(), one(), one(), one()).map { row($0.0, $0.6) } }
                == "11 55 completed")
        #expect(
            elements { Driver.zip(one(), one(), one(), one(), one(), one(), one(), one()).map { row($0.0, $0.7) } }
                == "11 55 completed")
    }

    private let fixed: @Sendable () -> Driver<Int> = { Driver.just(1) }
    private let last: @Sendable () -> Driver<Int> = { Driver.of(2, 3) }

    @Test func theLatestOfTwoToEightAreCombined() {
        #expect(elements { Driver.combineLatest(fixed(), last()) { row($0, $1) } } == "12 13 completed")
        #expect(elements { Driver.combineLatest(fixed(), fixed(), last()) { row($0, $1, $2) } } == "112 113 completed")
        #expect(
            elements { Driver.combineLatest(fixed(), fixed(), fixed(), last()) { row($0, $1, $2, $3) } }
                == "1112 1113 completed")
        #expect(
            elements { Driver.combineLatest(fixed(), fixed(), fixed(), fixed(), last()) { row($0, $1, $2, $3, $4) } }
                == "11112 11113 completed")
        #expect(
            elements {
                Driver.combineLatest(fixed(), fixed(), fixed(), fixed(), fixed(), last()) {
                    row($0, $1, $2, $3, $4, $5)
                }
            }
                == "111112 111113 completed")
        #expect(
            elements {
                Driver.combineLatest(fixed(), fixed(), fixed(), fixed(), fixed(), fixed(), last()) {
                    row($0, $1, $2, $3, $4, $5, $6)
                }
            } == "1111112 1111113 completed")
        #expect(
            elements {
                Driver.combineLatest(fixed(), fixed(), fixed(), fixed(), fixed(), fixed(), fixed(), last()) {
                    row($0, $1, $2, $3, $4, $5, $6, $7)
                }
            } == "11111112 11111113 completed")
    }

    @Test func theLatestOfTwoToEightAreTuples() {
        #expect(elements { Signal.combineLatest(Signal.just(1), Signal.just("a")) } == "(1, \"a\") completed")
        #expect(
            elements { Driver.combineLatest(fixed(), fixed(), last()).map { row($0.0, $0.2) } } == "12 13 completed")
        #expect(
            elements { Driver.combineLatest(fixed(), fixed(), fixed(), last()).map { row($0.0, $0.3) } }
                == "12 13 completed")
        #expect(
            elements { Driver.combineLatest(fixed(), fixed(), fixed(), fixed(), last()).map { row($0.0, $0.4) } }
                == "12 13 completed")
        #expect(
            elements {
                Driver.combineLatest(fixed(), fixed(), fixed(), fixed(), fixed(), last()).map { row($0.0, $0.5) }
            }
                == "12 13 completed")
        #expect(
            elements {
                Driver.combineLatest(fixed(), fixed(), fixed(), fixed(), fixed(), fixed(), last()).map {
                    row($0.0, $0.6)
                }
            }
                == "12 13 completed")
        #expect(
            elements {
                Driver.combineLatest(fixed(), fixed(), fixed(), fixed(), fixed(), fixed(), fixed(), last()).map {
                    row($0.0, $0.7)
                }
            } == "12 13 completed")
    }
}
