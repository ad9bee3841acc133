import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct DebugTests {
    private static func lines(_ output: [UInt8]?) -> [String] {
        String(decoding: output ?? [], as: UTF8.self).split(separator: "\n").filter { $0.contains(" -> ") }.map {
            line in
            line.drop { $0 != ":" }.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? ""
        }
    }

    @Test func printsTheLifeOfASubscription() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            _ = Observable.just(1).debug("a").map { $0 * 2 }.debug("b").subscribe()
            return
        }
        #expect(
            Self.lines(result?.standardOutputContent) == [
                "b -> subscribed", "a -> subscribed", "a -> Event next(1)", "b -> Event next(2)",
                "a -> Event completed",
                "b -> Event completed", "b -> isDisposed", "a -> isDisposed",
            ])
    }

    @Test func namesThePlaceWithoutAnIdentifier() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Observable<Int>.never().debug(file: "/p/File.swift", line: 7, function: "f()").subscribe().dispose()
        }
        #expect(
            Self.lines(result?.standardOutputContent) == [
                "File.swift:7 (f()) -> subscribed", "File.swift:7 (f()) -> isDisposed",
            ])
    }

    @Test func longEventWithTrimOutputIsTrimmedInTheMiddle() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let text = String(repeating: "a", count: 25) + String(repeating: "b", count: 25)
            _ = Observable.just(text).debug("x", trimOutput: true).subscribe()
        }
        #expect(
            Self.lines(result?.standardOutputContent)[1] == "x -> Event next(aaaaaaaaaaaaaaa...bbbbbbbbbbbbbbbbbbb)")
    }

    @Test func traitEventWithTrimOutputIsTrimmed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let text = String(repeating: "a", count: 25) + String(repeating: "b", count: 25)
            _ = Single.just(text).debug("single", trimOutput: true).subscribe(onSuccess: { _ in })
            _ = Infallible.just(text).debug("infallible", trimOutput: true).subscribe(onNext: { _ in })
        }
        let lines = Self.lines(result?.standardOutputContent)
        for name in ["single", "infallible"] {
            #expect(lines.contains("\(name) -> Event next(aaaaaaaaaaaaaaa...bbbbbbbbbbbbbbbbbbb)"), "\(lines)")
        }
    }

    @Test func traitEventWithoutTrimOutputIsWholeAndNamedByPlace() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let text = String(repeating: "a", count: 50)
            _ = Single.just(text).debug(file: "/p/One.swift", line: 7, function: "f()").subscribe(onSuccess: { _ in })
            _ = Infallible.just(text).debug(file: "/p/Two.swift", line: 8, function: "g()").subscribe(onNext: { _ in })
        }
        let (lines, text) = (Self.lines(result?.standardOutputContent), String(repeating: "a", count: 50))
        for place in ["One.swift:7 (f())", "Two.swift:8 (g())"] {
            #expect(lines.contains("\(place) -> Event next(\(text))"), "\(lines)")
        }
    }

    @Test func anEndlessLoopAboveItStopsWhenTheChainBelowEnds() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let (queue, done) = (PthreadScheduler(), DispatchSemaphore(value: 0))
            let subscription = Observable.repeatElement(1).debug("a").subscribe(on: queue).take(2).subscribe()
            // The end enqueues a disposal, which runs before the second job.
            for _ in 0..<2 {
                _ = queue.schedule(()) { _ in
                    done.signal()
                    return Disposables.create()
                }
                precondition(done.wait(timeout: .now() + 10) == .success)
            }
            subscription.dispose()
        }
        #expect(
            Self.lines(result?.standardOutputContent) == [
                "a -> subscribed", "a -> Event next(1)", "a -> Event next(1)", "a -> isDisposed",
            ])
    }

    @Test func printsNoElementBehindTheDisposal() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let source = PublishSubject<Int>()
            _ = source.lift(Twice()).debug("a").take(1).subscribe()
            source.onNext(1)
        }
        #expect(
            Self.lines(result?.standardOutputContent) == [
                "a -> subscribed", "a -> Event next(1)", "a -> isDisposed",
            ])
    }

    @Test func linesBeginWithLocalTime() async {
        let before = Self.localTime()
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Observable<Int>.never().debug("a").subscribe().dispose()
        }
        let after = Self.localTime()
        let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.contains(": a -> ") }
        #expect(lines.count == 2)
        for line in lines {
            let time = String(line.prefix(while: { $0 != "a" }))
            #expect(String(time.map { $0.isNumber ? "0" : $0 }) == "0000-00-00 00:00:00.000: ")
            let seconds = String(time.prefix(19))
            #expect(before <= seconds && seconds <= after)
        }
    }

    private static func localTime() -> String {
        var (clock, parts) = (timespec(), tm())
        clock_gettime(CLOCK_REALTIME, &clock)
        localtime_r(&clock.tv_sec, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, 32, "%Y-%m-%d %H:%M:%S", &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    @Test func eventsAreForwarded() async {
        await #expect(processExitsWith: .success) {
            let completed = outcome("{10}1{9}|") { $0.debug() }
            precondition(completed.observer.events == [.next(210, 1), .completed(220)])
            precondition(completed.sources[0].subscriptions == [Subscription(200, 220)])
            let failed = outcome("{10}1{9}#") { $0.debug() }
            precondition(failed.observer.events == [.next(210, 1), .error(220, TestError.a)])
            precondition(failed.sources[0].subscriptions == [Subscription(200, 220)])
        }
    }

    @Test func eventUpToFortyCharactersIsNotTrimmed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            _ = Observable.just(String(repeating: "a", count: 34)).debug("x", trimOutput: true).subscribe()
        }
        let text = String(repeating: "a", count: 34)
        #expect(Self.lines(result?.standardOutputContent)[1] == "x -> Event next(\(text))")
    }

    @Test func longEventWithoutTrimOutputIsNotTrimmed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            _ = Observable.just(String(repeating: "a", count: 50)).debug("x").subscribe()
        }
        let text = String(repeating: "a", count: 50)
        #expect(Self.lines(result?.standardOutputContent)[1] == "x -> Event next(\(text))")
    }

    @Test func printsPausesAndResumes() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let scheduler = TestScheduler(initialClock: 0)
            _ = scheduler.start { Observable<Int>.never().debug("a").paused(by: "-p-r", on: scheduler) }
        }
        #expect(
            Self.lines(result?.standardOutputContent) == [
                "a -> subscribed", "a -> paused", "a -> resumed", "a -> isDisposed",
            ])
    }

    @Test func debugForwardsDisposal() async {
        await #expect(processExitsWith: .success) {
            let (source, log) = (PublishSubject<Int>(), Log())
            source.noteLifetime(in: log, as: "source").debug().subscribe().dispose()
            precondition(log.text == "source+ source-" && !source.hasObservers)
        }
    }

    @Test func pauseIsForwarded() async {
        await #expect(processExitsWith: .success) {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createPausableObservable("-1-2-3", of: Int.self)
            _ = scheduler.start { source.debug().paused(by: "--p-r", on: scheduler) }
            precondition(source.signals.map(\.value) == [.pause, .resume])
        }
    }
}
