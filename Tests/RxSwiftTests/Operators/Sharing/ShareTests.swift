import RxSwift
import TestSupport
import Testing

struct ShareTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    @Test(arguments: Form.allCases) func subscribesWithTheFirstAndDisposesWithTheLast(form: Form) {
        let shared = source.noteLifetime(in: log, as: "source").share(form)
        let first = shared.note(in: log, as: "a")
        let second = shared.note(in: log, as: "b")
        source.onNext(1)
        first.dispose()
        source.onNext(2)
        second.dispose()
        #expect(log.text == "source+ a1 b1 b2 source-")
    }

    @Test(arguments: zip([0, 1, 2], ["", "3", "2 3"])) func replaysToALateObserver(replay: Int, replayed: String) {
        let shared = source.share(replay: replay)
        let first = shared.subscribe()
        (1...3).forEach(source.onNext)
        #expect(seen(shared) == replayed)
        first.dispose()
    }

    @Test func forgetsWithTheLastObserver() {
        let shared = source.share(replay: 1)
        let first = shared.subscribe()
        source.onNext(1)
        first.dispose()
        #expect(seen(shared) == "")
    }

    @Test func remembersForever() {
        let shared = source.share(replay: 1, scope: .forever)
        let first = shared.subscribe()
        source.onNext(1)
        first.dispose()
        #expect(seen(shared) == "1")
    }

    @Test func anObserverAfterTheEndStartsAnew() {
        let shared = Observable.of(1).noteLifetime(in: log, as: "source").share(replay: 1)
        _ = shared.note(in: log, as: "a")
        _ = shared.note(in: log, as: "b")
        #expect(log.text == "source+ a1 acompleted source- source+ b1 bcompleted source-")
    }

    @Test func foreverAnObserverAfterTheEndReceivesBufferAndEnd() {
        let shared = source.noteLifetime(in: log, as: "source").share(replay: 1, scope: .forever)
        _ = shared.note(in: log, as: "a")
        source.onNext(1)
        source.onCompleted()
        #expect(log.take() == "source+ a1 source- acompleted")
        _ = shared.note(in: log, as: "b")
        #expect(log.text.hasPrefix("b1 bcompleted"))
    }

    @Test(arguments: Form.allCases) func anErrorGoesToAll(form: Form) {
        let shared = source.share(form)
        _ = shared.note(in: log, as: "a")
        _ = shared.note(in: log, as: "b")
        source.onError(TestError.a)
        #expect(log.text == "aerror(a) berror(a)")
    }

    @Test func disposesItsSourceAfterItHasToldTheEnd() {
        let shared = source.noteLifetime(in: log, as: "source").share()
        _ = shared.note(in: log, as: "a")
        _ = shared.note(in: log, as: "b")
        source.onCompleted()
        #expect(log.text == "source+ acompleted bcompleted source-")
    }

    @Test func allocatesWhatItReplaysAsItComes() {
        let shared = source.share(replay: 999_999_999)
        let first = shared.subscribe()
        (1...3).forEach(source.onNext)
        #expect(seen(shared) == "1 2 3")
        first.dispose()
    }

    @Test func keepsNothingOnceNobodyObserves() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let shared = source.share(replay: 1)
        let subscription = shared.subscribe()
        source.onNext(tracker.make())
        #expect(tracker.live == 1)
        subscription.dispose()
        withExtendedLifetime(shared) { #expect(tracker.live == 0) }
    }

    @Test(arguments: Form.allCases) func threadsThatComeAndGoLeaveItDisconnected(form: Form) throws {
        try countsUnderRaces { $0.share(form) }
    }

    @Test func threadsThatComeMissNothingOfWhatIsReplayed() throws {
        for _ in 0..<300 {
            let source = PublishSubject<Int>()
            let shared = source.share(replay: 999_999_999)
            let keeper = shared.subscribe()
            let (bag, received) = (CompositeDisposable(), (0..<2).map { _ in Log() })
            try runConcurrently(threads: 3) { index in
                if index == 2 {
                    (0..<50).forEach(source.onNext)
                } else {
                    _ = bag.insert(shared.note(in: received[index]))
                }
            }
            for log in received { #expect(log.entries == (0..<50).map(String.init)) }
            bag.dispose()
            keeper.dispose()
        }
    }

    /// The ways to share.
    enum Form: CaseIterable {
        case plain, replayingOne, replayingTwo, forever, replayingForever
    }
}

extension Observable {
    fileprivate func share(_ form: ShareTests.Form) -> Observable<Element> {
        switch form {
        case .plain: share()
        case .replayingOne: share(replay: 1)
        case .replayingTwo: share(replay: 2)
        case .forever: share(scope: .forever)
        case .replayingForever: share(replay: 2, scope: .forever)
        }
    }
}
