import RxSwift

extension Example {
    static let errors: [Example] = [
        Example(results: "checkpoint") { m in
            let trail = PublishSubject<String>()
            let marked = m.source.checkpoint("parsed")
                .do(onError: { trail.onNext(Checkpoint.trail(of: $0).joined()) })
            m.result(trail, of: "trail", show: { "\"\($0)\"" })
            m.result(marked)
        },
        Example("catch") { m in m.source.catch { _ in m.other } },
        Example("catch-and-return") { m in m.source.catchAndReturn(9) },
        Example("catch-sequence") { m in Observable.catch(sequence: [m.a, m.b]) },
        Example("retry") { m in m.source.retry() },
        Example("retry-count") { m in m.source.retry(2) },
        Example(results: "retry-when") { m in
            let fires = PublishSubject<Int>()
            m.result(fires, of: "handler's, 5 columns after an error")
            m.result(
                m.source.retry(when: { errors in
                    errors.flatMap { _ in Observable<Int>.timer(5.columns, scheduler: m.clock) }
                        .do(onNext: { fires.onNext($0) })
                }))
        },
    ]
}
