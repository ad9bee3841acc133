import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct EventEquatableTests {
    @Test func eventsAreEqualByKindAndElement() {
        #expect(Event.next(1) == .next(1))
        #expect(Event.next(1) != .next(2))
        #expect(Event<Int>.completed == .completed)
        #expect(Event<Int>.completed != .error(TestError.a))
    }

    @Test func errorsAreEqualByDescription() {
        #expect(Event<Int>.error(TestError.a) == .error(TestError.a))
        #expect(Event<Int>.error(TestError.a) != .error(TestError.b))
    }

    @Test func maybeEventsAreEqualByKindAndElement() {
        #expect(MaybeEvent.success(1) == .success(1))
        #expect(MaybeEvent.success(1) != .success(2))
        #expect(MaybeEvent<Int>.completed != .success(1))
        #expect(MaybeEvent<Int>.completed == .completed)
    }

    @Test func errorsOfMaybeEventsAreEqualByDescription() {
        #expect(MaybeEvent<Int>.error(TestError.a) == .error(TestError.a))
        #expect(MaybeEvent<Int>.error(TestError.a) != .error(TestError.b))
        #expect(MaybeEvent<Int>.error(TestError.a) != .completed)
    }

    @Test func singleEventsAreEqualByKindAndElement() {
        #expect(SingleEvent.success(1) == .success(1))
        #expect(SingleEvent.success(1) != .success(2))
        #expect(SingleEvent<Int>.failure(TestError.a) == .failure(TestError.a))
        #expect(SingleEvent<Int>.failure(TestError.a) != .failure(TestError.b))
        #expect(SingleEvent.success(1) != .failure(TestError.a))
    }

    @Test func listsOfSingleEventsAreCompared() {
        nonisolated(unsafe) var events: [SingleEvent<Int>] = []
        _ = Single.just(1).subscribe { events.append($0) }
        _ = Single<Int>.error(TestError.a).subscribe { events.append($0) }
        #expect(events == [.success(1), .failure(TestError.a)])
        #expect(events != [.success(1)])
        #expect(events != [.failure(TestError.a), .success(1)])
    }

    @Test func recordedEventsOfTraitsAreCompared() {
        #expect(Recorded(time: 1, value: MaybeEvent.success(1)) == Recorded(time: 1, value: .success(1)))
        #expect(Recorded(time: 1, value: MaybeEvent<Int>.completed) != Recorded(time: 2, value: .completed))
        #expect(Recorded(time: 1, value: CompletableEvent.completed) != Recorded(time: 1, value: .error(TestError.a)))
    }

    @Test func completableEventsAreEqualByKind() {
        #expect(CompletableEvent.completed == .completed)
        #expect(CompletableEvent.error(TestError.a) == .error(TestError.a))
        #expect(CompletableEvent.error(TestError.a) != .error(TestError.b))
        #expect(CompletableEvent.completed != .error(TestError.a))
    }

    @Test func equalEventsOfSinglesAreNotDifferent() {
        let event = SingleEvent<Int>.success(1)
        #expect(!(event != .success(1)))
        let events = [event]
        #expect(!(events != [.success(1)]))
    }
}
