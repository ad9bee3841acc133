import RxSwift
import TestSupport
import Testing

struct RefCountTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    @Test func connectsWithTheFirstAndDisposesWithTheLast() {
        let counted = source.noteLifetime(in: log, as: "source").publish().refCount()
        let first = counted.note(in: log, as: "a")
        let second = counted.note(in: log, as: "b")
        source.onNext(1)
        first.dispose()
        source.onNext(2)
        second.dispose()
        #expect(log.text == "source+ a1 b1 b2 source-")
    }

    @Test func connectsAnewAfterTheLastHasGone() {
        let counted = source.noteLifetime(in: log, as: "source").publish().refCount()
        counted.note(in: log).dispose()
        counted.note(in: log).dispose()
        #expect(log.text == "source+ source- source+ source-")
    }

    @Test func disposesTheSourceBeforeItTellsTheEnd() {
        let counted = source.noteLifetime(in: log, as: "source").publish().refCount()
        _ = counted.note(in: log, as: "a")
        _ = counted.note(in: log, as: "b")
        source.onCompleted()
        #expect(log.text == "source+ source- acompleted bcompleted")
    }

    @Test func connectsAnewAfterASourceThatEndsAtOnce() {
        let counted = Observable.of(1).noteLifetime(in: log, as: "source").publish().refCount()
        _ = counted.note(in: log, as: "a")
        _ = counted.note(in: log, as: "b")
        #expect(log.text == "source+ a1 source- acompleted source+ b1 source- bcompleted")
    }

    @Test func anObserverThatDisposesItselfIsCountedOut() {
        let counted = source.noteLifetime(in: log, as: "source").publish().refCount()
        _ = counted.take(1).note(in: log)
        source.onNext(1)
        #expect(!source.hasObservers)
        #expect(log.text == "source+ 1 completed source-")
    }

    @Test func threadsThatComeAndGoLeaveItDisconnected() throws {
        try countsUnderRaces { $0.publish().refCount() }
    }
}

/// Subscribes and disposes from several threads, again and again; afterwards nothing is connected, each connection was disposed, never two at once.
func countsUnderRaces(_ share: (Observable<Int>) -> Observable<Int>) throws {
    let (source, present, most) = (PublishSubject<Int>(), Guarded(0), Guarded(0))
    let shared = share(
        source.do(
            onSubscribe: {
                let now = present.withLock { present in
                    present += 1
                    return present
                }
                most.withLock { $0 = max($0, now) }
            }, onDispose: { present.withLock { $0 -= 1 } }))
    try runConcurrently(threads: 4) { index in
        for number in 0..<1_000 {
            if index == 0 {
                source.onNext(number)
            } else {
                shared.subscribe().dispose()
            }
        }
    }
    #expect(present.withLock { $0 } == 0)
    #expect(!source.hasObservers)
    let (log, again) = (Log(), shared)
    let subscription = again.skip { $0 >= 0 }.note(in: log)
    source.onNext(-7)
    #expect(log.text == "-7")
    subscription.dispose()
}
