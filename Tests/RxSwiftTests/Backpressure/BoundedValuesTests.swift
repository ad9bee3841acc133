import Dispatch
@_spi(RxServer) import RxSwift
import RxTest
import TestSupport
import Testing

struct BoundedValuesTests {
    @Test func batchedReadsResumeSourceAndDeliverAllElements() async throws {
        let values = Observable.range(start: 1, count: 100).values(buffering: .pausing(8))
        var iterator = values.makeAsyncIterator()
        var all: [Int] = []
        while let batch = try await iterator.next(upTo: 5) {
            #expect((1...5).contains(batch.count))
            all += batch
        }
        #expect(all == Array(1...100))
    }

    @Test(arguments: [0, .min]) func nextUpToNonPositiveCountTraps(count: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [count = count as Int] in
            var iterator = Observable.of(1, 2).values(buffering: .pausing(8)).makeAsyncIterator()
            _ = try await iterator.next(upTo: count)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("count must be at least 1 (next, upTo: \(count))"))
    }

    @Test func takingAllWaitingElementsResumesSource() async throws {
        let (log, source) = (Log(), Guarded<FlowObserver<Int>?>(nil))
        let values = Observable<Int>.create(flow: { out in
            for number in 1...8 { out.onNext(number) }
            log(out.isOpen)
            source.withLock { $0 = out }
            return Disposables.create()
        }).values(buffering: .pausing(8))
        var iterator = values.makeAsyncIterator()
        let taken = try await iterator.next(upTo: 8)
        #expect(taken == Array(1...8))
        let observer = try #require(source.withLock { $0 })
        log(observer.isOpen)
        #expect(log.text == "false true")
    }

    @Test func takingOneAtATimeResumesSourceAtAQuarter() async throws {
        let (log, source) = (Log(), Guarded<FlowObserver<Int>?>(nil))
        let values = Observable<Int>.create(flow: { out in
            for number in 1...8 { out.onNext(number) }
            source.withLock { $0 = out }
            return Disposables.create()
        }).values(buffering: .pausing(8))
        var iterator = values.makeAsyncIterator()
        for _ in 1...7 {
            _ = try await iterator.next()
            let observer = try #require(source.withLock { $0 })
            log(observer.isOpen)
        }
        #expect(log.text == "false false false false false true true")
    }

    @Test(arguments: [(5, false), (6, true)])
    func takingSeveralAtOnceResumesSourceAtAQuarter(count: Int, isOpen: Bool) async throws {
        let source = Guarded<FlowObserver<Int>?>(nil)
        let values = Observable<Int>.create(flow: { out in
            for number in 1...8 { out.onNext(number) }
            source.withLock { $0 = out }
            return Disposables.create()
        }).values(buffering: .pausing(8))
        var iterator = values.makeAsyncIterator()
        let taken = try await iterator.next(upTo: count)
        #expect(taken?.count == count)
        let observer = try #require(source.withLock { $0 })
        withExtendedLifetime(iterator) { #expect(observer.isOpen == isOpen) }
    }

    @Test func boundOfOneResumesSourceOnceElementIsTaken() async throws {
        let (log, source) = (Log(), Guarded<FlowObserver<Int>?>(nil))
        let values = Observable<Int>.create(flow: { out in
            out.onNext(1)
            log(out.isOpen)
            source.withLock { $0 = out }
            return Disposables.create()
        }).values(buffering: .pausing(1))
        var iterator = values.makeAsyncIterator()
        let taken = try await iterator.next()
        #expect(taken == 1)
        let observer = try #require(source.withLock { $0 })
        log(observer.isOpen)
        withExtendedLifetime(iterator) { #expect(log.text == "false true") }
    }

    @Test func unboundedHopAboveKeepsElementsBeyondBoundOfValues() async throws {
        let scheduler = TestScheduler(initialClock: 0)
        var iterator = Observable.range(start: 1, count: 20).observe(on: scheduler).values(buffering: .pausing(4))
            .makeAsyncIterator()
        let subscription = iterator.subscribe()
        var all: [Int] = []
        scheduler.start()
        while let element = try await iterator.next() {
            all.append(element)
            scheduler.start()
        }
        #expect(all == Array(1...20))
        subscription.dispose()
    }

    @Test(arguments: [Buffering.pausing(2), .newest(2)])
    func leavingTheLoopDisposesSource(buffering: Buffering) async throws {
        let (subject, log) = (PublishSubject<Int>(), Log())
        for try await element in subject.startWith(1).values(buffering: buffering) {
            log(element)
            break
        }
        #expect(log.text == "1")
        #expect(!subject.hasObservers)
    }

    @Test(.notForever) func cancelledTaskReceivesWaitingElementsBeforeError() async {
        let values = Observable.of(1, 2, 3).concat(Observable.never()).values(buffering: .pausing(3))
        let taken = await Task {
            var (iterator, taken) = (values.makeAsyncIterator(), [] as [Int])
            do {
                while let element = try await iterator.next() {
                    taken.append(element)
                    // Elements 2 and 3 are already waiting.
                    if element == 1 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            } catch {
                #expect(error is CancellationError)
            }
            return taken
        }.value
        #expect(taken == [1, 2, 3])
    }

    @Test(.notForever) func taskCancelledDuringSubscribeThrowsCancellation() async {
        let sent = Guarded(0)
        let values = Observable.range(start: 0, count: 100_000)
            .do(onNext: { number in
                sent.withLock { $0 += 1 }
                if number == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            })
            .filter { _ in false }.values(buffering: .pausing(8))
        await #expect(throws: CancellationError.self) { try await Task { for try await _ in values {} }.value }
        #expect(sent.withLock { $0 } == 11)
    }

    @Test(.notForever) func taskCancelledBetweenElementsTearsSourceDownAtNext() async {
        let log = Log()
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            return Disposables.create { log("torn") }
        }
        let task = Task {
            for try await _ in source.values(buffering: .pausing(2)) { withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.text == "torn")
    }

    @Test func readingInTwoTasksTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let values = Observable<Int>.never().values(buffering: .pausing(8))
            nonisolated(unsafe) let iterator = values.makeAsyncIterator()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var copy = iterator
                        _ = try? await copy.next()
                    }
                }
            }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("Only one task at a time may read a loop over values(buffering:)"))
    }

    @Test(.notForever) func synchronousElementsArriveInCancelledTask() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var numbers: [Int] = []
            for try await number in Observable.of(1, 2).values(buffering: .pausing(8)) { numbers.append(number) }
            return numbers
        }
        #expect(try await task.value == [1, 2])
    }

    @Test(.notForever) func taskCancelledBeforeReadingThrowsCancellation() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in Observable<Int>.never().values(buffering: .pausing(2)) {}
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [(Buffering.oldest(2), [1, 2]), (.newest(2), [3, 4])])
    func elementsBeyondBoundAreDropped(buffering: Buffering, kept: [Int]) async throws {
        var iterator = Observable.of(1, 2, 3, 4).values(buffering: buffering).makeAsyncIterator()
        var all: [Int] = []
        while let element = try await iterator.next() { all.append(element) }
        #expect(all == kept)
    }

    @Test func failingValuesThrowOverflowAfterWaitingElements() async throws {
        var iterator = Observable.of(1, 2, 3, 4).values(buffering: .failing(2)).makeAsyncIterator()
        var all: [Int] = []
        await #expect(throws: FlowError.self) {
            while let element = try await iterator.next() { all.append(element) }
        }
        #expect(all == [1, 2])
    }

    @Test func nextUpToReturnsAtMostCountElements() async throws {
        let subject = PublishSubject<Int>()
        var iterator = subject.values(buffering: .failing(8)).makeAsyncIterator()
        let pushes = Task {
            while !subject.hasObservers { await Task.yield() }
            for number in 1...6 { subject.onNext(number) }
            subject.onCompleted()
        }
        var all: [Int] = []
        while let batch = try await iterator.next(upTo: 2) {
            #expect((1...2).contains(batch.count))
            all += batch
        }
        await pushes.value
        #expect(all == Array(1...6))
    }

    @Test func errorFollowsWaitingElements() async throws {
        struct Broken: Error {}
        let source = Observable.from([1, 2, 3]).concat(Observable.error(Broken()))
        var iterator = source.values(buffering: .pausing(8)).makeAsyncIterator()
        var all: [Int] = []
        await #expect(throws: Broken.self) {
            while let batch = try await iterator.next(upTo: 2) { all += batch }
        }
        #expect(all == [1, 2, 3])
    }

    @Test(.notForever) func taskCancelledAfterReceivingDisposesSource() async {
        let (subject, executor) = (PublishSubject<Int>(), QueueExecutor())
        let task = Task(executorPreference: executor) {
            for try await _ in subject.values(buffering: .failing(2)) {}
        }
        while !subject.hasObservers { await Task.yield() }
        executor.settle()
        subject.onNext(1)
        executor.settle()
        task.cancel()
        _ = await task.result
        #expect(!subject.hasObservers)
    }

    @Test func leavingTheLoopDuringDeliveryDisposesSource() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        Task(executorPreference: InlineExecutor()) {
            for try await number in subject.values(buffering: .failing(2)) {
                log(number)
                break
            }
            log("left")
        }
        #expect(subject.hasObservers)
        subject.onNext(1)
        #expect(log.text == "1 left" && !subject.hasObservers)
    }

    @Test func sourceIsDisposedBySenderAfterLoopIsLeft() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        Task(executorPreference: InlineExecutor()) {
            let numbers = subject.do(onDispose: { log("disposed") })
            for try await number in numbers.values(buffering: .failing(2)) {
                log(number)
                break
            }
            log("left")
        }
        subject.onNext(1)
        #expect(log.text == "1 left disposed")
    }

    @Test func droppedElementsAreReportedWithTheirCount() async {
        await #expect(processExitsWith: .success) {
            let log = Log()
            Hooks.droppedElementHandler = { boundary, _, count in log("\(boundary):\(count)") }
            for buffering in [Buffering.oldest(1), .newest(1)] {
                var iterator = Observable.of(1, 2, 3).values(buffering: buffering).makeAsyncIterator()
                _ = try await iterator.next()
                precondition(log.take() == "values:1 values:2")
            }
        }
    }

    @Test func mergedSourcesPauseAtTheBound() async throws {
        let sent = Guarded(0)
        let numbers = Observable.range(start: 0, count: 100).do(onNext: { _ in sent.withLock { $0 += 1 } })
        var iterator = Observable.merge(numbers, numbers).values(buffering: .pausing(2)).makeAsyncIterator()
        let first = try await iterator.next()
        #expect(first == 0)
        withExtendedLifetime(iterator) { #expect(sent.withLock { $0 } == 2) }
    }

    @Test func subscribeBeforeReadingSubscribesAtOnceAndOnce() async throws {
        let (subject, log) = (PublishSubject<Int>(), Log())
        var iterator = subject.noteLifetime(in: log, as: "s").values(buffering: .failing(2)).makeAsyncIterator()
        let subscription = iterator.subscribe()
        #expect(log.text == "s+")
        subject.onNext(1)
        #expect(try await iterator.next() == 1)
        #expect(log.text == "s+")
        subscription.dispose()
    }

    @Test func elementsBeforeReadingWaitWithinTheBound() async throws {
        let subject = PublishSubject<Int>()
        var iterator = subject.values(buffering: .newest(2)).makeAsyncIterator()
        let subscription = iterator.subscribe()
        for number in 1...3 { subject.onNext(number) }
        #expect(try await iterator.next(upTo: 3) == [2, 3])
        subscription.dispose()
    }

    @Test func waitingReaderEndsAtDisposalFromAnotherThread() throws {
        let (subject, log, subscription) = (PublishSubject<Int>(), Log(), SerialDisposable())
        Task(executorPreference: InlineExecutor()) {
            var iterator = subject.values(buffering: .failing(2)).makeAsyncIterator()
            subscription.disposable = iterator.subscribe()
            do { _ = try await iterator.next() } catch { log(error is CancellationError) }
        }
        #expect(subject.hasObservers)
        try runOnThread { subscription.dispose() }
        #expect(log.text == "true" && !subject.hasObservers)
    }

    @Test func nonPausableSourceOverflowsAfterWaitingElements() async throws {
        let source = Observable<Int>.create { observer in
            for number in 1...4 { observer.onNext(number) }
            observer.onCompleted()
            return Disposables.create()
        }
        var iterator = source.values(buffering: .pausing(2)).makeAsyncIterator()
        var all: [Int] = []
        await #expect(throws: FlowError.self) {
            while let element = try await iterator.next() { all.append(element) }
        }
        #expect(all == [1, 2])
    }

    @Test func sourceThatBlocksDoesNotDelayAnotherLoop() async throws {
        let (blocks, mayPass) = (AsyncStream.makeStream(of: Never.self), DispatchSemaphore(value: 0))
        let hasPassedInTime = Guarded(false)
        let blocked = Observable.range(start: 0, count: 10).map { number -> Int in
            if number == 5 {
                blocks.continuation.finish()
                let result = mayPass.wait(timeout: .now() + 30)
                hasPassedInTime.withLock { $0 = result == .success }
            }
            return number
        }
        async let numbers = blocked.values(buffering: .pausing(2)).reduce(into: []) { $0.append($1) }
        for await _ in blocks.stream {}
        var count = 0
        for try await _ in Observable.range(start: 0, count: 10).values(buffering: .pausing(2)) { count += 1 }
        #expect(count == 10)
        mayPass.signal()
        #expect(try await numbers == Array(0..<10))
        #expect(hasPassedInTime.withLock { $0 })
    }
}
