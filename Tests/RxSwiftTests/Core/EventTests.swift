import RxSwift
import TestSupport
import Testing

struct EventTests {
    @Test func describesItself() {
        #expect(
            "\(Event.next(1)) \(Event<Int>.error(TestError.a)) \(Event<Int>.completed)" == "next(1) error(a) completed")
        #expect(String(reflecting: Event.next("a")) == "next(a)")
    }

    @Test func propertiesMatchEachCase() {
        let next = Event.next(1)
        #expect(next.element == 1 && next.error == nil && !next.isCompleted && !next.isStopEvent)
        let error = Event<Int>.error(TestError.a)
        #expect(error.element == nil && error.error as? TestError == .a && !error.isCompleted && error.isStopEvent)
        let completed = Event<Int>.completed
        #expect(completed.element == nil && completed.error == nil && completed.isCompleted && completed.isStopEvent)
    }

    @Test func mapsItsElement() {
        #expect("\(Event.next(1).map { $0 + 1 }) \(Event<Int>.completed.map { $0 + 1 })" == "next(2) completed")
    }

    @Test func turnsAnErrorOfTheTransformIntoAnEvent() {
        #expect("\(Event.next(1).map { _ -> Int in throw TestError.b })" == "error(b)")
    }

    @Test func isItsOwnConversion() {
        #expect(Event.next(1).event.element == 1)
    }
}
