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
        Example("ref-count-after") { m in m.source.publish().refCount(after: 1) },
        Example("auto-connect") { m in m.source.replay(1).autoConnect(1) },
    ]
}
