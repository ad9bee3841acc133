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
    ]
}
