import RxSwift
import RxTest
import TestSupport
import Testing

struct StartWithTests {
    @Test func sendsItsElementsFirst() {
        outcome("--1-|") { $0.startWith(8, 9) }.expect("(89)-1-|", subscribed: "^---!")
        outcome("--1-|") { $0.startWith() }.expect("--1-|", subscribed: "^---!")
    }

    @Test func startWithSendsItsElementsBeforeItSubscribes() {
        let log = Log()
        _ = Observable.of(1).noteLifetime(in: log, as: "source").startWith(0).note(in: log)
        #expect(log.text == "0 source+ 1 completed source-")
    }

    @Test func manyStartWithsInARowFitSmallStack() throws {
        let count = 100_000
        let received = try runOnThread(stackSize: 512 << 10) {
            var sequence = Observable.just(0)
            for element in 1...count { sequence = sequence.startWith(element) }
            return elements(of: sequence)
        }
        #expect(received == Array((0...count).reversed()))
    }

    @Test func manyInfallibleStartWithsInARowFitSmallStack() throws {
        let count = 100_000
        let received = try runOnThread(stackSize: 512 << 10) {
            var sequence = Infallible.just(0)
            for element in 1...count { sequence = sequence.startWith(element) }
            return elements(of: sequence.asObservable())
        }
        #expect(received == Array((0...count).reversed()))
    }

    @Test func manyStartWithsInARowInBoundedSubscriptionFitSmallStack() throws {
        let count = 100_000
        let received = try runOnThread(stackSize: 512 << 10) {
            var sequence = Observable.just(0)
            for element in 1...count { sequence = sequence.startWith(element) }
            return elements(of: sequence.bounded(8))
        }
        #expect(received == Array((0...count).reversed()))
    }

    @Test func startWithMixedWithConcatFreedUnsubscribedFitsSmallStack() throws {
        try runOnThread(stackSize: 512 << 10) {
            var sequence = Observable.just(0)
            for element in 1...50_000 { sequence = sequence.startWith(element).concat(Observable.just(element)) }
        }
    }

    @Test func startWithFreedWhileItsSourceIsKeptLeavesSource() {
        let source = Observable.just(3).startWith(2)
        _ = source.startWith(1)
        #expect(elements(of: source) == [2, 3])
    }

    private func elements(of sequence: Observable<Int>) -> [Int] {
        nonisolated(unsafe) var elements: [Int] = []
        _ = sequence.subscribe(onNext: { elements.append($0) })
        return elements
    }
}
