import RxSwift
import TestSupport
import Testing

struct MaterializeTests {
    @Test func sendsCompletionAsAnElement() {
        outcome("{10}1{9}|") { $0.materialize() }.expect(
            "{10}a{9}(b|)", values: ["a": .next(1), "b": .completed], subscribed: "^{19}!")
    }

    @Test func sendsAnErrorAsAnElement() {
        outcome("{10}1{9}#") { $0.materialize() }.expect(
            "{10}a{9}(b|)", values: ["a": .next(1), "b": .error(TestError.a)], subscribed: "^{19}!")
    }
}

struct DematerializeTests {
    @Test func undoesMaterialize() {
        outcome("{10}1{9}#") { $0.materialize().dematerialize() }.expect("{10}1{9}#", subscribed: "^{19}!")
        outcome("{10}1{9}|") { $0.materialize().dematerialize() }.expect("{10}1{9}|", subscribed: "^{19}!")
    }

    @Test func letsTheSourceGoWithTheFirstTerminalEvent() {
        let result = outcome("{10}1{9}2{9}3") {
            $0.map { $0 == 2 ? Event<Int>.completed : .next($0) }.dematerialize()
        }
        result.expect("{10}1{9}|", subscribed: "^{19}!")
    }

    @Test func endsOnlyOnce() {
        let (events, log) = (PublishSubject<Event<Int>>(), Log())
        _ = events.dematerialize().takeLast(2).subscribe(
            onNext: {
                log($0)
                if $0 == 1 { events.onNext(.completed) }
            }, onCompleted: { log("|") })
        for event in [Event.next(1), .next(2), .completed] { events.onNext(event) }
        #expect(log.text == "1 2 |")
    }
}
