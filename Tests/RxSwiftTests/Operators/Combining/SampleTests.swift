import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SampleTests {
    let scheduler = TestScheduler(initialClock: 0)

    private func sample(
        _ a: String, _ b: String, defaultValue: Int? = nil
    ) -> (TestableObserver<Int>, TestableObservable<Int>, TestableObservable<Int>) {
        let source = scheduler.hot(a)
        let sampler = scheduler.hot(b)
        let observer = scheduler.start { source.sample(sampler, defaultValue: defaultValue) }
        return (observer, source, sampler)
    }

    @Test func itSendsEachElementOnceAndEndsWithTheSamplerAfterTheSource() {
        let (observer, source, sampler) = sample("210:1 220:2 230:3 240|", "215:0 225:0 226:0 250:0 260:0")
        #expect(observer.marble == "215:1 225:2 250:3 250|")
        #expect(source.subscribed == "(200: 240)")
        #expect(sampler.subscribed == "(200: 250)")
    }

    @Test func theDefaultStandsInWhereNothingCame() {
        let (observer, _, _) = sample("210:1 230|", "205:0 215:0 216:0 240:0", defaultValue: 9)
        #expect(observer.marble == "205:9 215:1 216:9 240:9 240|")
    }

    @Test func theSamplersCompletionSamplesAndIsTheLastOfIt() {
        let (observer, source, sampler) = sample("210:1 220:2 300|", "215|")
        #expect(observer.marble == "215:1")
        #expect(source.subscribed == "(200: 300)")
        #expect(sampler.subscribed == "(200: 215)")
    }

    @Test(arguments: [("210:1 220!", "215:0"), ("210:1", "215:0 220!")]) func eitherErrorEndsIt(
        source: String, sampler: String
    ) {
        let (observer, first, second) = sample(source, sampler)
        #expect(observer.marble == "215:1 220!")
        #expect(first.subscribed == "(200: 220)")
        #expect(second.subscribed == "(200: 220)")
    }

    @Test func theSampleIsFreedAtTheEnd() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<LifetimeTracker.Tracked>()
        let sampler = PublishSubject<Void>()
        let subscription = source.sample(sampler).subscribe(onError: { _ in })
        defer { subscription.dispose() }
        source.onNext(tracker.make())
        #expect(tracker.live == 1)
        sampler.onNext(())
        #expect(tracker.live == 0)
        source.onNext(tracker.make())
        sampler.onError(TestError.a)
        #expect(tracker.live == 0)
    }
}
