import RxOperators

extension Example {
    static let operatorErrors: [Example] = [
        Example("map-error") { m in m.source.mapError { Wrapped($0) } },
        Example("on-error-complete") { m in
            let isHarmless = { @Sendable (error: any Error) in error is DrawnError }
            return m.source.onErrorComplete(where: { isHarmless($0) })
        },
        Example(results: "repeat-when") { m in
            let fires = PublishSubject<Int>()
            m.result(fires, of: "handler's, 5 columns after a completion")
            m.result(
                m.source.repeat(when: { completions in
                    completions.flatMap { _ in Observable<Int>.timer(5.columns, scheduler: m.clock) }
                        .do(onNext: { fires.onNext($0) })
                }))
        },
        Example("merge-delaying-errors") { m in Observable.merge([m.a, m.b], delayingErrors: true) },
        Example("concat-delaying-errors") { m in Observable.concat([m.a, m.b], delayingErrors: true) },
        Example("delaying-errors") { m in
            let (a, b) = (m.a, m.b)
            return Observable.delayingErrors { delayed in .merge(delayed(a), b) }
        },
        Example("flat-map-delaying-errors") { m in m.source.flatMap(delayingErrors: true) { m.inner($0) } },
        Example("switch-latest-delaying-errors") { m in
            m.source.map { m.inner($0) }.switchLatest(delayingErrors: true)
        },
        Example("combine-latest-delaying-errors") { m in
            Observable.combineLatest([m.a, m.b], delayingErrors: true) { $0.sum }
        },
        Example("zip-delaying-errors") { m in Observable.zip([m.a, m.b], delayingErrors: true) { $0.sum } },
        Example("timeout-selector") { m in
            let after = { @Sendable (count: Int) in Observable<Int>.timer(count.columns, scheduler: m.clock) }
            return m.source.timeout(selector: { after($0) })
        },
    ]
}

private struct Wrapped: Error {
    init(_: any Error) {}
}
