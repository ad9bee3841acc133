import RxRelay
import RxSwift

extension Example {
    static let subjects: [Example] = [
        Example(results: "publish-subject") { m in
            let subject = PublishSubject<Int>()
            m.feed(subject, "subject")
            m.result(subject)
        },
        Example(results: "behavior-subject") { m in
            let subject = BehaviorSubject(value: -1)
            m.feed(subject, "subject")
            m.result(subject)
        },
        Example(results: "replay-subject") { m in
            let subject = ReplaySubject<Int>.create(bufferSize: 2)
            m.feed(subject, "subject of 2")
            m.result(subject)
        },
        Example(results: "async-subject") { m in
            let subject = AsyncSubject<Int>()
            m.feed(subject, "subject")
            m.result(subject)
        },
        Example(results: "publish-relay") { m in
            let relay = PublishRelay<Int>()
            _ = m.relay.subscribe(onNext: relay.accept)
            m.result(relay)
        },
        Example(results: "behavior-relay") { m in
            let relay = BehaviorRelay(value: -1)
            _ = m.relay.subscribe(onNext: relay.accept)
            m.result(relay)
        },
        Example(results: "replay-relay") { m in
            let relay = ReplayRelay<Int>.create(bufferSize: 2)
            _ = m.line("relay of 2", of: Int.self).subscribe(onNext: relay.accept)
            m.result(relay)
        },
    ]
}
