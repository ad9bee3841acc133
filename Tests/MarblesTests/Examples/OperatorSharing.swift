import RxOperators

extension Example {
    static let operatorSharing: [Example] = [
        Example("parallel-sequential") { m in m.source.parallel(2).runOn(m.queue).map { $0 * 10 }.sequential() },
        Example("parallel-ordered") { m in m.source.parallel(2).runOn(m.queue).filter { $0 != 2 }.ordered() },
        Example(results: "unicast-subject") { m in
            let subject = UnicastSubject<Int>()
            m.feed(subject, "subject")
            m.result(subject.asObservable())
        },
        Example(results: "timed-replay-subject") { m in
            let subject = TimedReplaySubject<Int>(for: 5.columns, scheduler: m.clock)
            m.feed(subject, "subject")
            m.result(subject)
        },
        Example(results: "share-flow") { m in
            let shared = Observable<Int>.range(start: 1, count: 3, scheduler: m.clock).share(flow: .slowest)
            m.result(shared)
            m.result(shared.observe(on: m.steps).bounded(1))
        },
        Example(results: "ref-count-disconnect-after") { m in
            let shared = m.source.replay(1).refCount(disconnectAfter: 5.columns, scheduler: m.clock)
            m.result(shared.take(1))
            m.result(shared)
        },
        Example("ref-count-after") { m in m.source.publish().refCount(after: 1) },
        Example("auto-connect") { m in m.source.replay(1).autoConnect(1) },
    ]
}
