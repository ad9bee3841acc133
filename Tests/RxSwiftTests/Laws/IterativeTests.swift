import RxRelay
import RxSwift
import TestSupport
import Testing

/// 100,000 elements, sources or concatenations must work on a stack of 512 KiB. Code that recursed for each of them
/// would overflow the stack.
struct IterativeTests {
    private static let many = 100_000

    private func count<Element>(_ source: @escaping () -> Observable<Element>) throws -> Int {
        try runOnThread(stackSize: 512 << 10, timeout: 200) {
            nonisolated(unsafe) var count = 0
            source().subscribe(onNext: { _ in count += 1 }).dispose()
            return count
        }
    }

    @Test(arguments: Flattening.allCases) func aHundredThousandInnerSources(flattening: Flattening) throws {
        let numbers = Observable.range(start: 0, count: Self.many)
        #expect(try count { flattening.apply(numbers) { .just($0) } } == Self.many)
    }

    @Test(arguments: Flattening.allCases) func aHundredThousandElementsOfOneInnerSource(flattening: Flattening) throws {
        #expect(try count { flattening.apply(.just(0)) { _ in .range(start: 0, count: Self.many) } } == Self.many)
    }

    @Test(arguments: [Flattening.flatMap, .concatMap, .mergeOne]) func innerSourcesThatWaitForTheirTurn(
        flattening: Flattening
    ) throws {
        let (trigger, first) = (PublishSubject<Int>(), ReplaySubject<Int>.create(bufferSize: 1))
        let count = try runOnThread(stackSize: 512 << 10, timeout: 200) {
            nonisolated(unsafe) var count = 0
            let subscription = flattening.apply(trigger) { $0 == 0 ? first : .just($0) }.subscribe(onNext: { _ in
                count += 1
            })
            for number in 0...Self.many { trigger.onNext(number) }
            first.onCompleted()
            subscription.dispose()
            return count
        }
        #expect(count == Self.many)
    }

    @Test func aHundredThousandElementsOfMergedSources() throws {
        #expect(try count { .merge(.range(start: 0, count: Self.many / 2), .from(0..<Self.many / 2)) } == Self.many)
    }

    @Test func aHundredThousandConcatenatedElements() throws {
        #expect(try count { .concat(.range(start: 0, count: Self.many / 2), .from(0..<Self.many / 2)) } == Self.many)
    }

