import CRxCore
import RxSwift
import RxTest
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
#if DEBUG && canImport(Runtime) && compiler(>=6.2)
    import Runtime
#endif

struct HooksTests {
    @Test func hooksKeepAssignedValues() async {
        await #expect(processExitsWith: .success) {
            precondition(!Hooks.recordCallStackOnError)
            Hooks.recordCallStackOnError = true
            precondition(Hooks.recordCallStackOnError)

            let log = Log()
            Hooks.defaultErrorHandler = { stack, error in log("\(stack) \(error)") }
            Hooks.customCaptureSubscriptionCallstack = { ["here"] }
            Hooks.defaultErrorHandler(Hooks.customCaptureSubscriptionCallstack(), TestError.a)
            precondition(log.text == "[\"here\"] a")
        }
    }

    @Test func captureHookIsCalledForEachSubscription() async {
        await #expect(processExitsWith: .success) {
            let recorded = Log()
            Hooks.customCaptureSubscriptionCallstack = {
                recorded("here")
                return []
            }
            _ = Observable.just(1).subscribe()
            Hooks.recordCallStackOnError = true
            _ = Observable.just(1).subscribe()
            _ = Observable.of(1, 2).subscribe(onNext: { _ in })
            _ = Observable<Int>.error(TestError.a).subscribe(onError: { _ in })
            precondition(recorded.text == "here here here")
        }
    }

    @Test func replacedHookIsFreedWithoutLock() async {
        await #expect(processExitsWith: .success) {
            let (log, tracker) = (Log(), LifetimeTracker())
            func make() -> LifetimeTracker.Tracked { tracker.make(onDeinit: { log(crx_thread_locks_held()) }) }
            Hooks.defaultErrorHandler = { [held = make()] _, _ in _ = held }
            Hooks.customCaptureSubscriptionCallstack = { [held = make()] in ["\(held)"] }
            Hooks.droppedElementHandler = { [held = make()] _, _, _ in _ = held }
            Hooks.captureContext = { [held = make()] in
                _ = held
                return nil
            }
            precondition(tracker.live == 4)
            Hooks.defaultErrorHandler = { _, _ in }
            Hooks.customCaptureSubscriptionCallstack = { [] }
            Hooks.droppedElementHandler = nil
            Hooks.captureContext = nil
            precondition(log.text == "0 0 0 0", log.text)
        }
    }

    @Test func defaultBufferingReturnsLastAssignedValue() async {
        await #expect(processExitsWith: .success) {
            for buffering in [Buffering.unbounded, .newest(2), .newest(3), .unbounded, .unbounded, .oldest(1)] {
                Hooks.defaultBuffering = buffering
                precondition(Hooks.defaultBuffering == buffering, "\(buffering)")
            }
        }
    }

    @Test func boundOfSubscriptionOverridesDefaultBuffering() async {
        await #expect(processExitsWith: .success) {
            Hooks.defaultBuffering = .oldest(1)
            let (source, scheduler, log) = (PublishSubject<Int>(), TestScheduler(initialClock: 0), Log())
            let subscription = source.observe(on: scheduler).bounded(3).note(in: log)
            for element in 1...3 { source.onNext(element) }
            scheduler.start()
            precondition(log.text == "1 2 3", log.text)
            subscription.dispose()
        }
    }

    @Test func unhandledErrorIsWrittenUnbuffered() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            Self.fail()
            _exit(0)
        }
        let (words, output) = (text(result?.standardErrorContent), text(result?.standardOutputContent))
        #expect(words.contains("Unhandled error happened: a\nin a subscription to a sequence of String"))
        #expect(!output.contains("Unhandled"))
        #expect(words.contains("the error came via map"))
    }

    #if DEBUG && compiler(>=6.2)
        @Test func unhandledErrorIsReportedWithAddressesBeforeNamesAreLookedUp() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                NameLookups.suspend()
                Self.fail()
                _exit(0)
            }
            let lines = text(result?.standardErrorContent).split(separator: "\n")
            let stack = lines.first { $0.hasPrefix("call stack: ") }?.split(separator: " ").dropFirst(2) ?? []
            #expect(stack.first?.hasPrefix("0x") == false && stack.contains { $0.hasPrefix("0x") }, "\(lines)")
            #expect(!lines.contains { $0.contains("HooksTests.swift:") })
        }

        /// In a large program, reading the symbols takes seconds.
        @Test func unhandledErrorReportedReadsNoSymbolsOnDeliveringThread() async {
            await #expect(processExitsWith: .success) {
                NameLookups.suspend()
                Self.fail()
                precondition(programMappings() == 1, "\(programMappings())")
                // `Backtrace.capture()` reads the symbols, which shows that the check above can fail.
                _ = try Backtrace.capture()
                precondition(programMappings() == 2, "\(programMappings())")
            }
        }

        @Test func nestedEventsReportedReadNoSymbolsOnDeliveringThread() async {
            await #expect(processExitsWith: .success) {
                NameLookups.suspend()
                let subject = PublishSubject<Int>()
                let subscription = subject.subscribe(onNext: { if $0 < 150 { subject.onNext($0 + 1) } })
                subject.onNext(0)
                precondition(programMappings() == 1, "\(programMappings())")
                // Breaks the cycle between the subject and its observer.
                subscription.dispose()
            }
        }

        @Test func recordedSubscriptionOnThreadReadsNoSymbols() async {
            await #expect(processExitsWith: .success) {
                NameLookups.suspend()
                Hooks.recordCallStackOnError = true
                let mappings = try runOnThread {
                    Self.subscribe(to: .never())
                    return programMappings()
                }
                precondition(mappings == 1, "\(mappings)")
            }
        }

        @Test func recordedSubscriptionInTaskNamesAwaitingCallers() async {
            await #expect(processExitsWith: .success) {
                Hooks.recordCallStackOnError = true
                let seen = Guarded<[String]>([])
                Hooks.defaultErrorHandler = { stack, _ in seen.withLock { $0 = stack } }
                await Self.awaitSubscription(to: .error(TestError.a))
                let symbols = seen.withLock { $0 }
                precondition(symbols.contains { $0.contains("HooksTests.awaitSubscription(to:)") }, "\(symbols)")
            }
        }

        @Test func unhandledErrorIsReportedAgainOnceNamesAreLookedUp() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                Self.fail()
                NameLookups.finish()
            }
            let reports = text(result?.standardErrorContent).split(separator: "Names for the unhandled error a:\n")
            #expect(reports.count == 2 && reports[1].hasPrefix("the error came via map, via "))
            #expect(reports.last?.contains("HooksTests.swift:") == true)
        }

        @Test func recordedPlaceIsLookedUpOffTheDeliveringThread() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                NameLookups.suspend()
                Hooks.recordCallStackOnError = true
                Self.fail()
                _exit(0)
            }
            let words = text(result?.standardErrorContent)
            #expect(words.contains("Unhandled error happened: a\n") && !words.contains("subscription called from:"))
        }
    #endif

    #if canImport(Glibc)
        /// Measures processor time, because the system may suspend the thread.
        @Test func unhandledErrorReportedTakesLessThan20MillisecondsOfDeliveringThread() async {
            await #expect(processExitsWith: .success) {
                func now() -> Double {
                    var time = timespec()
                    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                    return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
                }
                NameLookups.suspend()
                let begin = now()
                Self.fail()
                precondition(now() - begin < 20, "\(now() - begin) ms")
            }
        }
    #endif

    @Test func unhandledErrorListsOperatorsOfProgram() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let (one, failing) = (Observable.just(1), Observable<Int>.error(TestError.a))
            let subject = PublishSubject<Int>()
            func fail(_ name: String, _ source: Observable<Int>) {
                StandardError.say("- \(name)")
                _ = source.subscribe(onNext: { _ in })
                NameLookups.finish()
            }
            fail("concatMap inner", one.concatMap { _ in failing })
            fail("flatMap map", one.map { _ -> Int in throw TestError.a }.flatMap { Observable.just($0) })
            fail("merge", Observable.merge(subject, .never()))
            subject.onError(TestError.a)
            NameLookups.finish()
        }
        let reports = text(result?.standardErrorContent).split(separator: "- ")
        func way(_ name: String) -> String? {
            let report = reports.first { $0.hasPrefix(name) }?.split(separator: "\n").map(String.init)
            let way = report?.last { $0.hasPrefix("the error came via") }?.dropFirst("the error came via ".count)
            return way?.split(separator: ", via ").prefix { !$0.contains("/") }.joined(separator: ", ")
        }
        #expect(way("flatMap map")?.hasPrefix("flatMap, map") == true)
        #expect(way("merge")?.hasPrefix("merge") == true)
        #if DEBUG && compiler(>=6.2)
            #expect(way("concatMap inner")?.hasPrefix("concatMap, error") == true)
        #endif
    }

    #if DEBUG && compiler(>=6.2)
        @Test func timeoutErrorListsTimeoutAlone() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let scheduler = TestScheduler(initialClock: 0)
                _ = Observable<Int>.never().timeout(.seconds(1), scheduler: scheduler).subscribe(onNext: { _ in })
                scheduler.start()
                NameLookups.finish()
            }
            let words = text(result?.standardErrorContent)
            #expect(words.contains("the error came via timeout,") && !words.contains("oordinator"))
        }
    #endif

    @Test func reportOmitsEmptySections() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            _ = Observable<Int>.error(TestError.a).subscribe(onNext: { _ in })
        }
        let words = text(result?.standardErrorContent)
        #expect(words.contains("Unhandled error happened: a\n"))
        #expect(!words.contains("subscription called from") && !words.contains("passed the checkpoints"))
    }

    /// To list operators, the library looks up names, which may take a second.
    @Test func firstThreeErrorsAloneListTheirOperators() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let failing = Observable.just(1).map { _ -> Int in throw TestError.a }
            for _ in 0..<5 {
                _ = failing.map { $0 }.subscribe(onNext: { _ in })
                NameLookups.finish()
            }
        }
        let reports = text(result?.standardErrorContent).split(separator: "Unhandled error happened: a")
        #expect(reports.count == 5)
        #if DEBUG && compiler(>=6.2)
            #expect(reports.map { $0.contains(", via ") } == [true, true, true, false, false], "\(reports)")
            #expect(reports.map { $0.contains("call stack: ") } == [true, true, true, false, false], "\(reports)")
        #endif
    }

    @Test func errorOfCatchHandlerListsNoEarlierOperators() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let failing = Observable.of(1).map { _ -> Int in throw TestError.a }
            _ = failing.catch { _ in Observable.error(TestError.b) }.subscribe(onNext: { _ in })
        }
        let words = text(result?.standardErrorContent)
        #expect(words.contains("Unhandled error happened: b") && !words.contains("via map"))
    }

    @Test func errorStartedInErrorHandlerListsNoOuterOperators() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let failing = Observable.of(1).map { _ -> Int in throw TestError.a }
            let failAnew = { @Sendable in _ = Observable<Int>.error(TestError.b).subscribe(onNext: { _ in }) }
            _ = failing.subscribe(onError: { _ in failAnew() })
            _ = failing.subscribe { if case .error = $0 { failAnew() } }
            _ = failing.do(onError: { _ in failAnew() }).subscribe(onError: { _ in })
            _ = failing.subscribe(onError: { _ in }, onDisposed: failAnew)
        }
        let words = text(result?.standardErrorContent)
        #expect(words.contains("Unhandled error happened: b") && !words.contains("via map"))
    }

    @Test func errorAfterHandlerListsItsOwnOperators() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let failing = Observable.of(1).map { _ -> Int in throw TestError.a }
            let others = Observable.just(1).filter { _ in throw TestError.b }
            _ = failing.do(onError: { _ in _ = others.subscribe(onError: { _ in }) }).subscribe(onNext: { _ in })
        }
        let words = text(result?.standardErrorContent)
        #expect(words.contains("Unhandled error happened: a"))
        #expect(words.contains("via map") && !words.contains("via filter"))
    }

    @Test func unhandledTraitErrorIsWritten() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            _ = Single<Int>.error(TestError.a).subscribe(onSuccess: { _ in })
            _ = Infallible<Int>(Observable.error(TestError.b)).subscribe { _ in }
        }
        let words = text(result?.standardErrorContent)
        #expect(
            words.contains("happened: a\nin a subscription to a sequence of Int") && words.contains("happened: b\n"))
    }

    @Test func unhandledErrorOfTraitWithObjectReachesHandler() async {
        await #expect(processExitsWith: .success) {
            let log = Log()
            Hooks.defaultErrorHandler = { _, error in log(error) }
            _ = Single<Int>.error(TestError.a).subscribe(with: log, onSuccess: { _, _ in })
            _ = Maybe<Int>.error(TestError.b).subscribe(with: log, onSuccess: { _, _ in })
            precondition(log.text == "a b", log.text)
        }
    }

    #if DEBUG && compiler(>=6.2)
        @Test func theRecordedPlaceHasAFileAndALine() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                Hooks.recordCallStackOnError = true
                let subject = PublishSubject<Int>()
                Self.subscribe(to: subject)
                try runOnThread { subject.onError(TestError.a) }
                NameLookups.finish()
            }
            let words = text(result?.standardErrorContent)
            let place = words.firstRange(of: "subscription called from:").map { words[$0.upperBound...] }
            #expect(
                place?.contains("HooksTests.subscribe(to:)") == true && place?.contains("HooksTests.swift:") == true)
        }

        /// Generated code, here a `deinit`, has no line number.
        @Test func errorListsOnlyPlacesWithLine() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                Self.failAsItIsLetGo()
                NameLookups.finish()
            }
            let words = text(result?.standardErrorContent)
            #expect(words.contains("HooksTests.swift:"))
            #expect(!words.split(whereSeparator: { ", \n".contains($0) }).contains { $0.hasSuffix(":0") })
        }

        @Test func handlerReceivesRecordedCallStack() async {
            await #expect(processExitsWith: .success) {
                Hooks.recordCallStackOnError = true
                let seen = Guarded<[String]>([])
                Hooks.defaultErrorHandler = { stack, _ in seen.withLock { $0 = stack } }
                Self.subscribe(to: Observable<Int>.error(TestError.a))
                precondition(seen.withLock { $0 }.contains { $0.contains("HooksTests.swift:") })
            }
        }
    #endif

    // Outside the exit test, because the compiler attributes code in a test's closure to the macro's file.
    private static func fail() {
        _ = Observable.of(1, 2).map { _ -> String in throw TestError.a }.subscribe(onNext: { _ in })
    }

    private final class Failing {
        deinit {
            HooksTests.fail()
        }
    }

    private final class Holding {
        let held = Failing()
    }

    private static func failAsItIsLetGo() {
        _ = Holding()
    }

    private static func subscribe(to source: Observable<Int>) {
        _ = source.subscribe(onNext: { _ in })
    }

    private static func subscribeAfterYield(to source: Observable<Int>) async {
        await Task.yield()
        subscribe(to: source)
    }

    private static func awaitSubscription(to source: Observable<Int>) async {
        await subscribeAfterYield(to: source)
        await Task.yield()
    }

    private func text(_ bytes: [UInt8]?) -> String {
        String(decoding: bytes ?? [], as: UTF8.self)
    }
}
