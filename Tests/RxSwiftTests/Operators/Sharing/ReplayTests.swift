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

    @Test func forgetsWithTheConnection() {
        let connectable = source.replay(2)
        let connection = connectable.connect()
        source.onNext(1)
        connection.dispose()
        let subscription = connectable.note(in: log)
        #expect(log.text == "")
        subscription.dispose()
    }
}
