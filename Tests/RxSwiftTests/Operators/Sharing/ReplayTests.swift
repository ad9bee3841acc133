import RxSwift
import TestSupport
import Testing

struct ReplayTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    @Test func givesALateObserverTheLastElements() {
        let connectable = source.replay(2)
        let connection = connectable.connect()
        (1...3).forEach(source.onNext)
        let subscription = connectable.note(in: log)
        #expect(log.text == "2 3")
        subscription.dispose()
        connection.dispose()
    }

    @Test func withoutABoundItGivesALateObserverEveryElement() {
        let connectable = source.replayAll()
        let connection = connectable.connect()
        (1...3).forEach(source.onNext)
        let subscription = connectable.note(in: log)
        #expect(log.text == "1 2 3")
        subscription.dispose()
        connection.dispose()
    }

    @Test(arguments: [false, true]) func eachConnectionHasItsOwnElements(isBounded: Bool) {
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        nonisolated(unsafe) var sources = [first, second]
        let source = Observable<Int>.deferred { sources.removeFirst().asObservable() }
        let connectable = isBounded ? source.replay(2) : source.replayAll()
        connectable.connect().dispose()
        var connection = connectable.connect()
        second.onNext(1)
        second.onCompleted()
        connection.dispose()
        sources = [first]
        connection = connectable.connect()
        first.onNext(2)
        let subscription = connectable.note(in: log)
        #expect(log.text == "2")
        subscription.dispose()
        connection.dispose()
    }

    @Test(arguments: [false, true]) func forgetsWithTheConnection(isBounded: Bool) {
        let connectable = isBounded ? source.replay(2) : source.replayAll()
        let connection = connectable.connect()
        source.onNext(1)
        connection.dispose()
        let subscription = connectable.note(in: log)
        #expect(log.text == "")
        subscription.dispose()
    }
}
