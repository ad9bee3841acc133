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
