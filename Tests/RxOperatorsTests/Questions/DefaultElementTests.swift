import RxOperators
import TestSupport
import Testing

struct DefaultElementTests {
    @Test func firstOrElementSendsItAndDisposesOfSource() {
        outcome("--1-2-|") { $0.first(or: 7) }.expect("--(1|)", subscribed: "^-!")
    }

    @Test func firstOrEmptySourceSendsDefault() {
        outcome("--|") { $0.first(or: 7) }.expect("--(7|)", subscribed: "^-!")
        outcome("--#") { $0.first(or: 7) }.expect("--#", subscribed: "^-!")
    }

    @Test func lastOrCompletedSendsLastElement() {
        outcome("--1-2-|") { $0.last(or: 7) }.expect("------(2|)", subscribed: "^-----!")
    }

    @Test func lastOrEmptySourceSendsDefault() {
        outcome("--|") { $0.last(or: 7) }.expect("--(7|)", subscribed: "^-!")
        outcome("--1#") { $0.last(or: 7) }.expect("---#", subscribed: "^--!")
    }

    @Test func elementAtOrElementSendsItAndDisposesOfSource() {
        outcome("--1-2-3") { $0.element(at: 1, or: 7) }.expect("----(2|)", subscribed: "^---!")
        outcome("--1-2-3") { $0.element(at: 0, or: 7) }.expect("--(1|)", subscribed: "^-!")
    }

    @Test func elementAtOrShorterSourceSendsDefault() {
        outcome("--1-2-|") { $0.element(at: 2, or: 7) }.expect("------(7|)", subscribed: "^-----!")
        outcome("--1-2-#") { $0.element(at: 2, or: 7) }.expect("------#", subscribed: "^-----!")
    }

    @Test func singleOrOneElementSendsItAtTheCompletion() {
        outcome("--1-|") { $0.single(or: 7) }.expect("----(1|)", subscribed: "^---!")
    }

    @Test func singleOrEmptySourceSendsDefault() {
        outcome("--|") { $0.single(or: 7) }.expect("--(7|)", subscribed: "^-!")
        outcome("--#") { $0.single(or: 7) }.expect("--#", subscribed: "^-!")
    }

    @Test func singleOrSecondElementFails() {
        outcome("--1-2-|") { $0.single(or: 7) }
            .expect("----#", error: RxError.moreThanOneElement, subscribed: "^---!")
    }

    @Test func elementAtOrNegativeIndexStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.just(1).element(at: -1, or: 7)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("index can't be negative (element, at: -1)"))
    }
}
