import RxResilience
import RxTest
import TestSupport
import Testing

@Suite struct BatchedTests {
    private let scheduler = TestScheduler(initialClock: 0)

    /// Each batch as one string. The weight of an element is its value.
    private func batches(
        _ source: String, count: Int = .max, weight: Int = .max, within span: RxTimeInterval = .never
    ) -> Outcome<String> {
        outcome(source, on: scheduler) { [scheduler] in
            $0.batched(count: count, weight: weight, within: span, scheduler: scheduler) { $0 }
                .map { $0.map(String.init).joined() }
        }
    }

    private let names: [Character: String] = [
        "a": "12", "b": "123", "c": "3", "d": "4", "e": "9", "f": "11", "g": "45",
    ]

    @Test(
        arguments: [
            ("-1-2-3-4-|", 2, .max, "---a---h-|"),
            ("-1-2-3-|", 2, .max, "---a---(c|)"),
            ("-1-2-3-|", .max, 3, "---a-c-|"),
            ("-1-1-9-4-|", .max, 5, "-----(fe)---(d|)"),
            ("-9-9-|", .max, 5, "-e-e-|"),
            ("-1-2-|", .max, .max, "-----(a|)"),
            ("-|", 2, .max, "-|"),
        ] as [(String, Int, Int, String)])
    func noneIsTooLargeAndNothingIsLost(source: String, count: Int, weight: Int, expected: String) {
        var names = names
        names["h"] = "34"
        batches(source, count: count, weight: weight).observer.expect(expected, values: names)
    }

