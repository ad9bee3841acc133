import RxOperators
import RxTest
import TestSupport
import Testing

struct WindowTests {
    private let scheduler = TestScheduler(initialClock: 0)

    /// The windows' events, each with the number of its window: `^` is the start, `#` an error and `|` the end.
    private func numbered(_ windows: Observable<Observable<Int>>) -> Observable<String> {
        windows.enumerated().flatMap { number, window in
            window.map { "\(number):\($0)" }
                .catch { _ in .just("\(number):#") }
                .concat(Observable.just("\(number)|"))
                .startWith("\(number)^")
        }
    }

    private func events(_ windows: Observable<Observable<Int>>) -> String {
        let log = Log()
        let subscription = numbered(windows).subscribe(
            onNext: { log($0) }, onError: { _ in log("#") }, onCompleted: { log("|") })
        scheduler.start()
        subscription.dispose()
        return log.text
    }

    @Test func windowCountSkipSmallerThanCountOverlaps() {
        #expect(
            events(scheduler.hot("-1-2-3-|").window(count: 2, skip: 1))
                == "0^ 0:1 1^ 0:2 0| 1:2 2^ 1:3 1| 2:3 2| |")
    }

    @Test func windowCountSkipGreaterThanCountDropsElementsBetween() {
        #expect(
            events(scheduler.hot("-1-2-3-4-|").window(count: 1, skip: 2)) == "0^ 0:1 0| 1^ 1:3 1| |")
    }

    @Test func windowCountWithoutSkipErrorEndsTheOpenWindowAndTheResult() {
        #expect(events(scheduler.hot("-1-#").window(count: 2)) == "0^ 0:1 0:# 0| #")
    }

    @Test func windowCountObserverPushesKeepsEachElementOnce() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let subscription = source.window(count: 2, skip: 2).enumerated().flatMap { number, window in
            window.do(onNext: { if $0 == 1 { source.onNext(2) } }).map { "\(number):\($0)" }
        }
        .subscribe(onNext: { log($0) })
        for element in [1, 3, 4, 5] { source.onNext(element) }
        subscription.dispose()
        #expect(log.entries.sorted() == ["0:1", "0:2", "1:3", "1:4", "2:5"])
    }

    @Test func windowCountResultDisposedWindowContinues() {
        let (source, log) = (PublishSubject<Int>(), Log())
        nonisolated(unsafe) var window: Observable<Int>?
        let subscription = source.window(count: 3, skip: 3).subscribe(onNext: { window = $0 })
        source.onNext(1)
        let observation = window?.subscribe(onNext: { log($0) }, onCompleted: { log("|") })
        subscription.dispose()
        source.onNext(2)
        #expect(source.hasObservers)
        source.onNext(3)
        source.onNext(4)
        #expect(log.text == "2 3 |")
        observation?.dispose()
        #expect(!source.hasObservers)
    }

    @Test func windowBoundaryElementCompletesAndOpensAWindow() {
        let (source, boundary) = (scheduler.hot("-1---3-|"), scheduler.hot("---2----"))
        #expect(events(source.window(boundary: boundary)) == "0^ 0:1 0| 1^ 1:3 1| |")
    }

    @Test func windowBoundaryObserverOfEndPushesBoundaryOneWindowIsOpen() {
        let (source, boundary, log) = (PublishSubject<Int>(), PublishSubject<Void>(), Log())
        let subscription = source.window(boundary: boundary).enumerated().flatMap { number, window in
            window.do(onCompleted: { if number == 0 { boundary.onNext(()) } }).map { "\(number):\($0)" }
        }
        .subscribe(onNext: { log($0) })
        for element in 1...3 {
            boundary.onNext(())
            source.onNext(element)
        }
        subscription.dispose()
        #expect(log.text == "1:1 2:2 3:3")
    }

    @Test func windowBoundaryObserverOfWindowPushesBoundaryOneWindowIsOpen() {
        let (source, boundary, log) = (PublishSubject<Int>(), PublishSubject<Void>(), Log())
        let subscription = source.window(boundary: boundary).enumerated()
            .do(onNext: { number, _ in if number == 1 { boundary.onNext(()) } })
            .flatMap { number, window in window.map { "\(number):\($0)" } }
            .subscribe(onNext: { log($0) })
        for element in 1...2 {
            boundary.onNext(())
            source.onNext(element)
        }
        subscription.dispose()
        #expect(log.text == "2:1 3:2")
    }

    @Test func windowBoundaryCompletedLeavesTheWindowOpen() {
        let (source, boundary) = (scheduler.hot("-1---3-|"), scheduler.hot("--|"))
        #expect(events(source.window(boundary: boundary)) == "0^ 0:1 0:3 0| |")
    }

    @Test func windowBoundaryFailedEndsTheWindowAndTheResult() {
        let (source, boundary) = (scheduler.hot("-1---3-|"), scheduler.hot("--#"))
        #expect(events(source.window(boundary: boundary)) == "0^ 0:1 0:# 0| #")
    }

    @Test func windowOpeningsOverlappingWindowsShareElements() {
        let (source, openings) = (scheduler.hot("--1-2-3-4-|"), scheduler.hot("-1-2-------"))
        let windows = source.window(openings: openings) { [scheduler] _ in
            Observable<Int>.timer(.seconds(4), scheduler: scheduler)
        }
        #expect(events(windows) == "0^ 0:1 1^ 0:2 1:2 0| 1:3 1| |")
    }

    @Test func windowOpeningsClosingCompletesClosesTheWindow() {
        let (source, openings) = (scheduler.hot("--1-2-|"), scheduler.hot("-1-----"))
        let windows = source.window(openings: openings) { [scheduler] _ in scheduler.cold("--|") }
        #expect(events(windows) == "0^ 0:1 0| |")
    }

    @Test func windowOpeningsClosingFailsEndsTheWindowAndTheResult() {
        let (source, openings) = (scheduler.hot("--1-2-|"), scheduler.hot("-1-----"))
        let windows = source.window(openings: openings) { [scheduler] _ in scheduler.cold("--#") }
        #expect(events(windows) == "0^ 0:1 0:# 0| #")
    }

    @Test func windowOpeningsClosingThrowsEndsTheWindowAndTheResult() {
        let (source, openings) = (scheduler.hot("--1-2-|"), scheduler.hot("-1-----"))
        let windows = source.window(openings: openings) { _ -> Observable<Int> in throw TestError.b }
        #expect(events(windows) == "0^ 0:# 0| #")
    }
}
