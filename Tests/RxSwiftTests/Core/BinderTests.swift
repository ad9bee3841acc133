import RxSwift
import RxTest
import TestSupport
import Testing

struct BinderTests {
    private final class Target: ReactiveCompatible {
        var value = 0
    }

    @Test func setsWhileItsTargetLives() {
        let log = Log()
        var target: Target? = Target()
        let binder = Binder<Int>(target!, scheduler: CurrentThreadScheduler.instance) { log("\(type(of: $0)) \($1)") }
        _ = Observable.of(1, 2).subscribe(binder)
        target = nil
        binder.onNext(3)
        #expect(log.text == "Target 1 Target 2")
    }

    @Test func eventWaitingForSchedulerDoesNotRetainTarget() {
        let (log, tracker, scheduler) = (Log(), LifetimeTracker(), TestScheduler(initialClock: 0))
        var target: LifetimeTracker.Tracked? = tracker.make()
        let binder = Binder<Int>(target!, scheduler: scheduler) { log("\($0) \($1)") }
        binder.onNext(1)
        target = nil
        #expect(tracker.live == 0)
        scheduler.start()
        #expect(log.text == "")
    }

    @Test func stopsADebugBuildAtAnError() async {
        #if DEBUG
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Binder<Int>(Anything()) { _, _ in }.onError(TestError.a)
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(words.contains("Binding error: a"))
        #endif
    }

    @Test func bindsAPropertyByItsName() {
        let target = Target()
        let binder: Binder<Int> = target.rx.value
        #expect(target.rx.base === target)
        #expect(Target.rx == Reactive<Target>.self)
        _ = binder
    }
}

private final class Anything {}