    @Test func negativeWeightCountsAsZeroInBatch() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.batched(weight: 5, within: .never, scheduler: scheduler) { $0 }
            .subscribe(onNext: { log($0) })
        for element in [4, -4, 4] { source.onNext(element) }
        source.onCompleted()
        #expect(log.entries == ["[4, -4]", "[4]"])
        subscription.dispose()
    }

    @Test func aBatchIsDueASpanAfterItsFirstElement() {
        batches("{10}1{5}2{40}3{80}4{3}|", within: .seconds(20)).observer.expect(
            "{30}a{46}c{64}(d|)", values: names)
    }

    @Test func fullBatchLeavesNoTimer() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.batched(count: 2, within: .seconds(20), scheduler: scheduler)
            .subscribe(onNext: { log($0) })
        for element in 1...4 { source.onNext(element) }
        scheduler.start()
        #expect(scheduler.clock == 0)
        #expect(log.text == "[1, 2] [3, 4]")
        subscription.dispose()
    }

    @Test func lateTimerDoesNotSendFullBatchOfNextElements() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        let subscription = source.batched(count: 3, within: .seconds(10), scheduler: scheduler)
            .subscribe(onNext: { batch in
                log("\(batch)@\(scheduler.clock)")
                guard batch == [1, 2, 3] else { return }
                source.onNext(4)
                // Fires the timer of the batch that starts with 4. The timer's work waits until this delivery has
                // ended.
                #expect(throws: Never.self) { try runOnThread { scheduler.advanceTo(12) } }
                for element in 5...7 { source.onNext(element) }
            })
        for element in 1...3 { source.onNext(element) }
        scheduler.start()
        #expect(log.entries == ["[1, 2, 3]@0", "[4, 5, 6]@12", "[7]@22"])
        subscription.dispose()
    }

    @Test func lateTimerDoesNotSendReplacingBatch() {
        let (source, log, scheduler) = (PublishSubject<Int>(), Log(), scheduler)
        let subscription = source.batched(weight: 5, within: .seconds(10), scheduler: scheduler) { $0 }
            .subscribe(onNext: { batch in
                log("\(batch)@\(scheduler.clock)")
                guard batch == [5] else { return }
                source.onNext(3)
                // Fires the timer of the batch that starts with 3.
                #expect(throws: Never.self) { try runOnThread { scheduler.advanceTo(12) } }
                source.onNext(4)
            })
        source.onNext(5)
        scheduler.start()
        #expect(log.entries == ["[5]@0", "[3]@12", "[4]@22"])
        subscription.dispose()
    }

    @Test func eachBatchStartsNewSpan() {
        // 1 and 2 fill a batch at 5. The batch of 3 is due at 30, not at 22.
        batches("--1--2----3", count: 2, within: .seconds(20)).observer.expect("-----a{24}c", values: names)
    }

    @Test func elementDisplacingABatchStartsNewSpan() {
        // At 8, element 3 would make the batch too heavy. Its own batch is due at 28, not at 22.
        batches("--1--2--3{50}|", weight: 4, within: .seconds(20)).observer.expect(
            "--------a{19}c{30}|", values: names)
    }

    @Test func displacedBatchCancelsItsTimer() {
        batches("--1--2--4{50}|", weight: 4, within: .seconds(20)).observer.expect("--------(ad){50}|", values: names)
    }

    @Test func errorDropsPartialBatch() {
        batches("-1-2-#", count: 5).observer.expect("-----#", error: TestError.a)
    }

    @Test func anErrorOfTheWeighingEndsIt() {
        let source = scheduler.hot("-1-2-3-|")
        scheduler.start { [scheduler] in
            source.asObservable().batched(weight: 10, scheduler: scheduler) {
                try passing($0, unless: 3, $0)
            }.map(\.count)
        }.expect("-----#", error: TestError.b)
        source.expectSubscriptions("^----!")
    }

    @Test func weightIsNotReadDuringError() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.batched(weight: 10, scheduler: scheduler) { element in
            log(element)
            return try passing(element, unless: 1, element)
        }
        .do(onError: { _ in source.onNext(2) })
        .subscribe(onError: { log($0) })
        source.onNext(1)
        #expect(log.text == "1 b")
        subscription.dispose()
    }

    @Test func timerIsCancelledOnDisposal() {
        let source = scheduler.hot("-1")
        scheduler.start(disposed: 205) { [scheduler] in
            source.asObservable().batched(within: .seconds(20), scheduler: scheduler).map(\.count)
        }.expect("")
        #expect(scheduler.clock == 205)
    }

    @Test func negativeWeightCountsAsZero() {
        let source = Observable.of(-5, 3, -5, 1, .max, .max)
        #expect(
            seen(source.batched(weight: 4, scheduler: scheduler) { $0 })
                == "[-5, 3, -5, 1] [\(Int.max)] [\(Int.max)] completed")
    }

    @Test func elementPushedByObserverKeepsItsOrder() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.batched(weight: 4, scheduler: scheduler) { $0 }.subscribe(
            onNext: { batch in
                log(batch)
                if batch == [2, 1] { source.onNext(1) }
            }, onCompleted: { log("completed") })
        for element in [2, 1, 3] { source.onNext(element) }
        source.onCompleted()
        #expect(log.text == "[2, 1] [3, 1] completed")
        subscription.dispose()
    }

    /// Element 9 makes two batches due: the pending one, and one of 9 alone.
    @Test func elementPushedByObserverFollowsOtherDueBatch() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.batched(weight: 4, scheduler: scheduler) { $0 }.subscribe(
            onNext: { batch in
                log(batch)
                if batch == [1] { source.onNext(4) }
            })
        for element in [1, 9] { source.onNext(element) }
        #expect(log.text == "[1] [9] [4]")
        subscription.dispose()
    }

    @Test func elementPushedByObserverDoesNotJoinFullBatch() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.batched(weight: 4, scheduler: scheduler) { $0 }.subscribe(
            onNext: { batch in
                log(batch)
                if batch == [1] { source.onNext(0) }
            })
        for element in [1, 4] { source.onNext(element) }
        source.onCompleted()
        #expect(log.text == "[1] [4] [0]")
        subscription.dispose()
    }

    @Test func completionFromObserverKeepsPendingBatch() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.batched(weight: 4, scheduler: scheduler) { $0 }.subscribe(
            onNext: { batch in
                log(batch)
                if batch == [1] { source.onCompleted() }
            }, onCompleted: { log("completed") })
        for element in [1, 9] { source.onNext(element) }
        #expect(log.text == "[1] [9] completed")
        subscription.dispose()
    }

    @Test(arguments: 0..<200) func batchesMatchReferenceForRandomElements(seed: UInt64) {
        var dice = Seeded(seed)
        let elements = (0..<60).map { _ in Int.random(in: 0...7, using: &dice) }
        let (count, weight) = (Int.random(in: 1...6, using: &dice), Int.random(in: 0...12, using: &dice))
        var expected: [[Int]] = []
        for element in elements {
            let open = expected.last.map { $0.count < count && $0.reduce(0, +) < weight } ?? false
            if open, expected.last!.reduce(element, +) <= weight {
                expected[expected.count - 1].append(element)
            } else {
                expected.append([element])
            }
        }
        nonisolated(unsafe) var batches: [[Int]] = []
        _ = Observable.from(elements).batched(count: count, weight: weight, scheduler: scheduler) { $0 }
            .subscribe(onNext: { batches.append($0) })
        #expect(batches == expected)
    }

    @Test func batchesOfZeroElementsStopTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.of(1).batched(count: 0, scheduler: TestScheduler(initialClock: 0))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("count must be at least 1 (batched, count: 0)"))
    }

    @Test func aNegativeWeightStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.of(1).batched(weight: -1, scheduler: TestScheduler(initialClock: 0))
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("weight can't be negative (batched, weight: -1)"))
    }
}
