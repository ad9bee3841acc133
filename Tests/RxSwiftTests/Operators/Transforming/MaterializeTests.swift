import RxSwift
import TestSupport
import Testing

struct MaterializeTests {
    @Test func sendsCompletionAsAnElement() {
        outcome("--1-|") { $0.materialize() }
            .expect("--a-(b|)", values: ["a": .next(1), "b": .completed], subscribed: "^---!")
    }

    @Test func sendsAnErrorAsAnElement() {
        outcome("--1-#") { $0.materialize() }
            .expect("--a-(b|)", values: ["a": .next(1), "b": .error(TestError.a)], subscribed: "^---!")
    }

    @Test func elementAfterMapErrorIsNotMaterialized() {
        let (source, log) = (PublishSubject<Int>(), Log())
        let events = source.map { try passing($0, unless: 1, $0) }.materialize()
        _ = events.subscribe(
            onNext: {
                log($0)
                if $0.error != nil { source.onNext(2) }
            }, onCompleted: { log("|") })
        source.onNext(1)
        #expect(log.text == "error(b) |")
    }
}

struct DematerializeTests {
    @Test func undoesMaterialize() {
        outcome("--1-#") { $0.materialize().dematerialize() }.expect("--1-#", subscribed: "^---!")
        outcome("--1-|") { $0.materialize().dematerialize() }.expect("--1-|", subscribed: "^---!")
    }

    @Test func firstTerminalEventDisposesSource() {
        let result = outcome("--1-2-3") {
            $0.map { $0 == 2 ? Event<Int>.completed : .next($0) }.dematerialize()
        }
        result.expect("--1-|", subscribed: "^---!")
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
