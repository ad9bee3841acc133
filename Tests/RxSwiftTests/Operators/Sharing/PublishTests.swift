import RxSwift
import TestSupport
import Testing

struct PublishTests {
    private let source = PublishSubject<Int>()
    private let log = Log()

    @Test func subscribesWhenItConnects() {
        let connectable = source.noteLifetime(in: log, as: "source").publish()
        let subscription = connectable.note(in: log)
        #expect(log.take() == "")
        let connection = connectable.connect()
        source.onNext(1)
        connection.dispose()
        #expect(log.text == "source+ 1 source-")
        subscription.dispose()
    }

    @Test func oneSourceEndsForAllItsObservers() {
        let connectable = Observable.of(1, 2).publish()
        _ = connectable.note(in: log, as: "a")
        _ = connectable.note(in: log, as: "b")
        _ = connectable.connect()
        #expect(log.text == "a1 b1 a2 b2 acompleted bcompleted")
    }
}
