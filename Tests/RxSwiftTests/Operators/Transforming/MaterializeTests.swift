import RxSwift
import TestSupport
import Testing

struct MaterializeTests {
    @Test func sendsCompletionAsAnElement() {
        #expect(outcome("210:1 220|") { $0.materialize() } == "210:next(1) 220:completed 220| (200: 220)")
    }

    @Test func sendsAnErrorAsAnElement() {
        #expect(outcome("210:1 220!") { $0.materialize() } == "210:next(1) 220:error(a) 220| (200: 220)")
    }
}

struct DematerializeTests {
    @Test func undoesMaterialize() {
        #expect(outcome("210:1 220!") { $0.materialize().dematerialize() } == "210:1 220! (200: 220)")
        #expect(outcome("210:1 220|") { $0.materialize().dematerialize() } == "210:1 220| (200: 220)")
    }

    @Test func letsTheSourceGoWithTheFirstTerminalEvent() {
        let text = outcome("210:1 220:2 230:3") {
            $0.map { $0 == 2 ? Event<Int>.completed : .next($0) }.dematerialize()
        }
        #expect(text == "210:1 220| (200: 220)")
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
