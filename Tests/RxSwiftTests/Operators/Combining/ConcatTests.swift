import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct ConcatTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log()

    @Test func nextSourceIsSubscribedAfterPreviousCompletes() {
        let first = scheduler.cold("--1-|")
        let second = scheduler.cold("--2-|")
        let observer = scheduler.start { Observable.concat(first.asObservable(), second.asObservable()) }
        observer.expect("--1---2-|")
        first.expectSubscriptions("^---!")
        second.expectSubscriptions("----^---!")
    }

    @Test func anErrorEndsIt() {
        let second = scheduler.cold("--2-|")
        let observer = scheduler.start { scheduler.cold("--1-#").concat(second) }
        observer.expect("--1-#", error: TestError.a)
        second.expectSubscriptions()
    }

    @Test func everyFormSendsTheSame() {
        let sources = [Observable.of(1, 2), .of(3), .empty(), .just(4)]
        let expected = "1 2 3 4 completed"
        #expect(seen(Observable.concat(sources)) == expected)
        #expect(seen(Observable.concat(sources[0], sources[1], sources[2], sources[3])) == expected)
        #expect(seen(Observable.concat(AnySequence(sources))) == expected)
        #expect(seen(Observable.concat(sources[...])) == expected)
        #expect(seen(sources[0].concat(sources[1]).concat(sources[2].concat(sources[3]))) == expected)
        #expect(seen(Observable.from(sources).concat()) == expected)
        #expect(seen(Observable.concat([Observable<Int>]())) == "completed")
    }

    @Test func pullsTheSequenceOneAtATime() {
        let log = log
        let sources = AnySequence {
            var count = 0
            return AnyIterator<Observable<Int>> {
                count += 1
                log("pull")
                return count < 3 ? .of(count) : nil
            }
        }
        _ = Observable.concat(sources).note(in: log)
        #expect(log.text == "pull 1 pull 2 pull completed")
    }

    @Test func disposesEachSourceBeforeTheNext() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let both = Observable.concat(first.noteLifetime(in: log, as: "a"), second.noteLifetime(in: log, as: "b"))
        let subscription = both.noteLifetime(in: log, as: "c").note(in: log)
        first.onCompleted()
        #expect(log.take() == "c+ a+ a- b+")
        subscription.dispose()
        #expect(log.text == "b- c-")
    }

    @Test func makesADeferredSourceOnATrampoline() {
        let log = log
        let first = PublishSubject<Int>()
        let second = Observable<Int>.deferred {
            _ = Observable.of(1).subscribe(onNext: { _ in log("inside") })
            log("made")
            return .of(2)
        }
        _ = first.concat(second).note(in: log)
        first.onCompleted()
        #expect(log.text == "made inside 2 completed")
    }

    @Test func errorOfDeferredSourceEndsTheSequence() {
        #expect(seen(Observable.just(1).concat(Observable.deferred { throw TestError.b })) == "1 error(b)")
    }

    @Test func disposedInsideAnEventItSubscribesToNothingMore() {
        let log = log
        let second = Observable<Int>.deferred {
            log("made")
            return .just(2)
        }
        #expect(seen(Observable.just(1).concat(second).take(1)) == "1 completed")
        #expect(log.text == "")
    }

    private func disposeWhileSecondSourceIsMade(to second: @escaping () -> Observable<Int>) {
        let (first, subscription) = (PublishSubject<Int>(), SerialDisposable())
        let sources = (0..<2).lazy.map { number -> Observable<Int> in
            if number == 0 { return first }
            subscription.dispose()
            return second()
        }
        subscription.disposable = Observable.concat(sources).subscribe()
        first.onCompleted()
    }

    @Test func sourceMadeDuringDisposalIsNotSubscribed() {
        disposeWhileSecondSourceIsMade { [log] in .never().noteLifetime(in: log, as: "second") }
        #expect(log.text == "")
    }

    @Test func sourceIsNotMadeAfterTeardownOfPreviousSourceHasDisposed() {
        let (first, subscription, log) = (PublishSubject<Int>(), SerialDisposable(), log)
        let second = Observable<Int>.deferred {
            log("made")
            return .never()
        }
        subscription.disposable = first.do(onDispose: { subscription.dispose() }).concat(second).subscribe()
        first.onCompleted()
        #expect(log.text == "")
    }

    @Test func concatenationMadeDuringDisposalIsNotIterated() {
        disposeWhileSecondSourceIsMade { [log] in
            .concat(
                (0..<1).lazy.map { _ in
                    log("asked")
                    return .never()
                })
        }
        #expect(log.text == "")
    }

    @Test func freesItsSourcesAtTheEnd() {
        let tracker = LifetimeTracker()
        func source() -> Observable<Int> {
            let tracked = tracker.make()
            return Observable.of(1).concat(Observable.deferred { .just(tracked.value) })
        }
        let subscription = source().concat(source()).subscribe()
        #expect(tracker.made == 2)
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test(arguments: [false, true]) func freedConcatenationKeepsItsInnerOnesUsable(asArray: Bool) {
        let inner = Observable.of(1).concat(Observable.of(2))
        var outer: Observable<Int>? = asArray ? .concat([.of(0), inner]) : inner.concat(Observable.of(3))
        #expect(outer.map(seen) == (asArray ? "0 1 2 completed" : "1 2 3 completed"))
        outer = nil
        #expect(seen(inner) == "1 2 completed")
    }

    @Test func buildsConcatenationsInALoop() throws {
        let sums = try runOnSmallThread {
            var appended = Observable.just(0)
            var prepended = Observable.just(0)
            var nested = Observable.just(0)
            var listed = Observable.just(0)
            for index in 1..<100_000 {
                appended = appended.concat(Observable.just(index))
                prepended = Observable.just(index).concat(prepended)
                nested = .concat(nested, .just(index))
                listed = .concat([.just(index), listed])
            }
            return [appended, prepended, nested, listed].map { all in
                nonisolated(unsafe) var sum = 0
                _ = all.subscribe(onNext: { sum += $0 })
                return sum
            }
        }
        #expect(sums == Array(repeating: 4_999_950_000, count: 4))
    }

    @Test func aLongConcatenationIsDisposedHalfWay() throws {
        let tracker = LifetimeTracker()
        let count = try runOnSmallThread {
            var all = Observable.just(tracker.make())
            for index in 1..<100_000 {
                all = all.concat(index == 50_000 ? Observable.never() : Observable.just(tracker.make()))
            }
            nonisolated(unsafe) var count = 0
            let subscription = all.subscribe(onNext: { _ in count += 1 })
            all = .empty()
            subscription.dispose()
            return count
        }
        #expect(count == 50_000)
        #expect(tracker.live == 0)
    }

    @Test func growsWhileItRuns() throws {
        @Sendable func numbers(from number: Int) -> Observable<Int> {
            if number == 100_000 { return .empty() }
            let next = Observable.deferred { numbers(from: number + 1) }
            return number % 2 == 0
                ? Observable.just(number).concat(next) : Observable.concat([Observable.of(number), next])
        }
        let count = try runOnSmallThread {
            nonisolated(unsafe) var count = 0
            _ = numbers(from: 0).subscribe(onNext: { _ in count += 1 })
            return count
        }
        #expect(count == 100_000)
    }

    @Test(arguments: [false, true]) func recursiveSourceReleasesPreviousPages(asArray: Bool) {
        let tracker = LifetimeTracker()
        nonisolated(unsafe) var most = 0
        @Sendable func pages(from number: Int) -> Observable<Int> {
            if number == 100 { return .empty() }
            let page = tracker.make(number)
            most = max(most, tracker.live)
            let sources = [Observable.just(number), .deferred { pages(from: page.value + 1) }]
            return asArray ? .concat(sources) : .concat(ContiguousArray(sources))
        }
        nonisolated(unsafe) var count = 0
        pages(from: 0).subscribe(onNext: { _ in count += 1 }).dispose()
        #expect(count == 100)
        #expect(most < 5)
    }

    @Test func collectionOtherThanArrayIsSentCompletely() {
        #expect(seen(.concat((1...3).lazy.map { Observable.just($0) })) == "1 2 3 completed")
        #expect(seen(.concat(ArraySlice([Observable.of(1, 2), .just(3), .empty()]))) == "1 2 3 completed")
        #expect(seen(.concat(EmptyCollection<Observable<Int>>())) == "completed")
    }

    @Test func hundredThousandSourcesFitSmallStack() throws {
        let counts = try runOnSmallThread { () -> [Int] in
            let sources = (0..<100_000).lazy
            func made(_ number: Int) -> Observable<Int> {
                .create { observer in
                    observer.onNext(number)
                    observer.onCompleted()
                    return Disposables.create()
                }
            }
            func count(_ source: @escaping (Int) -> Observable<Int>) -> Int {
                nonisolated(unsafe) var count = 0
                _ = Observable.concat(sources.map(source)).subscribe(onNext: { _ in count += 1 })
                return count
            }
            return [count { .just($0) }, count { .of($0) }, count(made)]
        }
        #expect(counts == [100_000, 100_000, 100_000])
    }

    @Test(arguments: [false, true]) func sourcesThatEndOnOtherThreadsFollowOneAnother(waitsForItsEnd: Bool) throws {
        let numbers = 0..<20_000
        let sources = numbers.lazy.map { number in
            Observable<Int>.create { observer in
                let ended = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    observer.onNext(number)
                    observer.onCompleted()
                    ended.signal()
                }
                if waitsForItsEnd { ended.wait() }
                return Disposables.create()
            }
        }
        let received = try runOnThread(timeout: 120) {
            let done = DispatchSemaphore(value: 0)
            nonisolated(unsafe) var received: [Int] = []
            let subscription = Observable.concat(sources).subscribe(
                onNext: { received.append($0) }, onCompleted: { done.signal() })
            defer { subscription.dispose() }
            _ = done.wait(timeout: .now() + 100)
            return received
        }
        #expect(received == Array(numbers))
    }
}

func runOnSmallThread<Result>(_ body: @escaping () throws -> Result) throws -> Result {
    try runOnThread(stackSize: 512 << 10, timeout: 200, body)
}
