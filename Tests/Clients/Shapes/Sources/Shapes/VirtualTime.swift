import RxSwift
import RxTest

func virtualTime() {
    let scheduler = TestScheduler(initialClock: 0)
    let numbers = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    var times: [TestTime] = []
    scheduler.scheduleAt(215) { times.append(scheduler.clock) }
    let observer = scheduler.start { numbers.map { $0 * 10 } }
    expect(observer.events, [.next(210, 10), .next(220, 20), .completed(230)])
    expect(numbers.subscriptions, [Subscription(200, 230)])
    expect(times, [215])
}
