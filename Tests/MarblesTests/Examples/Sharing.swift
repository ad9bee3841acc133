import RxSwift

extension Example {
    static let sharing: [Example] = [
        Example(results: "share") { m in
            let source = m.source
            let shared = source.share()
            let replaying = source.share(replay: 1)
            m.result(shared)
            m.result(shared)
            m.after(0) { _ = replaying.subscribe() }
            m.result(replaying)
        },
        Example("publish") { m in
            let published = m.source.publish()
            m.after(4) { _ = published.connect() }
            return published
        },
        Example("multicast") { m in
            let shared = m.source.multicast(PublishSubject())
            m.after(4) { _ = shared.connect() }
            return shared
        },
        Example("multicast-made") { m in
            let subject = { @Sendable in ReplaySubject<Int>.create(bufferSize: 1) }
            let shared = m.source.multicast { subject() }
            m.after(0) { _ = shared.connect() }
            return shared
        },
        Example("multicast-selector") { m in
            @Sendable func pairs(of source: Observable<Int>) -> Observable<Int> {
                Observable.zip(source, source.skip(1)) { $0 * 10 + $1 }
            }
            return m.source.multicast({ PublishSubject() }) { pairs(of: $0) }
        },
        Example("replay") { m in
            let replaying = m.source.replay(2)
            m.after(0) { _ = replaying.connect() }
            return replaying
        },
        Example(results: "ref-count") { m in
            let counted = m.source.publish().refCount()
            m.result(counted)
            m.result(counted)
        },
    ]
}
