import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct RecordedTests {
    @Test func describesItself() {
        #expect(
            "\(Recorded.events(.next(10, "a"), .error(15, TestError.a), .completed(20)))"
                == "[next(a) @ 10, error(a) @ 15, completed @ 20]"
        )
    }

    @Test func isEqualInTimeAndValue() {
        #expect(Recorded.next(1, 2) == Recorded.next(1, 2))
        #expect(Recorded.next(1, 2) != Recorded.next(2, 2))
        #expect(Recorded.next(1, 2) != Recorded.next(1, 3))
        #expect(Recorded.next(1, 2) != .completed(1))
    }

    @Test func listsAreTheSameInBothForms() {
        let list: [Recorded<Event<Int>>] = [.next(1, 2), .completed(3)]
        #expect(Recorded.events(list) == Recorded.events(.next(1, 2), .completed(3)))
    }

    @Test func namesTheElementTypeOfAnEnd() {
        let ends = [Recorded.completed(1, Int.self), Recorded.error(2, TestError.b, Int.self)]
        #expect("\(ends)" == "[completed @ 1, error(b) @ 2]")
    }
}

@Suite struct EventEqualityTests {
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
        #expect(MaybeEvent<Int>.error(TestError.a) == .error(TestError.a))
    }

    @Test func singleEventsAreEqualByKindAndElement() {
        #expect(SingleEvent.success(1) == .success(1))
        #expect(SingleEvent.success(1) != .success(2))
        #expect(SingleEvent<Int>.failure(TestError.a) == .failure(TestError.a))
        #expect(SingleEvent<Int>.failure(TestError.a) != .failure(TestError.b))
        #expect(SingleEvent.success(1) != .failure(TestError.a))
    }

    @Test func listsOfSingleEventsAreCompared() {
        var events: [SingleEvent<Int>] = []
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
}

@Suite struct SubscriptionTests {
    @Test func describesItself() {
        #expect("\([Subscription(1, 2), Subscription(3)])" == "[(1: 2), (3: Infinity)]")
    }

    @Test func neverEndsUnlessSaid() {
        #expect(Subscription(200).unsubscribe == .max)
    }

    @Test func isEqualInBothTimes() {
        #expect(Subscription(1, 2) == Subscription(1, 2))
        #expect(Subscription(1, 2) != Subscription(1, 3))
        #expect(Subscription(1, 2) != Subscription(0, 2))
        #expect(Set([Subscription(1, 2), Subscription(1, 2), Subscription(1)]).count == 2)
    }
}
