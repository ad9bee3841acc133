import Testing

extension TestableObservable_Expect_swift {
    var scheduler: TestScheduler { TestScheduler(initialClock: 0) }
    var source: TestableObservable<Int> { scheduler.createColdObservable("-|") }
}

extension TestableObserver_Expect_swift {
    var scheduler: TestScheduler { TestScheduler(initialClock: 0) }
}

extension PausableObservable_swift {
    var scheduler: TestScheduler { TestScheduler(initialClock: 0) }
}

extension TestScheduler_Marbles_swift {
    var scheduler: TestScheduler { TestScheduler(initialClock: 0) }
    var source: Observable<Int> { .never() }
    var observer: TestableObserver<Int> { scheduler.createObserver(Int.self) }
}
