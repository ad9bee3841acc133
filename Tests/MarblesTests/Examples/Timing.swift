import RxSwift

extension Example {
    static let timing: [Example] = [
        Example("buffer") { m in m.source.buffer(timeSpan: 6.columns, count: 2, scheduler: m.clock) },
        Example("window", show: { _ in "w" }) { m in
            m.source.window(timeSpan: 6.columns, count: 2, scheduler: m.clock)
        },
        Example("debounce") { m in m.source.debounce(3.columns, scheduler: m.clock) },
        Example("delay") { m in m.source.delay(3.columns, scheduler: m.clock) },
        Example("delay-subscription") { m in m.source.delaySubscription(3.columns, scheduler: m.clock) },
        Example("skip-for") { m in m.source.skip(7.columns, scheduler: m.clock) },
        Example("take-for") { m in m.source.take(for: 7.columns, scheduler: m.clock) },
        Example(results: "throttle") { m in
            m.result(m.source.throttle(5.columns, scheduler: m.clock))
            m.result(m.source.throttle(5.columns, latest: false, scheduler: m.clock))
        },
        Example("timeout") { m in m.source.timeout(4.columns, scheduler: m.clock) },
        Example("timeout-other") { m in m.source.timeout(4.columns, other: m.inner(), scheduler: m.clock) },
        Example("observe-on") { m in m.source.observe(on: m.queue) },
        Example(results: "bounded") { m in
            let (sent, ticks) = (PublishSubject<Int>(), m.line("ticks", of: String.self))
            let numbers = Observable.range(start: 1, count: 9, scheduler: m.steps).do(onNext: { sent.onNext($0) })
            m.result(sent, of: "numbers, as they are sent")
            m.result(Observable.zip(numbers, ticks).bounded(2), show: { "\($0.0)" })
        },
        Example("subscribe-on") { m in m.source.subscribe(on: m.queue) },
    ]
}
