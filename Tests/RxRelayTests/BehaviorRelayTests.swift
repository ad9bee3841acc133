import RxRelay
import RxSwift
import TestSupport
import Testing

struct BehaviorRelayTests {
    private let relay = BehaviorRelay(value: 0)
    private let log = Log()

    @Test func observerReceivesCurrentValueFirst() {
        relay.accept(1)
        let subscription = relay.note(in: log)
        relay.accept(2)
        #expect(log.text == "1 2")
        #expect(relay.value == 2)
        subscription.dispose()
    }

    @Test func valueReadByObserverIncludesItsOwnAccept() {
        let subscription = relay.subscribe(onNext: { [relay, log] in
            if $0 == 1 { relay.accept(2) }
            log("\($0)=\(relay.value)")
        })
        relay.accept(1)
        #expect(log.text == "0=0 2=2 1=2")
        subscription.dispose()
    }

    @Test func observerReceivesOneElementAtATime() {
        let subscription = relay.subscribe(onNext: { [relay, log] in
            log("s\($0)")
            if $0 == 1 { _ = try? runOnThread { relay.accept(2) } }
            log("e\($0)=\(relay.value)")
        })
        relay.accept(1)
        #expect(log.text == "s0 e0=0 s1 e1=2 s2 e2=2")
        subscription.dispose()
    }
}