    @Test func hundredThousandRetryAttemptsFitSmallStack() throws {
        #expect(
            try count {
                nonisolated(unsafe) var attempt = 0
                return Observable<Int>.deferred {
                    attempt += 1
                    return attempt < Self.many ? .error(TestError.a) : .just(attempt)
                }.retry()
            } == 1)
    }

    @Test func hundredThousandMergedSources() throws {
        #expect(try count { .merge((0..<Self.many).map { Observable.just($0) }) } == Self.many)
    }

    @Test(arguments: Stage.allCases) func aChainOfAThousandStages(stage: Stage) throws {
        let (subject, log) = (PublishSubject<Int>(), Log())
        try runOnThread(stackSize: 512 << 10) {
            var chain = subject.noteLifetime(in: log, as: "source")
            for _ in 0..<1_000 { chain = stage.apply(chain) }
            let subscription = chain.note(in: log)
            subject.onNext(1)
            subscription.dispose()
        }
        #expect(log.text == "source+ 1 source-")
        #expect(!subject.hasObservers)
    }

    /// Building and releasing the sequence needs a large stack, because each part retains the next.
    @Test func aChainOf20000StagesIsFreed() throws {
        let subject = PublishSubject<Int>()
        try runOnThread(stackSize: 64 << 20) {
            var sequence = subject.asObservable()
            for _ in 0..<20_000 { sequence = sequence.scan(0) { $1 } }
            let long = sequence
            try withExtendedLifetime(long) {
                try runOnThread(stackSize: 512 << 10) { long.subscribe().dispose() }
            }
        }
        #expect(!subject.hasObservers)
    }

    @Test func aChainOfAThousandStagesEnds() throws {
        let log = Log()
        try runOnThread(stackSize: 512 << 10) {
            var chain = Observable.of(0).noteLifetime(in: log, as: "source")
            for _ in 0..<1_000 { chain = chain.map { $0 + 1 } }
            _ = chain.note(in: log)
        }
        #expect(log.text == "source+ 1000 completed source-")
    }

    /// An unoptimised build needs up to six times as much stack, and a sanitizer doubles the need.
    @Test(arguments: Link.allCases, Course.allCases) func aChainOf200StagesOfAnyKind(link: Link, course: Course) throws
    {
        #if DEBUG
            let stackSize = 6 * 512 << 10
        #else
            let stackSize = 512 << 10
        #endif
        let (subject, log) = (PublishSubject<Int>(), Log())
        try runOnThread(stackSize: stackSize * (isSanitized ? 2 : 1)) {
            var chain =
                switch course {
                case .disposed, .completed, .failed: subject.asObservable()
                case .just: Observable.just(1)
                case .error: Observable.just(1).concat(Observable.error(TestError.a))
                }
            for _ in 0..<200 { chain = link.apply(chain) }
            let subscription = chain.note(in: log)
            subject.onNext(1)
            switch course {
            case .completed: subject.onCompleted()
            case .failed: subject.onError(TestError.a)
            default: break
            }
            subscription.dispose()
        }
        switch course {
        case .disposed: #expect(log.text == "1")
        case .completed, .just: #expect(log.text == "1 completed")
        case .failed, .error: #expect(log.text == "1 error(a)")
        }
        #expect(!subject.hasObservers)
    }

    @Test func aHundredThousandSubscriptionsThatHoldEachOther() throws {
        let log = Log()
        try runOnThread(stackSize: 512 << 10) {
            var held: any Disposable = Disposables.create { log("torn") }
            for level in 0..<Self.many {
                nonisolated(unsafe) let inner = held
                held = Observable<Int>.create { _ in level % 2 == 0 ? inner : Disposables.create(inner, inner) }
                    .subscribe()
            }
            held.dispose()
        }
        #expect(log.text == "torn")
    }

    @Test(arguments: Appending.allCases) func hundredThousandConcatenationsBuiltInALoop(appending: Appending) throws {
        #expect(
            try count {
                var all = Observable.just(0)
                for number in 1..<Self.many { all = appending.apply(all, .of(number)) }
                return all
            } == Self.many)
    }

    @Test(arguments: Appending.allCases) func hundredThousandConcatenationsThatGrowAsTheyRun(appending: Appending)
        throws
    {
        @Sendable func numbers(from number: Int) -> Observable<Int> {
            if number == Self.many { return .empty() }
            let (own, rest) = (Observable.of(number), Observable.deferred { numbers(from: number + 1) })
            return appending == .prepend ? own.concat(rest) : .concat([own, rest])
        }
        #expect(try count { numbers(from: 0) } == Self.many)
    }

    @Test func longConcatenationWithoutSubscriberIsFreed() throws {
        try runOnThread(stackSize: 512 << 10) {
            var all = Observable.just(0)
            for number in 1..<Self.many { all = all.concat(Observable.just(number)) }
            withExtendedLifetime(all) {}
        }
    }

    @Test func aHundredThousandPushesFromWithinDeliveriesOfARelay() throws {
        let count = try runOnThread(stackSize: 512 << 10) {
            let (relay, queue) = (PublishRelay<Int>(), CurrentThreadScheduler.instance)
            nonisolated(unsafe) var count = 0
            let subscription = relay.observe(on: queue).subscribe(onNext: {
                count += 1
                if $0 < Self.many { relay.accept($0 + 1) }
            })
            relay.accept(1)
            subscription.dispose()
            return count
        }
        #expect(count == Self.many)
    }

    enum Flattening: CaseIterable {
        case flatMap, flatMapLatest, flatMapFirst, concatMap, merge, mergeOne, concat, switchLatest

        func apply(_ source: Observable<Int>, _ inner: @escaping @Sendable (Int) -> Observable<Int>) -> Observable<Int>
        {
            switch self {
            case .flatMap: source.flatMap(inner)
            case .flatMapLatest: source.flatMapLatest(inner)
            case .flatMapFirst: source.flatMapFirst(inner)
            case .concatMap: source.concatMap(inner)
            case .merge: source.map(inner).merge()
            case .mergeOne: source.map(inner).merge(maxConcurrent: 1)
            case .concat: source.map(inner).concat()
            case .switchLatest: source.map(inner).switchLatest()
            }
        }
    }

    enum Stage: CaseIterable {
        case map, filter, scan, distinctUntilChanged, skip, skipWhile, take, takeWhile, compactMap, startWith, effects

        func apply(_ source: Observable<Int>) -> Observable<Int> {
            switch self {
            case .map: source.map { $0 }
            case .filter: source.filter { _ in true }
            case .scan: source.scan(0) { $1 }
            case .distinctUntilChanged: source.distinctUntilChanged()
            case .skip: source.skip(0)
            case .skipWhile: source.skip(while: { _ in false })
            case .take: source.take(5)
            case .takeWhile: source.take(while: { _ in true })
            case .compactMap: source.compactMap { $0 }
            case .startWith: source.startWith()
            case .effects: source.do(onNext: { _ in })
            }
        }
    }

    enum Course: CaseIterable {
        case disposed, completed, failed, just, error
    }

    enum Link: CaseIterable {
        case flatMap, flatMapSingle, concatMap, combineLatest, `catch`, retryWhen, merge, takeUntil, share,
            shareReplay, refCount, window, groupBy, multicast, create, createWithSubject

        func apply(_ source: Observable<Int>) -> Observable<Int> {
            switch self {
            case .flatMap: source.flatMap { Observable.just($0) }
            case .flatMapSingle: source.flatMap { Single.just($0) }
            case .concatMap: source.concatMap { Observable.just($0) }
            case .combineLatest: .combineLatest(Observable.just(1), source) { _, second in second }
            case .catch: source.catch { .error($0) }
            case .retryWhen: source.retry(when: { $0.flatMap { Observable<Int>.error($0) } })
            case .merge: .merge(source, .empty())
            case .takeUntil: source.take(until: Observable<Int>.never())
            case .window:
                source.window(timeSpan: .seconds(100), count: 1, scheduler: HistoricalScheduler()).flatMap { $0 }
            case .share: source.share()
            case .shareReplay: source.share(replay: 2)
            case .refCount: source.publish().refCount()
            case .groupBy: source.groupBy { $0 % 2 }.flatMap { $0 }
            case .multicast: source.multicast({ PublishSubject<Int>() }, selector: { $0 })
            case .create: .create { source.subscribe($0) }
            case .createWithSubject:
                .create { observer in
                    let subject = PublishSubject<Int>()
                    return Disposables.create(subject.subscribe(observer), source.subscribe(subject))
                }
            }
        }
    }

    enum Appending: CaseIterable {
        case append, prepend, list

        func apply(_ all: Observable<Int>, _ one: Observable<Int>) -> Observable<Int> {
            switch self {
            case .append: all.concat(one)
            case .prepend: one.concat(all)
            case .list: .concat([all, one])
            }
        }
    }
}
