import RxSwift
import RxTest
import TestSupport
import Testing

struct MergeTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func sendsWhatAnySourceSendsAndEndsWithTheLast() {
        let sources = ["--1---2-|", "----3-----|"].map { scheduler.cold($0) }
        scheduler.start { Observable.merge(sources.map { $0.asObservable() }) }.expect("--1-3-2---|")
        sources[0].expectSubscriptions("^-------!")
        sources[1].expectSubscriptions("^---------!")
    }

    @Test func anErrorEndsAllSources() {
        let sources = ["--1---#", "----3-----|"].map { scheduler.cold($0) }
        scheduler.start { Observable.merge(sources.map { $0.asObservable() }) }
            .expect("--1-3-#", error: TestError.a)
        sources[0].expectSubscriptions("^-----!")
        sources[1].expectSubscriptions("^-----!")
    }

    @Test func withoutSourcesItCompletes() {
        #expect(seen(Observable<Int>.merge([])) == "completed")
    }

    @Test func disposingEndsAllSources() {
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        let merged = Observable.merge(subjects[0], subjects[1], subjects[2]).subscribe()
        #expect(subjects.map(\.hasObservers) == [true, true, true])
        merged.dispose()
        #expect(subjects.map(\.hasObservers) == [false, false, false])
    }

    @Test func aDisposalFromWithinIsTheEnd() {
        let (subjects, log, subscription) = ((0..<2).map { _ in PublishSubject<Int>() }, Log(), SerialDisposable())
        subscription.disposable = Observable.merge(subjects[0], subjects[1]).subscribe(onNext: {
            log($0)
            subscription.dispose()
            subjects[1].onNext(2)
        })
        subjects[0].onNext(1)
        #expect(log.text == "1")
    }

    @Test func whatAThreadSendsMeanwhileFollows() {
        let (subjects, log) = ((0..<2).map { _ in PublishSubject<Int>() }, Log())
        let subscription = Observable.merge(subjects[0], subjects[1]).subscribe(onNext: {
            log("s\($0)")
            if $0 == 1 { _ = try? runOnThread { subjects[1].onNext(2) } }
            log("e\($0)")
        })
        subjects[0].onNext(1)
        #expect(log.text == "s1 e1 s2 e2")
        subscription.dispose()
    }

    @Test func sourcesThatEndAtOnceOnThreadsEndItOnce() throws {
        for _ in 0..<500 {
            let (subjects, log) = ((0..<3).map { _ in PublishSubject<Int>() }, Log())
            let subscription = Observable.merge(subjects.map { $0.asObservable() }).note(in: log)
            try runConcurrently(threads: 3) { subjects[$0].onCompleted() }
            #expect(log.text == "completed")
            subscription.dispose()
        }
    }

    @Test func aLastSourceThatEndsAtOnceIsDisposedBeforeTheCompletion() {
        let log = Log()
        let source = Observable<Int>.create { observer in
            observer.onCompleted()
            return Disposables.create { log("torn") }
        }
        _ = Observable.merge(source, source).note(in: log)
        #expect(log.text == "torn torn completed")
    }
}
