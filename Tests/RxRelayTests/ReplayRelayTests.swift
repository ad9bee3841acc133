import RxRelay
import RxSwift
import TestSupport
import Testing

struct ReplayRelayTests {
    @Test func replaysTheLast() {
        let relay = ReplayRelay<Int>.create(bufferSize: 2)
        (1...3).forEach(relay.accept)
        #expect(seen(relay.asObservable()) == "2 3")
    }

    @Test func zeroBufferReplaysNothing() {
        let (relay, log) = (ReplayRelay<Int>.create(bufferSize: 0), Log())
        relay.accept(1)
        let subscription = relay.note(in: log)
        relay.accept(2)
        #expect(log.text == "2")
        subscription.dispose()
    }

    @Test func unboundReplaysAll() {
        let relay = ReplayRelay<Int>.createUnbound()
        (1...5).forEach(relay.accept)
        #expect(seen(relay.asObservable()) == "1 2 3 4 5")
    }

    @Test func unboundKeepsThousands() {
        let (relay, log) = (ReplayRelay<Int>.createUnbound(), Log())
        (0..<5_000).forEach(relay.accept)
        relay.note(in: log).dispose()
        #expect(log.entries == (0..<5_000).texts)
    }

    @Test func elementReachesCurrentObservers() {
        let (relay, log) = (ReplayRelay<Int>.create(bufferSize: 1), Log())
        let subscription = relay.note(in: log)
        relay.accept(1)
        #expect(log.text == "1")
        subscription.dispose()
    }
}
